# SPDX-License-Identifier: Apache-2.0
"""An acceptance set, parsed from the text that the program prints, and its picture."""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass

_NUMBER = r"[-+]?(?:inf|nan|\d+\.?\d*(?:e[-+]?\d+)?)"
_INTERVAL = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]")
_POINT = re.compile(rf"\{{?({_NUMBER})\}}?")


@dataclass(frozen=True)
class AcceptedSet:
    """Intervals of real numbers (points are intervals), and whether a NaN is accepted. Empty for
    other sets: of complex elements or predicates, and "any value"."""

    text: str
    intervals: tuple[tuple[float, float], ...]
    nan: bool

    @classmethod
    def parse(cls, text: str) -> AcceptedSet:
        intervals: list[tuple[float, float]] = []
        nan = False
        for part in text.split(" or "):
            interval, point = _INTERVAL.fullmatch(part), _POINT.fullmatch(part)
            if part.startswith("nan"):
                nan = True
            elif interval:
                intervals.append((float(interval[1]), float(interval[2])))
            elif point:
                intervals.append((float(point[1]), float(point[1])))
            else:
                return cls(text, (), False)
        return cls(text, tuple(intervals), nan)

    def nearest(self, value: float) -> float | None:
        """Returns the end of an interval that is nearest to a value outside of the set."""
        ends = [end for interval in self.intervals for end in interval if math.isfinite(end)]
        return min(ends, key=lambda end: abs(end - value)) if ends else None


_WIDTH, _LEFT, _LINE = 640, 60, 44  # picture: width, left margin; height of the number line


def _scale(values: list[float]) -> tuple[float, float]:
    """Returns the range of the number line to draw. Infinities are drawn at its ends."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    # Halves both before subtracting, because the difference of the largest floats overflows.
    margin = (high / 2 - low / 2) / 2 or max(abs(high) / 2, 1e-300)
    return max(low - margin, -1.7e308), min(high + margin, 1.7e308)


def _place(value: float, low: float, high: float) -> float:
    if math.isinf(value):
        return _WIDTH - 12 if value > 0 else 12
    share = (value / 4 - low / 4) / (high / 4 - low / 4)
    return _LEFT + share * (_WIDTH - 2 * _LEFT)


def picture(accepted: AcceptedSet, actual: str) -> str:
    """Returns inline SVG: the set as green bars on the number line, and the value as a red mark.
    Returns "" if a number line cannot show them."""
    value = AcceptedSet.parse(actual)
    if not accepted.intervals and not (accepted.nan and value.intervals):
        return ""
    points = [end for interval in accepted.intervals + value.intervals for end in interval]
    low, high = _scale(points)
    parts = [f'<line x1="0" y1="{_LINE}" x2="{_WIDTH}" y2="{_LINE}" stroke="#888"/>']
    for first, last in accepted.intervals:
        x = _place(first, low, high)
        width = max(_place(last, low, high) - x, 3)
        parts.append(f'<rect x="{x - 1:.1f}" y="{_LINE - 8}" width="{width:.1f}" height="16" '
                     'fill="#2a8f4f"/>')
    for point, _ in value.intervals:
        x = _place(point, low, high)
        parts.append(f'<path d="M{x:.1f} {_LINE - 9} l-6 -11 h12 z" fill="#c0392b"/>')
    below = html.escape(f"accepted: {accepted.text}")
    above = html.escape(f"found: {actual}")
    parts.append(f'<text x="8" y="16" font-size="13" fill="#c0392b">{above}</text>')
    parts.append(f'<text x="8" y="{_LINE + 28}" font-size="13" fill="#2a8f4f">{below}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_LINE + 40}" '
            f'viewBox="0 0 {_WIDTH} {_LINE + 40}" role="img" font-family="monospace">'
            f"<title>{above}, {below}</title>{''.join(parts)}</svg>")
