"""Every step, or every quantity on the way to the answer."""
