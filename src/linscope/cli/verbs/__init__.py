"""One file for each command: its help, its options, what it does with them."""
