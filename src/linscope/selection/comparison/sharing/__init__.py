"""The work of a study shared between processes."""
