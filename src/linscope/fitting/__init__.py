"""What every fit shares: reading the training data, the driver, the gradient rule."""
