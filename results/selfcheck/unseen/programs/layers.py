# SPDX-License-Identifier: Apache-2.0
"""Layers and their gradients in the sizes of small models: where sweeps run out of effort."""

import jax
import jax.numpy as jnp
from jax import lax

from programs.program import program

BLOCK = ("64x64*0.125",) * 4 + ("64x256*0.125", "256x64*0.0625")
PERCEPTRON = ("32x256", "256x128*0.0625", "128*0.1", "128x10*0.09", "10*0.1", "i32<10")
RECURRENT = ("24x8x16", "16x128*0.25", "32x128*0.18")
CONVOLUTIONS = ("4x16x16x3", "3x3x3x16*0.2", "3x3x16x32*0.08", "32x10*0.18")


def normed(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def block(x, wq, wk, wv, wo, w1, w2):
    rows, width = x.shape
    h = normed(x)
    heads = lambda w: (h @ w).reshape(rows, 4, width // 4)
    s = jnp.einsum("qhd,khd->hqk", heads(wq), heads(wk)) / 4
    p = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((rows, rows), bool)), s, -1e30))
    x = x + jnp.einsum("hqk,khd->qhd", p, heads(wv)).reshape(rows, width) @ wo
    return x + jax.nn.gelu(normed(x) @ w1) @ w2


@program("32x64", *BLOCK)
def transformer_block(x, *w):
    return block(x, *w)


@program("32x64", *BLOCK)
def transformer_block_gradient(x, *w):
    return jax.grad(lambda w: jnp.sum(block(x, *w) ** 2) / 1000)(w)


def perceptron_loss(x, w1, b1, w2, b2, y):
    logp = jax.nn.log_softmax(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
    return -jnp.mean(jnp.take_along_axis(logp, y[:, None], 1))


@program(*PERCEPTRON)
def perceptron_step(x, w1, b1, w2, b2, y):
    w = (w1, b1, w2, b2)
    g = jax.grad(lambda w: perceptron_loss(x, *w, y))(w)
    return [p - 0.1 * d for p, d in zip(w, g)]


@program(*PERCEPTRON)
def perceptron_first_adam_step(x, w1, b1, w2, b2, y):
    w = (w1, b1, w2, b2)
    g = jax.grad(lambda w: perceptron_loss(x, *w, y))(w)
    return [p - 1e-3 * d / (jnp.sqrt(d * d) + 1e-8) for p, d in zip(w, g)]


def lstm(x, w, u):
    def step(carry, xt):
        h, c = carry
        i, f, g, o = jnp.split(xt @ w + h @ u, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros((8, 32)), jnp.zeros((8, 32))), x)[1]


@program(*RECURRENT)
def lstm_of_24_steps(x, w, u):
    return lstm(x, w, u)


@program(*RECURRENT)
def lstm_of_24_steps_gradient(x, w, u):
    return jax.grad(lambda w, u: jnp.mean(lstm(x, w, u) ** 2), (0, 1))(w, u)


def convolutions(x, k1, k2, w):
    numbers = ("NHWC", "HWIO", "NHWC")
    x = jax.nn.relu(lax.conv_general_dilated(x, k1, (1, 1), "SAME", dimension_numbers=numbers))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = jax.nn.relu(lax.conv_general_dilated(x, k2, (2, 2), "SAME", dimension_numbers=numbers))
    return jax.nn.log_softmax(x.mean((1, 2)) @ w)


@program(*CONVOLUTIONS)
def small_convolutional_net(x, k1, k2, w):
    return convolutions(x, k1, k2, w)


@program(*CONVOLUTIONS)
def small_convolutional_net_gradient(x, k1, k2, w):
    return jax.grad(lambda p: jnp.mean(convolutions(x, *p)[:, 0]))((k1, k2, w))


@program("64x32", "32", "32")
def batch_norm_by_moments_gradient(x, g, b):
    def f(x):
        m = x.mean(0)
        v = (x * x).mean(0) - m * m
        return jnp.sum(jnp.sin(jax.nn.relu((x - m) * lax.rsqrt(v + 1e-3) * g + b)))

    return jax.grad(f)(x)


@program("8x32", "32x32*0.1")
def fixed_point_layer(x, w):
    return lax.fori_loop(0, 20, lambda _, h: jnp.tanh(h @ w + x), x)


@program("32x16", "32", "16")
def least_squares_descent(x, y, w):
    return lax.fori_loop(0, 10, lambda _, w: w - 0.05 * x.T @ (x @ w - y) / 32, w)


@program("128x8", "5x8")
def mixture_step(x, m):
    r = jax.nn.softmax(-0.5 * ((x[:, None] - m) ** 2).sum(-1))
    return (r.T @ x) / r.sum(0)[:, None]
