# SPDX-License-Identifier: Apache-2.0
"""Catalyst (no options): its command-line compiler turns StableHLO into an object file for cc."""

import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import leaves
from hlocts_frames import Unsupported
from stablehlo_text import plain_text, results_of

# Functions that compiled code calls in addition to libm. memrefCopy copies one strided array onto
# another of the same shape. Each array is passed as the fields of Array below, strides in elements.
# __trunc?fbf2 round to bf16, ties to even, like the functions of compilers' run-time libraries (gcc
# 12 lacks them). They return the bits in the low half of a float register. A double is first rounded
# to odd: its lower bits are merged into the last bit of a float, so nothing is rounded twice.
SUPPORT = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void* _mlir_memref_to_llvm_alloc(size_t size) { return aligned_alloc(64, (size + 64) / 64 * 64); }
void _mlir_memref_to_llvm_free(void* place) { free(place); }

typedef struct { int64_t rank; int64_t* words; } Memref;
static char* start(Memref* m, int64_t size) { return (char*)m->words[1] + m->words[2] * size; }

static void copy(const int64_t* sizes, const int64_t* from_strides, const int64_t* to_strides,
                 int64_t rank, int64_t size, const char* from, char* to) {
  if (rank == 0) {
    memcpy(to, from, size);
    return;
  }
  for (int64_t i = 0; i < sizes[0]; ++i)
    copy(sizes + 1, from_strides + 1, to_strides + 1, rank - 1, size,
         from + i * from_strides[0] * size, to + i * to_strides[0] * size);
}

static float bf16(uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) bits |= 0x00400000;  /* a NaN stays one */
  else bits += 0x7fff + (bits >> 16 & 1);
  bits >>= 16;
  float held;
  memcpy(&held, &bits, 4);
  return held;
}

float __truncsfbf2(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bf16(bits);
}

float __truncdfbf2(double x) {
  float near = (float)x;
  uint32_t bits;
  memcpy(&bits, &near, 4);
  if (near == near && near != x) {
    double size = x < 0 ? -x : x, rounded = near < 0 ? -near : near;
    bits = (rounded > size ? bits - 1 : bits) | 1;
  }
  return bf16(bits);
}

void memrefCopy(int64_t size, Memref* from, Memref* to) {
  int64_t rank = from->rank;
  copy(from->words + 3, from->words + 3 + rank, to->words + 3 + rank, rank, size,
       start(from, size), start(to, size));
}
"""
RESULT = re.compile(r"tensor<((?:\d+x)*)([a-z][\w<>]*)>")
BITS = {"s2": 2, "s4": 4}
HLO_NAMES = {"i1": "pred", "complex<f32>": "c64", "complex<f64>": "c128"}


def hlo_name(name):
    if name.startswith("ui"):
        return "u" + name[2:]
    return HLO_NAMES.get(name) or ("s" + name[1:] if re.fullmatch(r"i\d+", name) else name.lower())


class Array:
    """An array as MLIR's C interface passes it: allocation, data, offset, sizes, strides."""

    def __init__(self, shape):
        rank = len(shape)
        self.words = (ctypes.c_int64 * (3 + 2 * rank))()
        self.shape = shape

    def give(self, array):
        self.array = array  # must live as long as this object
        self.words[0] = self.words[1] = array.ctypes.data
        strides = [stride // max(array.itemsize, 1) for stride in array.strides]
        self.words[3:] = [*array.shape, *strides]

    def take(self, words, dtype):
        rank = len(self.shape)
        count = int(np.prod(self.shape, dtype=np.int64))
        if count == 0:
            return np.empty(self.shape, dtype)
        strides = [stride * dtype.itemsize for stride in words[3 + rank : 3 + 2 * rank]]
        reach = 1 + sum(
            (size - 1) * stride for size, stride in zip(self.shape, words[3 + rank : 3 + 2 * rank])
        )
        bytes_ = ctypes.string_at(words[1] + words[2] * dtype.itemsize, reach * dtype.itemsize)
        return np.ndarray(self.shape, dtype, bytes_, strides=strides).copy()


def support_object():
    """Compiles SUPPORT once per worker, not for every module."""
    with tempfile.TemporaryDirectory() as place:
        with open(f"{place}/a.c", "w") as file:
            file.write(SUPPORT)
        subprocess.run(
            ["cc", "-O1", "-c", "-fPIC", "-o", f"{place}/a.o", f"{place}/a.c"],
            capture_output=True,
            check=True,
        )
        with open(f"{place}/a.o", "rb") as file:
            return file.read()


def last_words(text):
    """Returns the compiler's last message without the stack that LLVM prints after it."""
    return text.split("PLEASE submit a bug report")[0][-4000:]


def built(text, program, support, folder):
    """Returns the path of a library with main's C interface, or raises the compiler's error."""
    text = re.sub(
        r"(func\.func (?:public )?@main\([^{]*?)( \{\n)",
        r"\1 attributes {llvm.emit_c_interface}\2",
        text,
        1,
    )
    with open(f"{folder}/m.mlir", "w") as file:
        file.write(text)
    compile_ = [
        program,
        f"{folder}/m.mlir",
        "--tool=all",
        f"--workspace={folder}",
        "-o",
        f"{folder}/x",
    ]
    done = subprocess.run(compile_, capture_output=True, text=True)
    objects = glob.glob(f"{folder}/*.o")
    if done.returncode < 0:
        sys.stderr.write(last_words(done.stderr))
        os.abort()  # a crash of the compiler counts as a crash of the engine
    if done.returncode or not objects:
        raise Unsupported(f"catalyst does not lower this module: {done.stderr.strip()[:300]}")
    with open(f"{folder}/support.o", "wb") as file:
        file.write(support)
    link = ["cc", "-shared", "-o", f"{folder}/m.so", f"{folder}/support.o", *objects, "-lm"]
    done = subprocess.run(link, capture_output=True, text=True)
    if done.returncode:
        raise Unsupported(f"the compiled code does not link: {done.stderr.strip()[:300]}")
    return f"{folder}/m.so"


def make(_options):
    folder = next(
        path for path in sys.path if glob.glob(path + "/*catalyst*.data/data/bin/catalyst")
    )
    program = glob.glob(folder + "/*catalyst*.data/data/bin/catalyst")[0]
    support = support_object()

    def load(proto):
        text = plain_text(proto)
        with tempfile.TemporaryDirectory() as place:
            library = ctypes.CDLL(built(text, program, support, place))
        kinds = [
            ([int(size) for size in sizes.split("x") if size], hlo_name(name))
            for sizes, name in RESULT.findall(results_of(text))
        ]

        def run(arguments):
            given = []
            for leaf in arguments:
                array = np.ascontiguousarray(leaves.to_array(leaf)).reshape(leaf.array.shape)
                array = array.copy()
                if leaf.element_type in BITS:  # LLVM assumes that the other bits are zero
                    array.view(np.uint8)[...] &= (1 << BITS[leaf.element_type]) - 1
                given.append(Array(array.shape))
                given[-1].give(array)
            results = [Array(shape) for shape, _ in kinds]
            words = (ctypes.c_int64 * sum(len(result.words) for result in results))()
            call = getattr(library, "_catalyst_ciface_main", None) or library._mlir_ciface_main
            call(words, *(array.words for array in given))
            outputs, at = [], 0
            for result, (_, name) in zip(results, kinds):
                own = words[at : at + len(result.words)]
                at += len(result.words)
                outputs.append(leaves.as_leaf(result.take(own, leaves.dtype_of(name)), name))
            return outputs

        return run

    return load
