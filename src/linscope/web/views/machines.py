"""What the steps of support vector machines have to show.

Their folders are large: they are imported when a machine is asked for, and not before.
"""

from __future__ import annotations

from typing import Any

from linscope.kernel_svm.trace.replay import BIAS, DUAL, PRIMAL, SmoReplay
from linscope.kernel_svm.trace.step import SmoStep
from linscope.linear_svm.trace.replay import CoordinateReplay, CoordinateStep
from linscope.reports.cells import number

from .words import Words, score_of, vector_text, who, words_of_step


def fill_betas(betas: Any, replay: SmoReplay | CoordinateReplay, states: Any, first: int) -> None:
    """Signed coefficients of the samples, and b, of the states after ``first`` updates and more."""
    if isinstance(replay, SmoReplay):
        betas[:, replay.row_numbers] = states[:, : len(replay.y)] * replay.y
        betas[:, -1] = states[:, BIAS]
    else:
        alphas = replay.all_alphas(first, first + len(states) - 1)
        betas[:, replay.row_numbers] = alphas * replay.y


def measures(replay: SmoReplay | CoordinateReplay, states: Any) -> list[dict[str, float]]:
    """Primal, dual and gap of each state."""
    if isinstance(replay, SmoReplay):
        dual, primal = states[:, DUAL], states[:, PRIMAL]
    else:
        dual, primal = replay.dual(states), replay.primal(states)
    pairs = zip(primal.astype(float).tolist(), dual.astype(float).tolist(), strict=True)
    return [{"primal P": P, "dual D": D, "gap P − D": max(P - D, 0.0)} for P, D in pairs]


@words_of_step.register
def _(step: SmoStep, model: Any) -> Words:
    i, j = step.names if step.names is not None else (f"sample {step.i}", f"sample {step.j}")
    cut = " A bound, 0 or C, cut the step short." if step.clipped else ""
    lines = [
        f"α_i: {number(step.alpha_i_before)} → {number(step.alpha_i)}",
        f"α_j: {number(step.alpha_j_before)} → {number(step.alpha_j)}",
        f"now D(α) = {number(step.dual)}, m(α) − M(α) = {number(step.gap, 3)}",
    ]
    said = f"{_capital(i)} and {j} violated the conditions of the optimum most."
    return f"{said} The step moved their α.{cut}", lines


@words_of_step.register
def _(step: CoordinateStep, model: Any) -> Words:
    lines = [
        f"y w·x = {number(step.normalized)}, G = {number(step.gradient)}",
        f"α: {number(step.alpha_before)} → {number(step.alpha)}",
    ]
    if not step.update:
        side = "outside the margin" if step.alpha == 0 else "at the price C already"
        return f"{who(step)} is {side}: its α = {number(step.alpha)} stays.", lines
    lines[0] = f"before: {lines[0]}"
    lines.append(f"w = {vector_text(step.before)} → {vector_text(step.after)}")
    sign = "+1" if step.y > 0 else "−1"
    after = score_of(step.after, step.x) * (1 if step.y > 0 else -1)
    lines.append(f"now y w·x = {number(after)}, y = {sign}")
    grew = "grew" if step.alpha > step.alpha_before else "shrank"
    said = (
        f"{who(step)} had y w·x = {number(step.normalized)}. Its α {grew} to {number(step.alpha)}"
    )
    return f"{said}, which brought y w·x to {number(after)}.", lines


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
