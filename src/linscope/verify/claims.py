"""How a claim is checked: by requirements; the first that fails is the reason to reject it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from linscope.results import Check


class Refuted(Exception):
    """A claim does not hold; the message says which."""


def require(holds: Any, message: str) -> None:
    """Reject the claim unless this holds; the message is made in any case."""
    if not bool(holds):
        raise Refuted(message)


def checked(claims: Callable[..., str], *arguments: Any) -> Check:
    """Turn "raise on the first claim that fails, else say what was shown" into a Check.

    >>> print(checked(lambda gap: require(gap >= 0, "a gap below 0") or "a gap", -1.0))
    REJECTED: a gap below 0
    """
    try:
        with np.errstate(all="ignore"):
            return Check(True, claims(*arguments))
    except Refuted as refuted:
        return Check(False, str(refuted))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        return Check(False, f"the certificate does not fit these data: {error}")


def require_part(name: str, found: Check) -> None:
    """Reject the claim if that of a part does not hold."""
    require(found.claim_holds, f"{name}: {found.reason}")


def same_claim(one: Any, other: Any) -> bool:
    """Whether two claims have the same numbers, bit for bit, in all their parts."""
    if one is other:
        return True
    if is_dataclass(one):
        names = [field.name for field in fields(one)]
        return type(one) is type(other) and all(
            same_claim(getattr(one, name), getattr(other, name)) for name in names
        )
    if isinstance(one, dict):
        same = isinstance(other, dict) and list(one) == list(other)
        return same and all(same_claim(value, other[name]) for name, value in one.items())
    return bool(np.array_equal(one, other))


def foreign(claim: Any, *own: str) -> bool:
    """Whether it claims one of the values that only other models have, or has parts."""
    common = {"primal", "dual", "gap", "kkt", "backward_error"}.difference(own)
    return bool(claim.parts) or any(getattr(claim, name) is not None for name in common)
