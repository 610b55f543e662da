"""Models outside of Python: files and other formats."""
