"""The statistics of linear regression: how sure are the coefficients, and do they mean anything?"""

from .fit import LinearFit

__all__ = ["LinearFit"]
