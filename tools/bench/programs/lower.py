#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lowers the programs of this directory with JAX: lower.py OUTPUT_FOLDER (jax 0.10.2).

Each function below becomes one module, which is lowered for CPU and written before XLA's passes.
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

F32, F64, BF16, S32, S8, U32 = (jnp.float32, jnp.float64, jnp.bfloat16, jnp.int32, jnp.int8,
                                jnp.uint32)
PROGRAMS = {}


def program(*shapes, dtype=F32):
    """Registers a function. A shape is a tuple of dimensions, or (dimensions, dtype)."""
    def typed(shape):
        has_type = isinstance(shape[0], tuple)
        return jax.ShapeDtypeStruct(*(shape if has_type else (shape, dtype)))

    def register(function):
        PROGRAMS[function.__name__] = (function, [typed(shape) for shape in shapes])
        return function
    return register


LSTM = ((32, 64, 128), (128, 512), (128, 512), (512,))


@program(*LSTM)
def lstm(x, wx, wh, b):
    def step(carry, xt):
        h, c = carry
        i, f, o, u = jnp.split(xt @ wx + h @ wh + b, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(u)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    zero = jnp.zeros((32, 128))
    return lax.scan(step, (zero, zero), jnp.swapaxes(x, 0, 1))[1]


@program(*LSTM)
def lstm_grad(x, wx, wh, b):
    return jax.grad(lambda w: lstm(x, w, wh, b).sum())(wx)


def conv(x, w, stride=1, padding="SAME", **kwargs):
    return lax.conv_general_dilated(x, w, (stride, stride), padding,
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"), **kwargs)


RESBLOCK = ((4, 32, 32, 64), (3, 3, 64, 64), (3, 3, 64, 64), (64,), (64,))


@program(*RESBLOCK)
def resblock(x, w1, w2, g, b):
    def norm(y):
        mean = y.mean((0, 1, 2))
        variance = ((y - mean)**2).mean((0, 1, 2))
        return (y - mean) * lax.rsqrt(variance + 1e-5) * g + b
    return jax.nn.relu(x + norm(conv(jax.nn.relu(norm(conv(x, w1))), w2)))


@program(*RESBLOCK)
def resblock_grad(x, w1, w2, g, b):
    return jax.grad(lambda w, v: resblock(x, w, v, g, b).sum(), (0, 1))(w1, w2)


@program((2, 56, 56, 64), (7, 7, 64, 32))
def conv7x7_stride2(x, w):
    return conv(x, w, 2)


@program((8, 28, 28, 128), (1, 1, 128, 256), (256,))
def conv1x1_gelu(x, w, b):
    return jax.nn.gelu(conv(x, w) + b)


@program((16, 3, 64, 64), (32, 3, 5, 5))
def conv_channels_first(x, w):
    return jax.nn.relu(lax.conv_general_dilated(x, w, (2, 2), "SAME"))


@program((2, 16, 16, 16, 16), (3, 3, 3, 16, 32))
def conv3d(x, w):
    return lax.conv_general_dilated(x, w, (1, 1, 1), "SAME",
                                    dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))


@program((4, 16, 16, 64), (4, 4, 64, 32))
def conv_transposed(x, w):
    return lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


MOBILENET = ((4, 64, 64, 32), (3, 3, 1, 32), (1, 1, 32, 64))


@program(*MOBILENET)
def mobilenet(x, d, w):
    return jax.nn.relu6(conv(jax.nn.relu6(conv(x, d, feature_group_count=32)), w))


@program(*MOBILENET)
def mobilenet_grad(x, d, w):
    return jax.grad(lambda d, w: mobilenet(x, d, w).sum(), (0, 1))(d, w)


@program((8, 56, 56, 32))
def pools(x):
    return (lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
            lax.reduce_window(x, 0., lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"))


@program((8, 56, 56, 32))
def maxpool_grad(x):
    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.grad(lambda x: (pool(x)**2).sum())(x)


def block(x, wq, wk, wv, wo, w1, w2, heads=8):
    b, t, d = x.shape

    def norm(y):
        return (y - y.mean(-1, keepdims=True)) * lax.rsqrt(y.var(-1, keepdims=True) + 1e-5)

    def split(y):
        return y.reshape(b, t, heads, d // heads)
    h = norm(x)
    q, k, v = split(h @ wq), split(h @ wk), split(h @ wv)
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(d // heads)
    scores = jnp.where(jnp.tril(jnp.ones((t, t), bool)), scores, -1e9)
    weights = jax.nn.softmax(scores.astype(F32), -1).astype(x.dtype)
    x = x + jnp.einsum("bhts,bshd->bthd", weights, v).reshape(b, t, d) @ wo
    return x + jax.nn.gelu(norm(x) @ w1) @ w2


BLOCK = ((4, 128, 256),) + ((256, 256),) * 4 + ((256, 1024), (1024, 256))


def block_grad(*args):
    return jax.grad(lambda *a: (block(*a).astype(F32)**2).mean(), (1, 2, 3, 4, 5, 6))(*args)


@program(*BLOCK)
def transformer(*args):
    return block(*args)


@program(*BLOCK)
def transformer_grad(*args):
    return block_grad(*args)


@program(*BLOCK, dtype=BF16)
def transformer_bf16(*args):
    return block(*args)


@program(*BLOCK, dtype=BF16)
def transformer_bf16_grad(*args):
    return block_grad(*args)


@program((1, 2048, 8, 64), (1, 1, 8, 64))
def attention_decode(kv, q):
    scores = jnp.einsum("bthd,bqhd->bhqt", kv, q) / 8
    return jnp.einsum("bhqt,bthd->bqhd", jax.nn.softmax(scores, -1), kv)


@program((8, 512, 64), (8, 64, 64))
def linear_attention(x, state):
    def step(s, xt):
        s = .95 * s + jnp.einsum("bi,bj->bij", xt, xt)
        return s, jnp.einsum("bij,bj->bi", s, xt)
    return lax.scan(step, state, jnp.swapaxes(x, 0, 1))[1]


@program(((8, 128), S32), ((8192, 256), F32))
def embedding(ids, table):
    return jnp.take(table, ids, axis=0).mean(1)


@program(((8, 128), S32), ((8192, 256), F32))
def embedding_grad(ids, table):
    return jax.grad(lambda t: (jnp.take(t, ids, axis=0)**2).sum())(table)


@program(((1024,), S32), ((1024, 1000), F32))
def cross_entropy(labels, logits):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


@program(((1024,), S32), ((1024, 1000), F32))
def cross_entropy_grad(labels, logits):
    return jax.grad(lambda l: cross_entropy(labels, l))(logits)


@program((64, 784), (784, 512), (512,), (512, 10), (10,), ((64,), S32))
def optimizer_step(x, w1, b1, w2, b2, y):
    def loss(p):
        h = jax.nn.relu(x @ p[0] + p[1])
        return -jnp.take_along_axis(jax.nn.log_softmax(h @ p[2] + p[3]), y[:, None], 1).mean()
    params = (w1, b1, w2, b2)
    grads = jax.grad(loss)(params)
    return [p - 1e-3 * (.1 * g) / (jnp.sqrt(.001 * g * g) + 1e-8) for p, g in zip(params, grads)]


@program(((256, 1024), S8), ((1024, 512), S8), ((512,), F32))
def quantized(x, w, scale):
    return lax.dot(x, w, preferred_element_type=S32).astype(F32) * scale


@program(((2,), U32))
def random_numbers(key):
    key = jax.random.wrap_key_data(key)
    return jax.random.normal(key, (512, 1024)), jax.random.bernoulli(key, .1, (512, 1024))


@program((1 << 18,))
def statistics(x):
    return (jnp.sort(x)[::1024], jnp.median(x), jnp.argmax(x), jnp.cumsum(x), jnp.std(x))


@program(((65536,), S32), ((65536,), F32))
def segment_sums(ids, x):
    return jax.ops.segment_sum(x, ids % 1000, 1000), jnp.bincount(ids % 100, length=100)


@program((4096, 64), (256, 64))
def nearest_neighbours(x, q):
    d = (q**2).sum(1)[:, None] - 2 * q @ x.T + (x**2).sum(1)[None]
    return lax.top_k(-d, 8)


@program((4096, 64), (16, 64))
def kmeans(x, centres):
    def step(_, c):
        nearest = jnp.argmin(((x[:, None] - c[None])**2).sum(-1), 1)
        one_hot = jax.nn.one_hot(nearest, 16)
        return (one_hot.T @ x) / (one_hot.sum(0)[:, None] + 1e-6)
    return lax.fori_loop(0, 5, step, centres)


@program((512, 3))
def nbody(x):
    d = x[:, None] - x[None]
    return (d * ((d**2).sum(-1) + 1e-3)[..., None]**-1.5).sum(1)


@program((256, 256), (256,))
def conjugate_gradients(a, b):
    a = a @ a.T + 256 * jnp.eye(256)

    def step(_, s):
        x, r, p, rr = s
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        return x, r, r + r @ r / rr * p, r @ r
    return lax.fori_loop(0, 50, step, (jnp.zeros(256), b, b, b @ b))[0]


@program((1024, 1024))
def jacobi(u):
    def step(_, u):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        return u.at[1:-1, 1:-1].set(.25 * around)
    return lax.fori_loop(0, 20, step, u)


@program((256, 256, 4))
def game_of_life(u):
    def step(_, u):
        shifts = [(a, c) for a in (-1, 0, 1) for c in (-1, 0, 1) if (a, c) != (0, 0)]
        n = sum(jnp.roll(u, shift, (0, 1)) for shift in shifts)
        return jnp.where((n > 2.5) & (n < 3.5), 1., jnp.where((n > 1.5) & (n < 2.5), u, 0.))
    return lax.fori_loop(0, 10, step, u)


@program((2, 128))
def mandelbrot(x):
    c = lax.complex(jnp.tile(x[:1], (256, 4)), jnp.tile(x[1:], (256, 4)))

    def step(_, s):
        z, n = s
        z = jnp.where(abs(z) < 2, z * z + c, z)
        return z, n + (abs(z) < 2)
    return lax.fori_loop(0, 20, step, (c * 0, jnp.zeros(c.shape, S32)))[1]


@program((256, 256))
def fft2(x):
    return jnp.abs(jnp.fft.ifft2(jnp.fft.fft2(x) * 2))


@program((512, 512), dtype=F64)
def double_precision(a):
    return jnp.tanh(a @ a) * jnp.exp(-a * a)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (function, shapes) in PROGRAMS.items():
        jax.config.update("jax_enable_x64", any(s.dtype == F64 for s in shapes))
        text = jax.jit(function).lower(*shapes).as_text("hlo")
        (folder / f"{name}.hlo").write_text(text)


if __name__ == "__main__":
    main()
