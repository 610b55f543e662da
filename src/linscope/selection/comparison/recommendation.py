"""Which model to use, why, and what would change that answer."""

from __future__ import annotations

from .choice import choose as choose
