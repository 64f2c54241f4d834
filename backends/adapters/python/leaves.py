# SPDX-License-Identifier: Apache-2.0
"""Converts leaves of the worker protocol to numpy arrays of ml_dtypes types, and back."""

import ml_dtypes
import numpy as np

from hlocts_frames import Leaf, Unsupported

# The numpy or ml_dtypes name of each HLO type. Results have the same names.
NAMES = {
    "pred": "bool",
    "s2": "int2",
    "s4": "int4",
    "s8": "int8",
    "s16": "int16",
    "s32": "int32",
    "s64": "int64",
    "u2": "uint2",
    "u4": "uint4",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f4e2m1fn": "float4_e2m1fn",
    "f8e3m4": "float8_e3m4",
    "f8e4m3": "float8_e4m3",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8e5m2": "float8_e5m2",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0fnu": "float8_e8m0fnu",
    "bf16": "bfloat16",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}
HLO_NAMES = {numpy_name: name for name, numpy_name in NAMES.items()}


def dtype_of(element_type):
    name = NAMES.get(element_type, "")
    try:
        return np.dtype(getattr(ml_dtypes, name, None) or name)
    except TypeError:
        raise Unsupported(f"numpy and ml_dtypes have no type {element_type}") from None


def to_array(leaf):
    """Returns the leaf's bits as an array of the type that the engine uses."""
    return leaf.array.view(dtype_of(leaf.element_type))


def to_leaf(array):
    name = HLO_NAMES.get(np.dtype(array.dtype).name)
    if name is None:
        raise Unsupported(f"results of type {array.dtype} are not supported")
    return as_leaf(array, name)


def as_leaf(array, name):
    """Widens integers below a byte as the protocol requires: each value is a whole byte."""
    bits = np.ascontiguousarray(array).reshape(
        array.shape
    )  # ascontiguousarray turns scalars into vectors
    wide = {"s2": np.int8, "s4": np.int8, "u2": np.uint8, "u4": np.uint8}.get(name)
    return Leaf(name, bits if wide is None else bits.astype(wide))
