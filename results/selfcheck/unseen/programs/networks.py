# SPDX-License-Identifier: Apache-2.0
"""Attention, recurrences."""

import jax
import jax.numpy as jnp
from jax import lax

from programs.program import program

# --- attention


@program("2x6x4", "2x6x4", "2x6x4")
def causal_attention(q, k, v):
    s = jnp.einsum("hqd,hkd->hqk", q, k) / 2.0
    s = jnp.where(jnp.tril(jnp.ones((6, 6), bool)), s, -1e30)
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(s), v)


@program("4x6x4", "2x6x4", "2x6x4")
def grouped_query_attention(q, k, v):
    k, v = jnp.repeat(k, 2, 0), jnp.repeat(v, 2, 0)
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(jnp.einsum("hqd,hkd->hqk", q, k) * 0.5), v)


@program("6x4", "6x4", "6x4", "b6")
def padded_attention_infinite_mask(q, k, v, mask):
    s = jnp.where(mask.at[0].set(True)[None, :], q @ k.T, -jnp.inf)
    return jax.nn.softmax(s) @ v


@program("2x6x4", "2x6x4", "2x6x4")
def alibi_attention(q, k, v):
    i = jnp.arange(6)
    s = jnp.einsum("hqd,hkd->hqk", q, k) - jnp.array([0.5, 0.25])[:, None, None] * jnp.abs(
        i[:, None] - i
    )
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(s), v)


@program("8x4", "8x4", "8x4")
def flash_attention_blocks(q, k, v):
    """Softmax block by block, with the running maximum and sum."""

    def step(carry, block):
        m, l, acc = carry
        kb, vb = block
        s = q @ kb.T
        new = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - new[:, None])
        scale = jnp.exp(m - new)
        return (new, l * scale + p.sum(-1), acc * scale[:, None] + p @ vb), None

    start = (jnp.full(8, -1e30), jnp.zeros(8), jnp.zeros((8, 4)))
    (_, l, acc), _ = lax.scan(step, start, (k.reshape(4, 2, 4), v.reshape(4, 2, 4)))
    return acc / l[:, None]


@program("6x4", "6x4", "6x4")
def attention_gradient(q, k, v):
    return jax.grad(lambda q, k, v: jnp.sum(jnp.sin(jax.nn.softmax(q @ k.T / 2) @ v)), (0, 1, 2))(
        q, k, v
    )


@program("8x4", "8x4", "8x4")
def linear_attention_causal(q, k, v):
    q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1

    def step(carry, x):
        s, z = carry
        q, k, v = x
        s, z = s + jnp.outer(k, v), z + k
        return (s, z), (q @ s) / (q @ z)

    return lax.scan(step, (jnp.zeros((4, 4)), jnp.zeros(4)), (q, k, v))[1]


@program("6x8")
def rotary_embedding(x):
    angle = jnp.arange(6.0)[:, None] / 10000 ** (jnp.arange(0, 8, 2) / 8)
    a, b = x[:, ::2], x[:, 1::2]
    c, s = jnp.cos(angle), jnp.sin(angle)
    return jnp.stack([a * c - b * s, a * s + b * c], -1).reshape(6, 8)


@program("6x8:bf16", "8x8:bf16", "8x8:bf16")
def swiglu_bf16(x, w, u):
    return jax.nn.silu(x @ w) * (x @ u)


@program("8x4", "4x6", "6x4x4")
def mixture_of_experts(x, gate, experts):
    p = jax.nn.softmax(x @ gate)
    value, index = lax.top_k(p, 2)
    value = value / value.sum(-1, keepdims=True)
    return jnp.einsum("nk,nkd->nd", value, jnp.einsum("nd,nkde->nke", x, experts[index]))


# --- recurrences


@program("6x4", "4x12", "4x12", "12")
def gru(x, w, u, b):
    def step(h, x):
        a, c = x @ w + b, h @ u
        r, z = jax.nn.sigmoid(a[:4] + c[:4]), jax.nn.sigmoid(a[4:8] + c[4:8])
        h = (1 - z) * jnp.tanh(a[8:] + r * c[8:]) + z * h
        return h, h

    return lax.scan(step, jnp.zeros(4), x)[1]


@program("8x3", "p3x4", "8x4", "8x4")
def selective_state_space(x, a, b, c):
    def step(h, t):
        x, b, c = t
        d = jax.nn.softplus(x)
        h = jnp.exp(-d[:, None] * a) * h + (d * x)[:, None] * b
        return h, h @ c

    return lax.scan(step, jnp.zeros((3, 4)), (x, b, c))[1]


@program("u16", "16")
def linear_recurrence_by_associative_scan(a, b):
    return lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, b))


@program("10", "p10")
def exponential_moving_average(x, w):
    return lax.scan(lambda m, t: ((0.9 * m + 0.1 * t[0] * t[1],) * 2), 0.0, (x, w))[1]


@program("6x4", "4x4")
def kalman_filter(z, a):
    def step(carry, z):
        x, p = carry
        x, p = 0.3 * a @ x, 0.09 * a @ p @ a.T + jnp.eye(4)
        k = p[:, 0] / (p[0, 0] + 1.0)
        return (x + k * (z[0] - x[0]), p - jnp.outer(k, p[0])), x

    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), z)[1]
