"""Decimal texts as floats and back, compiled: digit for digit what ``float`` and ``repr`` say.

    text → float      w·10^q, w < 10^19, as a pair hi + lo of floats with relative error < 2⁻⁹⁸;
                      hi is the nearest float if a shift of lo by that error does not change it
    float → text      x·10^k with 17 digits before the point, rounded to 15, 16 and 17 digits; the
                      first of these that is read as x again is the shortest text

What is too near to a tie to be sure of, very large, very small, or not a plain decimal number is
left to Python, which happens once in about 10^13 numbers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linscope._compiling import kernel
from linscope.arithmetic.double_double import Pair, mul, quick_two_sum, two_prod

LARGEST = 60  # power of ten
POWERS = Pair.of_fractions(
    np.array([Fraction(10) ** q for q in range(-LARGEST, LARGEST + 1)], dtype=object)
)
POWERS_HI, POWERS_LO = POWERS
ERROR = 2.0**-95  # larger than what the pair and the shift itself lose
CLOSE = 1e-6  # of a unit of the 17th digit; the pair is right to 10⁻¹²
WIDTH = 25  # of the longest text, -2.2250738585072014e-308, and one more
PLUS, MINUS, POINT, COMMA, ZERO, NINE, SPACE, TAB = b"+-.,09 \t"


@kernel
def nearest_float(w, q):
    """The float next to w·10^q for whole w > 0, and whether it is sure."""
    if not -LARGEST <= q <= LARGEST:
        return 0.0, False
    top = float(w >> np.uint64(11)) * 2048.0  # two exact halves of 53 and 11 bits
    wh, wl = quick_two_sum(top, float(w & np.uint64(2047)))
    hi, lo = mul(wh, wl, POWERS_HI[q + LARGEST], POWERS_LO[q + LARGEST])
    slack = ERROR * hi
    return hi, hi + (lo + slack) == hi and hi + (lo - slack) == hi


@kernel
def _stripped(text, start, end):
    while start < end and (text[start] == SPACE or text[start] == TAB):
        start += 1
    while start < end and (text[end - 1] == SPACE or text[end - 1] == TAB):
        end -= 1
    return start, end


@kernel
def _digits(text, i, end, w, count):
    """Further digits of w; ``count`` of them are there, without leading zeros."""
    while i < end and ZERO <= text[i] <= NINE:
        w = w * np.uint64(10) + np.uint64(text[i] - ZERO)
        count += count > 0 or text[i] != ZERO
        i += 1
    return i, w, count


@kernel
def _exponent(text, i, end):
    """The number behind an e, or 10000 for none that is plain."""
    negative = i < end and text[i] == MINUS
    if i < end and (text[i] == PLUS or text[i] == MINUS):
        i += 1
    stop, value, _ = _digits(text, i, min(end, i + 4), np.uint64(0), 0)
    if stop == i or stop < end:
        return 10_000
    return -np.int64(value) if negative else np.int64(value)


@kernel
def parse_decimal(text, start, end, decimal_comma):
    """The float that a field says, and whether it is sure; an empty field is NaN."""
    i, end = _stripped(text, start, end)
    if i == end:
        return np.nan, True
    sign = -1.0 if text[i] == MINUS else 1.0
    i += text[i] == PLUS or text[i] == MINUS
    begin = i
    i, w, count = _digits(text, i, end, np.uint64(0), 0)
    some, q = i - begin, 0
    if i < end and (text[i] == POINT or (decimal_comma and text[i] == COMMA)):
        begin, comma = i + 1, text[i] == COMMA
        i, w, count = _digits(text, begin, end, w, count)
        q = begin - i
        some += i - begin
        if comma and i == begin:
            return 0.0, False
    if i < end and (text[i] == 101 or text[i] == 69):  # e, E
        q += _exponent(text, i + 1, end)
        i = end
    if some == 0 or i < end or count > 19 or q > 1000:
        return 0.0, False
    if w == 0:
        return sign * 0.0, True
    value, sure = nearest_float(w, q)
    return sign * value, sure


@kernel
def parse_decimals(text, starts, ends, decimal_comma):
    """The numbers of fields, and which of them Python has to read."""
    values, left = np.empty(len(starts)), np.zeros(len(starts), np.bool_)
    for i in range(len(starts)):
        values[i], sure = parse_decimal(text, starts[i], ends[i], decimal_comma)
        left[i] = not sure
    return values, left


@kernel
def _seventeen_digits(a):
    """The k that gives a·10^k 17 digits before the point, and that product as a pair."""
    k = 16 - np.int64(np.floor(np.log10(a)))
    for _ in range(3):
        hi, lo = two_prod(a, POWERS_HI[k + LARGEST])
        hi, lo = quick_two_sum(hi, lo + a * POWERS_LO[k + LARGEST])
        if hi > 1e17 or (hi == 1e17 and lo >= 0.0):
            k -= 1
        elif hi < 1e16 or (hi == 1e16 and lo < 0.0):
            k += 1
        else:
            return k, hi, lo
    return k, 0.0, 0.0  # a power of ten that is no float: the pair is on both sides of it


@kernel
def shortest_decimal(a):
    """w and q of the shortest decimal w·10^q that is read as a > 0, and whether it is sure."""
    if not 1e-40 < a < 1e40:
        return np.uint64(0), 0, False
    k, hi, lo = _seventeen_digits(a)
    if hi == 0.0:
        return np.uint64(0), 0, False
    below = np.floor(lo)
    whole, rest = np.uint64(np.int64(hi) + np.int64(below)), lo - below
    for unit in (100, 10, 1):
        w, over = whole // np.uint64(unit), float(whole % np.uint64(unit)) + rest
        q = -k + (unit >= 10) + (unit >= 100)
        if abs(over - 0.5 * unit) < CLOSE:
            return w, q, False
        w += np.uint64(over > 0.5 * unit)
        value, sure = nearest_float(w, q)
        if not sure:
            return w, q, False
        if value == a:
            return w, q, True
        # Below a power of two floats are closer: another text of 16 digits than the nearest may do.
        if a == 2.0 ** np.round(np.log2(a)):
            return w, q, False
    return w, q, False


@kernel
def _write_whole(out, at, w, count):
    for j in range(count - 1, -1, -1):
        out[at + j] = ZERO + w % np.uint64(10)
        w //= np.uint64(10)
    return at + count


@kernel
def _write_zeros(out, at, count):
    out[at : at + count] = ZERO
    return at + count


@kernel
def _write_decimal(out, at, w, q):
    """w·10^q the way ``repr`` writes it: with an exponent below 10⁻⁴ and from 10^16 on."""
    while w % np.uint64(10) == 0:
        w, q = w // np.uint64(10), q + 1
    count, tens = 1, np.uint64(10)
    while count < 18 and w >= tens:
        count, tens = count + 1, tens * np.uint64(10)
    places = count + q  # digits before the point
    before = 1 if not -4 < places <= 16 else min(max(places, 0), count)
    tail = count - before
    cut = np.uint64(1)
    for _ in range(tail):
        cut *= np.uint64(10)
    at = _write_whole(out, at, w // cut, before) if before else _write_zeros(out, at, 1)
    if -4 < places <= 16:
        at = _write_zeros(out, at, max(places - count, 0))
        out[at] = POINT
        at = _write_zeros(out, at + 1, max(-places, 0))
        return _write_whole(out, at, w % cut, tail) if tail else _write_zeros(out, at, 1)
    if tail:
        out[at] = POINT
        at = _write_whole(out, at + 1, w % cut, tail)
    power = places - 1
    out[at], out[at + 1] = 101, MINUS if power < 0 else PLUS
    return _write_whole(out, at + 2, np.uint64(abs(power)), 2)


@kernel
def format_floats(values):
    """Texts of floats, each in ``WIDTH`` bytes, and their lengths; 0 where Python has to write."""
    out = np.empty(len(values) * WIDTH, np.uint8)
    lengths = np.zeros(len(values), np.int64)
    for i in range(len(values)):
        x, at = values[i], i * WIDTH
        if np.signbit(x):
            out[at] = MINUS
            at += 1
        if x == 0.0:
            out[at] = out[at + 2] = ZERO
            out[at + 1] = POINT
            lengths[i] = at + 3 - i * WIDTH
            continue
        w, q, sure = shortest_decimal(abs(x))
        if sure:
            lengths[i] = _write_decimal(out, at, w, q) - i * WIDTH
    return out, lengths
