"""The statistics of linear regression: how sure are the coefficients, and do they mean anything?"""

from .covariance import covariance
from .diagnose import diagnose
from .fit import LinearFit
from .intervals import predict_interval
from .likelihood import log_likelihood, sigma2_ml
from .rows import RowValues, row_values
from .table import Summary, summary
from .verdict import Diagnosis, StatisticalTest, Verdict

__all__ = [
    "Diagnosis",
    "LinearFit",
    "RowValues",
    "StatisticalTest",
    "Summary",
    "Verdict",
    "covariance",
    "diagnose",
    "log_likelihood",
    "predict_interval",
    "row_values",
    "sigma2_ml",
    "summary",
]
