"""Models by the names they have here: their options, how they are fitted, what is said of them."""
