"""From scores to a recommendation: the rule, its reasons, what would change it, in words."""
