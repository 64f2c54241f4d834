#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes each program as NAME.hlo, with NAME.npz (inputs) and NAME.json (first order).

  lower.py DIR [--only=NAME]        needs jax 0.10.2

The first order: of up to eight elements of each output the value in f64, and the sum over all
results on the way of |d element / d result| times what the default profile lets the result be
off."""

import argparse
import json
import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np

import first_order
import programs

SAMPLED = 8


def argument(kind, rng):
    """What a kind of programs.py stands for."""
    kind, _, scale = kind.partition("*")
    head, _, dtype = kind.partition(":")
    if re.fullmatch(r"[su](8|16|32|64)", head) and re.fullmatch(r"[\dx]+", dtype):  # "s8:4x4"
        info = np.iinfo(head.replace("s", "int").replace("u", "uint"))
        return rng.integers(info.min, info.max + 1, sizes(dtype)).astype(info.dtype)
    letter, shape = (head[0], head[1:]) if head[0] in "upzib" else ("", head)
    if letter == "i":
        shape, _, bound = shape.partition("<")
        return rng.integers(0, int(bound), sizes(shape)).astype(np.int32)
    if letter == "b":
        return rng.random(sizes(shape)) < 0.5
    x = rng.standard_normal(sizes(shape)) if letter in ("", "z") else rng.random(sizes(shape))
    if letter == "z":
        return (x + 1j * rng.standard_normal(sizes(shape))).astype(np.complex64)
    x = x + 0.5 if letter == "p" else x * float(scale or 1)
    return x.astype({"": np.float32, "f64": np.float64, "f16": np.float16}.get(dtype, jnp.bfloat16))


def sizes(text):
    return tuple(int(n) for n in text.split("x")) if text else ()


def stored(x):
    return x.view(np.uint16) if x.dtype == jnp.bfloat16 else x


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, (function, kinds) in programs.PROGRAMS.items():
        if options.only not in name or (options.folder / f"{name}.json").exists():
            continue
        rng = np.random.default_rng(42)
        arguments = [argument(kind, rng) for kind in kinds]
        with jax.enable_x64(any(a.dtype.itemsize == 8 and a.dtype.kind == "f" for a in arguments)):
            traced = jax.jit(function, keep_unused=True).trace(*arguments)
            text = traced.lower(lowering_platforms=("cpu",)).compiler_ir("hlo")
            jaxpr = traced.jaxpr
        stem = options.folder / name
        stem.with_suffix(".hlo").write_text(text.as_hlo_text(print_large_constants=True))
        np.savez(
            stem.with_suffix(".npz"), **{f"arg{k}": stored(a) for k, a in enumerate(arguments)}
        )
        try:
            bounds = first_order.bounds(jaxpr, arguments, SAMPLED)
        except Exception as error:  # an operation that it does not know
            bounds = {"unknown": str(error).split("\n", maxsplit=1)[0][:120]}
        stem.with_suffix(".json").write_text(json.dumps(bounds))
        print(name, "unknown: " + bounds["unknown"] if "unknown" in bounds else "", flush=True)


if __name__ == "__main__":
    main()
