# SPDX-License-Identifier: Apache-2.0
"""Checks that numpy reads the same arrays that it wrote and hlocts converted. Needs numpy."""
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

PROGRAM = sys.argv[1]
# HLO element types, each with the numpy type of its storage.
TYPES = [
    ("pred", np.bool_), ("s8", np.int8), ("s16", np.int16), ("s32", np.int32), ("s64", np.int64),
    ("u8", np.uint8), ("u16", np.uint16), ("u32", np.uint32), ("u64", np.uint64),
    ("f16", np.float16), ("f32", np.float32), ("f64", np.float64), ("c64", np.complex64),
    ("c128", np.complex128), ("bf16", np.uint16), ("f8e4m3fn", np.uint8), ("f8e5m2", np.uint8),
    ("f4e2m1fn", np.uint8), ("s4", np.int8), ("u4", np.uint8), ("s2", np.int8),
]
LIMITS = {"f4e2m1fn": (0, 16), "s4": (-8, 8), "u4": (0, 16), "s2": (-2, 2), "pred": (0, 2)}


def random_array(rng, name, dtype, shape):
    low, high = LIMITS.get(name, (0, 100))
    values = rng.integers(low, high, size=shape)
    if name in ("f16", "f32", "f64"):
        values = values / 7
    if name in ("c64", "c128"):
        values = values / 7 + 1j
    return np.asarray(values).astype(dtype)


def run(source, target, shapes):
    return subprocess.run([PROGRAM, source, target, *shapes], capture_output=True, text=True)


def check_round_trip(folder, save):
    rng = np.random.default_rng(1)
    arrays, shapes = {}, []
    for name, dtype in TYPES:
        for dimensions in ((), (3,), (2, 0), (2, 3, 4)):
            array = random_array(rng, name, dtype, dimensions)
            if len(dimensions) == 3:
                array = np.asfortranarray(array)
            arrays[f"arg{len(shapes)}"] = array
            shapes.append(f"{name}[{','.join(map(str, dimensions))}]")
    source, target = folder / "in.npz", folder / "out.npz"
    save(source, **arrays)
    result = run(source, target, shapes)
    assert result.returncode == 0, result.stderr
    with np.load(target) as loaded:
        assert set(loaded.keys()) == set(arrays.keys())
        for key, array in arrays.items():
            assert loaded[key].dtype == array.dtype, key
            np.testing.assert_array_equal(loaded[key], array)
    lines = result.stdout.splitlines()
    assert len(lines) == len(shapes)
    f32 = shapes.index("f32[3]")
    numbers = [np.float32(x) for x in lines[f32].split("{")[-1].rstrip("}").split(",")]
    np.testing.assert_array_equal(np.array(numbers, np.float32), arrays[f"arg{f32}"])


def check_refusals(folder):
    source, target = folder / "bad.npz", folder / "none.npz"
    for array, shape, message in (
        (np.array([1.0], ">f4"), "f32[1]", "little-endian"),
        (np.array([1.0], "<f8"), "f32[1]", "expected numpy type f4 for f32[1], found f8[1]"),
        (np.zeros(2, "<f4"), "f32[1]", "expected f32[1], found f32[2]"),
        (np.array(["a"]), "f32[1]", "expected numpy type f4"),
        (np.zeros(1, [("a", "<f4")]), "f32[1]", "expected an element type"),
    ):
        np.savez(source, arg0=array)
        result = run(source, target, [shape])
        assert result.returncode == 2 and message in result.stderr, (message, result)
        assert not target.exists()


with tempfile.TemporaryDirectory() as name:
    check_round_trip(Path(name), np.savez)
    check_round_trip(Path(name), np.savez_compressed)
    check_refusals(Path(name))
print("numpy and we agree")
