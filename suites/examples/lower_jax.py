#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lowers the functions of JAX to HLO modules, and lists them for hlocts diff.

  python3 lower_jax.py DIR --backend=xla --backend=cpu   # needs jax; writes DIR/*.hlo and DIR/batch.jsonl
  build/hlocts diff --batch=DIR/batch.jsonl              # one verdict per line

Each public function of jax.numpy, jax.lax, jax.nn, jax.scipy.special, jax.scipy.linalg,
jax.numpy.linalg and jax.numpy.fft is tried on one, two and three arrays of a few types; each call
that JAX accepts becomes a module. Each is lowered in its own process, because some never return.
"""
import argparse
import inspect
import json
import os
import signal

import jax
import jax.numpy as jnp

FOLDERS = {
    "numpy": jnp,
    "lax": jax.lax,
    "nn": jax.nn,
    "special": jax.scipy.special,
    "linalg": jnp.linalg,
    "scipy_linalg": jax.scipy.linalg,
    "fft": jnp.fft,
}
TYPES = [jnp.float32, jnp.bfloat16, jnp.float64, jnp.int32, jnp.uint8, jnp.complex64, jnp.bool_]
ARGUMENTS = [[(3, 3)], [(5,)], [(3, 3), (3, 3)], [(4,), (4,)], [(3, 3), ()], [(3, 3)] * 3]
SECONDS_MAX = 60  # for all modules of one function


def functions(folder):
    for name in sorted(dir(folder)):
        function = getattr(folder, name)
        if not name.startswith("_") and callable(function) and not inspect.isclass(function):
            yield name, function


def lower(function, shapes, dtype):
    arguments = [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]
    lowered = jax.jit(function).lower(*arguments)
    return lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True)


def lower_all(function, stem):
    for dtype in TYPES:
        for number, shapes in enumerate(ARGUMENTS):
            try:
                text = lower(function, shapes, dtype)
            except Exception:  # JAX rejects these arguments
                continue
            with open(f"{stem}_{jnp.dtype(dtype).name}_{number}.hlo", "w") as module:
                module.write(text)


def in_own_process(function, stem):
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS_MAX)
        lower_all(function, stem)
        os._exit(0)
    os.waitpid(child, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--backend", action="append", required=True)
    parser.add_argument("--only", default="", help="prefix of the names of functions")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    os.makedirs(options.folder, exist_ok=True)
    for folder, contents in FOLDERS.items():
        for name, function in functions(contents):
            if name.startswith(options.only):
                in_own_process(function, os.path.join(options.folder, f"{folder}_{name}"))
    modules = sorted(name for name in os.listdir(options.folder) if name.endswith(".hlo"))
    with open(os.path.join(options.folder, "batch.jsonl"), "w") as batch:
        for module in modules:
            for backend in options.backend:
                path = os.path.join(options.folder, module)
                batch.write(json.dumps({"module": path, "seed": 1, "backend": backend}) + "\n")
    print(f"{len(modules)} modules")


if __name__ == "__main__":
    main()
