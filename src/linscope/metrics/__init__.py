"""What predictions are worth: the confusion matrix and everything derived from it."""

from .confusion import Averages
from .evaluate import evaluate
from .evaluation import Evaluation

__all__ = ["Averages", "Evaluation", "evaluate"]
