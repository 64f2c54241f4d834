# SPDX-License-Identifier: Apache-2.0
"""Optimisers and training steps, normalisation, losses."""

import jax
import jax.numpy as jnp
from jax import lax

from programs.program import program

# --- optimisers and training steps


@program("8x4", "8x4", "8x4", "p8x4")
def adamw(w, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 0.01 * ((m / 0.271) / (jnp.sqrt(v / 0.002997) + 1e-8) + 0.1 * w), m, v


@program("8x4", "8x4", "8x4")
def lion(w, g, m):
    return w - 1e-3 * (jnp.sign(0.9 * m + 0.1 * g) + 0.1 * w), 0.99 * m + 0.01 * g


@program("8x6", "8x6", "p8", "p6")
def adafactor(w, g, r, c):
    r = 0.9 * r + 0.1 * jnp.mean(g * g, axis=1)
    c = 0.9 * c + 0.1 * jnp.mean(g * g, axis=0)
    update = g / jnp.sqrt(r[:, None] * c[None, :] / jnp.mean(r))
    return w - 0.01 * update / jnp.maximum(1.0, jnp.sqrt(jnp.mean(update * update)))


@program("16x4", "16x4", "4x8", "p16x4")
def clip_by_global_norm(a, b, c, d):
    norm = jnp.sqrt(sum(jnp.sum(x * x) for x in (a, b, c, d)))
    return [x * jnp.minimum(1.0, 1.0 / (norm + 1e-6)) for x in (a, b, c, d)]


@program("6x6")
def muon_newton_schulz(g):
    x = g / (jnp.linalg.norm(g) + 1e-7)
    for _ in range(3):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x


@program("8x4:bf16", "4x6:bf16", "6:bf16", "i8<6")
def bf16_training_step(x, w, b, y):
    def loss(w, b):
        logits = (x @ w + b).astype(jnp.float32)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1))

    value, (dw, db) = jax.value_and_grad(loss, (0, 1))(w, b)
    return value, w - 0.1 * dw, b - 0.1 * db


@program("12x3", "12", "3")
def logistic_regression_newton(x, y, w):
    p = jax.nn.sigmoid(x @ w)
    g = x.T @ (p - (y > 0))
    h = (x * (p * (1 - p))[:, None]).T @ x + jnp.eye(3)
    return w - g / jnp.diagonal(h), h


@program("8x8", "8x8", "8x8")
def lora(x, w, r):
    return x @ w + 0.5 * (x @ r[:, :2]) @ r[:2, :]


# --- normalisation


@program("4x12", "12")
def rms_norm(x, g):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * g


@program("2x8x3x3", "8", "8")
def group_norm(x, g, b):
    y = x.reshape(2, 4, -1)
    y = (y - y.mean(-1, keepdims=True)) * lax.rsqrt(y.var(-1, keepdims=True) + 1e-5)
    return y.reshape(x.shape) * g[:, None, None] + b[:, None, None]


@program("2x3x5x5")
def instance_norm_gradient(x):
    def f(x):
        m = x.mean((2, 3), keepdims=True)
        v = ((x - m) ** 2).mean((2, 3), keepdims=True)
        return jnp.sum(jnp.tanh((x - m) / jnp.sqrt(v + 1e-3)))

    return jax.grad(f)(x)


@program("6x8", "6x8")
def weight_norm_gradient(v, x):
    return jax.grad(lambda v: jnp.sum(jnp.sin(x * v / jnp.linalg.norm(v, axis=1, keepdims=True))))(
        v
    )


@program("6x10")
def l2_normalize(x):
    return x / jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


@program("5x9")
def standardize(x):
    return jax.nn.standardize(x)


# --- losses


@program("7x5", "i3<4")
def ctc_forward(logits, labels):
    """log alpha over blank-extended labels."""
    logp = jax.nn.log_softmax(logits)
    ext = jnp.zeros(7, jnp.int32).at[1::2].set(labels + 1)
    skip = jnp.where(
        (jnp.arange(7) % 2 == 1) & (ext != jnp.roll(ext, 2)) & (jnp.arange(7) > 1), 0.0, -1e5
    )
    start = jnp.full(7, -1e5).at[0].set(logp[0, 0]).at[1].set(logp[0, ext[1]])

    def step(alpha, lp):
        one = jnp.concatenate([jnp.full(1, -1e5), alpha[:-1]])
        two = jnp.concatenate([jnp.full(2, -1e5), alpha[:-2]]) + skip
        return jnp.logaddexp(jnp.logaddexp(alpha, one), two) + lp[ext], None

    alpha, _ = lax.scan(step, start, logp[1:])
    return -jnp.logaddexp(alpha[-1], alpha[-2])


@program("8x5", "i8<5")
def focal_loss(logits, y):
    logp = jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1)
    return -((1 - jnp.exp(logp)) ** 2) * logp


@program("6x4", "6x4")
def info_nce(a, b):
    a = a / jnp.linalg.norm(a, axis=1, keepdims=True)
    b = b / jnp.linalg.norm(b, axis=1, keepdims=True)
    s = a @ b.T / 0.07
    return jnp.mean(jax.nn.logsumexp(s, 1) - jnp.diagonal(s)), jnp.mean(
        jax.nn.logsumexp(s, 0) - jnp.diagonal(s)
    )


@program("10", "10")
def huber_and_pinball(x, y):
    d = x - y
    return jnp.where(jnp.abs(d) < 1, 0.5 * d * d, jnp.abs(d) - 0.5), jnp.maximum(0.9 * d, -0.1 * d)


@program("12", "b12")
def bce_with_logits_gradient(x, y):
    t = y.astype(jnp.float32)
    loss = lambda x: jnp.mean(jnp.maximum(x, 0) - x * t + jnp.log1p(jnp.exp(-jnp.abs(x))))
    return jax.value_and_grad(loss)(x)


@program("6x5", "6x5")
def kl_and_js_divergence(a, b):
    p, q = jax.nn.softmax(a), jax.nn.softmax(b)
    m = (p + q) / 2
    kl = lambda p, q: jnp.sum(p * (jnp.log(p) - jnp.log(q)), -1)
    return kl(p, q), (kl(p, m) + kl(q, m)) / 2


@program("5x3", "6x3")
def sinkhorn(x, y):
    c = jnp.sum((x[:, None] - y[None]) ** 2, -1)
    k = jnp.exp(-c / 2)
    u, v = jnp.ones(5), jnp.ones(6)
    for _ in range(4):
        u = 1 / 5 / (k @ v)
        v = 1 / 6 / (k.T @ u)
    return u[:, None] * k * v


@program("4x3", "3x4", "i4<3")
def label_smoothing_gradient(x, w, y):
    def loss(w):
        logp = jax.nn.log_softmax(x @ w)
        target = 0.9 * jax.nn.one_hot(y, 4) + 0.1 / 4
        return -jnp.sum(target * logp)

    return jax.grad(loss)(w)


@program("6x3", "6x3", "6x3")
def triplet_loss_gradient(a, p, n):
    d = lambda x, y: jnp.sqrt(jnp.sum((x - y) ** 2, -1) + 1e-6)
    return jax.grad(lambda a: jnp.sum(jax.nn.relu(d(a, p) - d(a, n) + 0.5)))(a)
