"""What a type checker and an editor see of the front door; a test compares it with the table."""

from . import plot as plot
from ._version import __version__ as __version__
from .data import PolynomialFeatures as PolynomialFeatures
from .data import RadialFeatures as RadialFeatures
from .data import augment as augment
from .data import datasets as datasets
from .data import reflect as reflect
from .discriminants.estimators.fisher import FisherDiscriminant as FisherDiscriminant
from .discriminants.estimators.least_squares_classifier import (
    LeastSquaresClassifier as LeastSquaresClassifier,
)
from .discriminants.estimators.naive_bayes import GaussianNaiveBayes as GaussianNaiveBayes
from .engines.checkpoint.front import checkpoint as checkpoint
from .engines.compress import compress as compress
from .engines.scan import scan as scan
from .fitting.any_function import gradient_descent as gradient_descent
from .kernel_svm.estimators.approximate_svc import ApproximateSVC as ApproximateSVC
from .kernel_svm.estimators.svc import SVC as SVC
from .kernel_svm.path.result import GridPath as GridPath
from .least_squares.estimators.huber import HuberRegressor as HuberRegressor
from .least_squares.estimators.linear_regression import LinearRegression as LinearRegression
from .least_squares.estimators.ridge import Ridge as Ridge
from .linear_svm.estimators.linear_svc import LinearSVC as LinearSVC
from .logistic.estimators.logistic_regression import LogisticRegression as LogisticRegression
from .logistic.path.result import RegularizationPath as RegularizationPath
from .metrics import evaluate as evaluate
from .perceptron.estimators.kernel_perceptron import KernelPerceptron as KernelPerceptron
from .perceptron.estimators.perceptron import Perceptron as Perceptron
from .persist.model_files import load as load
from .persist.model_files import save as save
from .persist.onnx.front import to_onnx as to_onnx
from .results import Check as Check
from .results import Observer as Observer
from .results import ProgressBar as ProgressBar
from .results import Status as Status
from .results import observe as observe
from .results import progress as progress
from .selection.compare import compare as compare
from .selection.comparison.result import Comparison as Comparison
from .selection.path import path as path
from .separation.question import separability as separability
from .separation.verdicts import NotSeparable as NotSeparable
from .separation.verdicts import QuasiSeparable as QuasiSeparable
from .separation.verdicts import Separable as Separable
from .tracing.derivation import Derivation as Derivation
from .tracing.start import trace as trace
from .tracing.trace_object import Trace as Trace
from .web.hosts.widget import playground as playground
