# SPDX-License-Identifier: Apache-2.0
"""Reads the bounds of each element of a result from the sets that `hlocts judge` prints."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hlocts import arrays
from hlocts.arrays import Array
from hlocts.errors import HloctsError

# The flags of a set in `judge --sets --json` (spec/judge/serialize.cc).
_FINITE, _NAN, _POS_INF, _NEG_INF, _POS_ZERO, _NEG_ZERO = (1 << i for i in range(6))
_BITS_KNOWN, _ANY, _INTEGER = 1 << 7, 1 << 8, 1 << 12


class Allowed(NamedTuple):
    """Arrays in the structure that the function returns. A value below `lower` or above `upper` is
    wrong, unless a fact of the engine permits it: `check` uses the facts of the engine, and
    `allowed(..., facts=)` returns the sets with these facts. A value between `lower` and `upper`
    may be wrong too, because a set may have holes, e.g. {1, inf}.
    Complex numbers have separate bounds for real and imaginary parts. If NaN is the only permitted
    value, both bounds are NaN."""

    lower: Any
    upper: Any
    nan: Any  # True if the element may be NaN, so never for a type without NaN
    together: tuple[str, ...]  # for each leaf, a condition on all its elements together, or ""

    def __str__(self) -> str:
        """Returns a line per leaf: elements, how many have a single value, the bounds of the first
        three, the widest set, and how many may be NaN (of integers: have any value)."""
        leaves = zip(_leaves(self.lower), _leaves(self.upper), _leaves(self.nan), self.together,
                     strict=True)  # fmt: skip
        return "\n".join(f"leaf {i}: {_summary(*leaf)}" for i, leaf in enumerate(leaves))


def _leaves(tree: Any) -> list[Array]:
    """Returns the arrays of a structure as JAX flattens it; without JAX there are only lists of them."""
    jax = sys.modules.get("jax")
    return [np.asarray(leaf) for leaf in (jax.tree_util.tree_leaves(tree) if jax else tree)]


def _component(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def _summary(lower: Array, upper: Array, nan: Array, together: str) -> str:
    text = f"{lower.size} elements"
    # Complex numbers become their parts. Narrow types become f64, in which they are exact.
    parts = [np.stack([np.real(a), np.imag(a)]) if a.dtype.kind == "c" else a
             for a in (lower, upper)]  # fmt: skip
    low, high = (np.asarray(a, dtype=np.float64) for a in parts)
    both_nan = np.isnan(low) & np.isnan(high)
    one_value = (parts[0] == parts[1]) | both_nan
    text += f", {int(one_value.sum())} with one value" if low.size == lower.size else ""
    first = [str(a) if str(a) == str(b) else f"[{a}, {b}]"
             for a, b in zip(lower.flat[:3], upper.flat[:3], strict=True)]  # fmt: skip
    text += f", first {', '.join(first)}" if first else ""
    if not one_value.all():
        with np.errstate(over="ignore", invalid="ignore"):
            width = np.where(one_value, 0, high - low)
        at = np.unravel_index(int(np.nanargmax(width)), width.shape)
        where = ", ".join(str(int(i)) for i in at)
        text += f", widest [{parts[0][at]}, {parts[1][at]}] at [{where}]"
    if nan.any():
        text += f", {int(nan.sum())} may be NaN"
    every = _every(parts[0].dtype)
    is_any = (parts[0] == every.lower) & (parts[1] == every.upper)
    if is_any.any() and not every.nan:  # a set of floats with these bounds may have holes
        text += f", {int(is_any.sum())} may have any value"
    return text + (f"; together: {together}" if together else "")


class _Bounds(NamedTuple):
    lower: float | int
    upper: float | int
    nan: bool


def _double(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


def _every(dtype: np.dtype[Any]) -> _Bounds:
    """Returns the bounds of a set of all values of a type."""
    if dtype.kind == "b":
        return _Bounds(0, 1, False)
    if arrays.is_integer(dtype):
        bits = arrays.integer_bits(dtype)
        least = 0 if "uint" in dtype.name else -(1 << (bits - 1))
        return _Bounds(least, least + (1 << bits) - 1, False)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high, nan = np.array([-np.inf, np.inf, np.nan]).astype(dtype).astype(np.float64)
    if np.isnan(low) or np.isnan(high):  # a type without infinities
        import ml_dtypes

        info = ml_dtypes.finfo(dtype)
        low, high = float(info.min), float(info.max)
    return _Bounds(float(low), float(high), bool(np.isnan(nan)))


def _ends(flags: int, low: str, high: str) -> list[float]:
    """Returns the ends of a set of floats; [] if it contains only NaN."""
    ends = [-np.inf] if flags & _NEG_INF else []
    if flags & _FINITE:
        first, last = _double(low), _double(high)
        ends.append(-0.0 if first == 0 and flags & _NEG_ZERO else first)
        ends.append(0.0 if last == 0 and flags & _POS_ZERO else last)
    return [*ends, np.inf] if flags & _POS_INF else ends


def _bounds(entry: Sequence[Any], every: _Bounds) -> _Bounds:
    flags, low, high = int(entry[0]), str(entry[1]), str(entry[2])
    if flags & _ANY:
        return every
    if flags & _INTEGER:
        return _Bounds(int(low), int(high), False)
    ends = [] if flags & _BITS_KNOWN else _ends(flags, low, high)
    if not ends:
        return _Bounds(np.nan, np.nan, True)
    return _Bounds(ends[0], ends[-1], bool(flags & _NAN))


def _expand(sets: Sequence[Any], every: _Bounds) -> list[_Bounds]:
    found: list[_Bounds] = []
    for entry in sets:
        if isinstance(entry, dict):
            found.extend([found[-1]] * int(entry["repeat"]))
        else:
            found.append(_bounds(entry, every))
    return found


def _array(values: Sequence[float | int], dtype: np.dtype[Any]) -> Array:
    wide = object if dtype.kind in "biu" else np.int8 if arrays.is_integer(dtype) else np.float64
    return np.array(values, dtype=wide).astype(dtype)


def _of_sets(leaf: dict[str, Any], dtype: np.dtype[Any]) -> tuple[Array, Array, Array]:
    part = _component(dtype)
    found = _expand(leaf["sets"], _every(part))
    shape = leaf["dimensions"]
    lower, upper = (_array([one[i] for one in found], part) for i in (0, 1))
    nan = np.array([one.nan for one in found], dtype=bool)
    if dtype.kind == "c":
        nan = np.logical_or(nan[0::2], nan[1::2])
        lower, upper = lower.view(dtype), upper.view(dtype)
    return lower.reshape(shape), upper.reshape(shape), nan.reshape(shape)


def _of_points(leaf: dict[str, Any], dtype: np.dtype[Any]) -> tuple[Array, Array, Array]:
    raw = bytes.fromhex(leaf["exact"])
    values = np.frombuffer(raw, arrays.to_storage(np.zeros(1, dtype)).dtype)
    value = arrays.from_storage(values, dtype).reshape(leaf["dimensions"])
    if dtype.kind == "b" or arrays.is_integer(dtype):
        return value, value, np.zeros(value.shape, bool)
    if leaf["zero_sign_free"] and dtype.kind != "c":
        zero = value == 0
        return (np.where(zero, -np.abs(value), value).astype(dtype),
                np.where(zero, np.abs(value), value).astype(dtype), np.isnan(value))  # fmt: skip
    return value, value, np.isnan(value)


def read(text: str) -> Allowed:
    """Returns lists of leaves in the order of the root, device after device."""
    lines = [json.loads(line) for line in text.splitlines()]
    leaves = [line for line in lines if "origins" not in line]  # origins precede a device's leaves
    if any(leaf.get("token") for leaf in leaves):
        raise HloctsError("a token has no bounds")
    found = []
    for leaf in leaves:
        dtype = arrays.dtype_of(leaf["type"])
        found.append((_of_points if "exact" in leaf else _of_sets)(leaf, dtype))
    lower, upper, nan = ([one[i] for one in found] for i in range(3))
    return Allowed(lower, upper, nan, tuple(leaf.get("predicate", "") for leaf in leaves))
