"""Where the page lives: served by this machine, in one file, in a notebook."""
