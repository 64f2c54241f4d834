#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes inputs as a JAX user does: functions.py FOLDER writes three files for each function below.
NAME.mlir is the output of jax.jit(f).lower(*args).as_text(), NAME.hlo the same as HLO, and NAME.npz
the result of np.savez(file, *args).

Use each with hlocts diff NAME.mlir --inputs=NAME.npz --backend=xla
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

RANDOM = np.random.default_rng(30)


def f32(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def f16(*shape):
    return f32(*shape).astype(np.float16)


def bf16(*shape):
    return f32(*shape).astype(jnp.bfloat16)


def rnn(x, w, u):
    def step(h, row):
        h = jnp.tanh(row @ w + h @ u)
        return h, h
    return lax.scan(step, jnp.zeros(u.shape[0]), x)


def conv(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME",
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def attention(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1])
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores), v)


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale + bias


def newton(x):
    return lax.while_loop(lambda s: s[1] < 20, lambda s: (0.5 * (s[0] + x / s[0]), s[1] + 1),
                          (x, 0))[0]


def odd_floats():
    return np.array([3, np.nan, -0.0, 0.0, -np.inf, 1, np.nan, 2], np.float32)


def spd(n):
    a = f32(n, n)
    return a @ a.T + n * np.eye(n, dtype=np.float32)


FUNCTIONS = {
    "softmax_bf16": (jax.nn.softmax, bf16(8, 64)),
    "solve": (jnp.linalg.solve, spd(4), f32(4, 2)),
    "cholesky": (jnp.linalg.cholesky, spd(4)),
    "scan_rnn": (rnn, f32(5, 3), f32(3, 4), f32(4, 4)),
    "conv_f16": (conv, f16(1, 8, 8, 3), f16(3, 3, 3, 4)),
    "sort_nan": (lambda x: (jnp.sort(x), jnp.argsort(x)), odd_floats()),
    "fft": (jnp.fft.fft, f32(32)),
    "attention_bf16": (attention, bf16(2, 8, 4), bf16(2, 8, 4), bf16(2, 8, 4)),
    "layer_norm": (layer_norm, f32(4, 16), f32(16), f32(16)),
    "matmul_tanh": (lambda a, b: jnp.tanh(a @ b), f32(16, 8), f32(8, 16)),
    "top_k": (lambda x: lax.top_k(x, 3), f32(4, 10)),
    "erfinv": (lax.erf_inv, np.linspace(-0.99, 0.99, 16, dtype=np.float32)),
    "random_normal": (lambda: jax.random.normal(jax.random.key(0), (8,)),),
    "cumsum": (jnp.cumsum, f32(33)),
    "segment_sum": (lambda x, i: jax.ops.segment_sum(x, i, 4), f32(10), np.arange(10) % 5),
    "floor_divide": (lambda a, b: (a // b, a % b), np.arange(-8, 8), np.full(16, 3)),
    "to_integer": (lambda x: x.astype(jnp.int8), 
                   np.array([-300.5, -1.5, 0.4, 127.9, 1e9], np.float32)),
    "while_newton": (newton, np.float32(2)),
    "cond": (lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), np.bool_(True), f32(6)),
    "gradient": (jax.grad(lambda w, x: jnp.sum(jax.nn.relu(x @ w) ** 2)), f32(4, 3), f32(5, 4)),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, i), (2, 2)), f32(4, 4), np.int32(3)),
    "quantized": (lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32),
                  np.arange(12, dtype=np.int8).reshape(3, 4),
                  np.arange(8, dtype=np.int8).reshape(4, 2)),
}


def write(folder, name, function, *arguments, platform="cpu"):
    arguments = jax.tree_util.tree_map(lambda leaf: np.asarray(jnp.asarray(leaf)), arguments)
    lowered = jax.jit(function).trace(*arguments).lower(lowering_platforms=(platform,))
    (folder / f"{name}.mlir").write_text(lowered.as_text())
    hlo = lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True)
    (folder / f"{name}.hlo").write_text(hlo)
    np.savez(folder / f"{name}.npz", *jax.tree_util.tree_leaves(arguments))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, program in FUNCTIONS.items():
        write(folder, name, *program)


if __name__ == "__main__":
    main()
