"""The perceptron family: ``Perceptron`` and ``KernelPerceptron``."""
