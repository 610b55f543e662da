"""The statistics of linear regression: how sure are the coefficients, and do they mean anything?"""

from .covariance import covariance
from .fit import LinearFit
from .intervals import predict_interval
from .likelihood import log_likelihood, sigma2_ml
from .table import Summary, summary

__all__ = [
    "LinearFit",
    "Summary",
    "covariance",
    "log_likelihood",
    "predict_interval",
    "sigma2_ml",
    "summary",
]
