"""The statistics of regression: how sure are the coefficients, and do they mean anything?"""

from .covariance import covariance
from .diagnose import diagnose
from .fit import LinearFit
from .intervals import predict_interval
from .likelihood import log_likelihood, sigma2_ml
from .logistic_fit import LogisticFit
from .logistic_table import LogisticSummary, logistic_covariance, logistic_summary
from .odds_ratios import OddsRatios, likelihood_ratio_tests, odds_ratios
from .rows import RowValues, row_values
from .table import Summary, summary
from .verdict import Diagnosis, StatisticalTest, Verdict

__all__ = [
    "Diagnosis",
    "LinearFit",
    "LogisticFit",
    "LogisticSummary",
    "OddsRatios",
    "RowValues",
    "StatisticalTest",
    "Summary",
    "Verdict",
    "covariance",
    "diagnose",
    "likelihood_ratio_tests",
    "log_likelihood",
    "logistic_covariance",
    "logistic_summary",
    "odds_ratios",
    "predict_interval",
    "row_values",
    "sigma2_ml",
    "summary",
]
