"""What is claimed of the solution, and how the claim is proven."""
