"""What every solver returns: results, certificates, event logs; and who watches a fit."""

from .certificate import Certificate, Check
from .events import Look, UpdateLog, VisitOrder, ended
from .observer import Observer, ProgressBar, current_observer, observe, progress
from .result import Result
from .status import Status

__all__ = [
    "Certificate",
    "Check",
    "Look",
    "Observer",
    "ProgressBar",
    "Result",
    "Status",
    "UpdateLog",
    "VisitOrder",
    "current_observer",
    "ended",
    "observe",
    "progress",
]
