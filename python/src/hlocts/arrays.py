# SPDX-License-Identifier: Apache-2.0
"""Converts arrays to the program's formats: .npz files, and element types that numpy lacks."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from hlocts.errors import HloctsError

Array: TypeAlias = "np.ndarray[Any, Any]"

_NUMPY = {
    "pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
}  # fmt: skip
_ML_DTYPES = {
    "bf16": "bfloat16", "f8e5m2": "float8_e5m2", "f8e4m3": "float8_e4m3", "f8e3m4": "float8_e3m4",
    "f8e4m3fn": "float8_e4m3fn", "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0fnu": "float8_e8m0fnu", "f4e2m1fn": "float4_e2m1fn",
    "s2": "int2", "s4": "int4", "u2": "uint2", "u4": "uint4",
}  # fmt: skip
_NARROW = {"int2": np.int8, "int4": np.int8, "uint2": np.uint8, "uint4": np.uint8}


def dtype_of(element_type: str) -> np.dtype[Any]:
    """Returns the type of numpy for an element type of HLO."""
    if element_type in _NUMPY:
        return np.dtype(_NUMPY[element_type])
    if element_type not in _ML_DTYPES:
        raise HloctsError(f"numpy has no type for {element_type}[...]")
    try:
        import ml_dtypes
    except ImportError:
        raise HloctsError(f"{element_type} arrays need ml_dtypes: pip install ml_dtypes") from None
    found = getattr(ml_dtypes, _ML_DTYPES[element_type], None)
    if found is None:
        raise HloctsError(f"this ml_dtypes has no {_ML_DTYPES[element_type]}: update ml_dtypes")
    narrow: np.dtype[Any] = np.dtype(found)
    return narrow


def element_type_of(dtype: np.dtype[Any]) -> str:
    """Returns the element type of HLO for a type of numpy."""
    for name, known in (_NUMPY | _ML_DTYPES).items():
        if known == dtype.name:
            return name
    raise HloctsError(f"HLO has no element type for {dtype}")


def is_integer(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" or dtype.name in _NARROW


def integer_bits(dtype: np.dtype[Any]) -> int:
    """Returns the number of bits of an integer type. numpy stores narrow integers in bytes."""
    return int(dtype.name.lstrip("uint"))


def to_storage(array: Array) -> Array:
    """Returns the array as the program reads it: bf16, f8 and f4 as their bits, narrow integers as
    8-bit values."""
    if array.dtype.name in _NARROW:
        return array.astype(_NARROW[array.dtype.name])
    if array.dtype.type.__module__.startswith("ml_dtypes") or array.dtype.kind == "V":
        return np.asarray(array, order="C").view(f"u{array.dtype.itemsize}")
    return array


def from_storage(array: Array, dtype: np.dtype[Any]) -> Array:
    if dtype == array.dtype:
        return array
    return array.astype(dtype) if dtype.name in _NARROW else array.view(dtype)


def text(value: Any) -> str:
    """Returns a number as the program prints it: the shortest decimal with the same bits."""
    array = np.asarray(value)
    if array.dtype.kind == "b":
        return str(bool(array)).lower()
    if array.dtype.kind == "c":
        return f"({text(array.real)}, {text(array.imag)})"
    wide = float(array)
    if is_integer(array.dtype) or not np.isfinite(wide):
        return str(array)
    with np.errstate(over="ignore"):  # the largest number is rounded to a decimal that overflows
        digits = next(n for n in range(1, 18) if array.dtype.type(f"{wide:.{n - 1}e}") == array)
    near = np.float64(f"{wide:.{digits - 1}e}")
    plain = np.format_float_positional(near, trim="-")
    return min(plain, np.format_float_scientific(near, trim="-", exp_digits=2), key=len)


def write(path: str | os.PathLike[str], role: str, arrays: Sequence[Any]) -> None:
    """Writes leaves, numbered in the given order. role: "arg" or "out"."""
    stored = {f"{role}{i}": to_storage(np.asarray(array)) for i, array in enumerate(arrays)}
    np.savez(path, **stored)  # type: ignore[arg-type]


def read_outputs(path: str | os.PathLike[str], dtypes: Sequence[np.dtype[Any]]) -> list[Array]:
    """Returns the leaves in the order of the root, device after device."""
    with np.load(path) as archive:
        found = len(archive.files)
        if found % max(len(dtypes), 1):
            raise HloctsError(f"expected {len(dtypes)} output arrays, found {found}")
        return [from_storage(archive[name], dtype)
                for name, dtype in zip(archive.files, itertools.cycle(dtypes))]  # fmt: skip


_LEAF = re.compile(r"\b([a-z][a-z0-9]*)\[")


def result_dtypes(canonical: str) -> list[np.dtype[Any]]:
    """Returns the types of the result's leaves, from the module header that the program prints."""
    header = canonical.split("\n", 1)[0]
    layout = header.partition("entry_computation_layout={")[2].rpartition("->")[2]
    return [dtype_of(name) for name in _LEAF.findall(layout)]


def _order(array: Array) -> int:
    """Returns the position of a float among the floats of its format; equal for -0 and +0."""
    bits = int(to_storage(array).view(f"u{array.dtype.itemsize}"))
    sign = 1 << (8 * array.dtype.itemsize - 1)
    return -(bits & ~sign) if bits & sign else bits


def ulps_between(dtype: np.dtype[Any], a: float, b: float) -> int | None:
    """Returns the number of steps between two values in the format, or None if one of them is not a
    finite float of this format."""
    if dtype.kind in "biuc" or dtype.name in _NARROW or dtype.itemsize > 8:
        return None
    values = [np.asarray(value).astype(dtype) for value in (a, b)]
    if not all(np.isfinite(value.astype(np.float64)) for value in values):
        return None
    return abs(_order(values[0]) - _order(values[1]))
