"""Support vector machines with kernels: ``SVC`` and ``ApproximateSVC``."""
