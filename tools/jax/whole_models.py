# SPDX-License-Identifier: Apache-2.0
"""Whole models of growing size, which tools/measure/program_table.py --jax=whole_models judges."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from sharded_programs import convolutional_loss, perceptron, sgd


def arrays(*shapes, scale=0.5):
    random = np.random.default_rng(1)
    return [random.normal(0, scale / shape[0]**0.5, shape).astype(np.float32) for shape in shapes]


def attention(q, k, v):
    mask = jnp.tril(jnp.ones((q.shape[0],) * 2, bool))
    return jax.nn.softmax(jnp.where(mask, q @ k.T / q.shape[1]**0.5, -1e9), -1) @ v


def block(x, wq, wk, wv, wo, w1, w2):
    y = jax.nn.standardize(x, epsilon=1e-5)
    x = x + attention(y @ wq, y @ wk, y @ wv) @ wo
    return x + jax.nn.gelu(jax.nn.standardize(x, epsilon=1e-5) @ w1) @ w2


def transformer(d, layers=1):
    def run(x, *w):
        for k in range(0, 6 * layers, 6):
            x = block(x, *w[k:k + 6])
        return x
    return run, *arrays((16, d), *([(d, d)] * 4 + [(d, 4 * d), (4 * d, d)]) * layers)


def gradient(run, *given):
    return (lambda x, *w: jax.grad(lambda w: (run(x, *w)**2).mean())(w), *given)


def lstm(steps):
    def run(x, wx, wh):
        def step(carry, xt):
            i, f, o, u = jnp.split(xt @ wx + carry[0] @ wh, 4, -1)
            c = jax.nn.sigmoid(f) * carry[1] + jax.nn.sigmoid(i) * jnp.tanh(u)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
        return lax.scan(step, (jnp.zeros((4, 16)),) * 2, x)[0][0]
    return run, *arrays((steps, 4, 16), scale=steps**0.5), *arrays((16, 64), (16, 64), scale=1)


def gru(steps):
    def run(x, w0, w1, w2, w3):
        def step(h, xt):
            z, r = jnp.split(jax.nn.sigmoid(xt @ w0 + h @ w1), 2, -1)
            return (1 - z) * h + z * jnp.tanh(xt @ w2 + (r * h) @ w3), None
        return lax.scan(step, jnp.zeros((4, 16)), x)[0]
    shapes = (16, 32), (16, 32), (16, 16), (16, 16)
    return run, *arrays((steps, 4, 16), scale=steps**0.5), *arrays(*shapes)


def adam(steps):
    def run(x, y, w):
        def step(k, state):
            w, m, v = state
            g = jax.grad(lambda w: ((jnp.tanh(x @ w) - y)**2).mean())(w)
            m, v, t = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g, k.astype(jnp.float32) + 1
            return (w - 0.01 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v)
        return lax.fori_loop(0, steps, step, (w, jnp.zeros_like(w), jnp.zeros_like(w)))[0]
    return run, *arrays((16, 8), (16, 4), (8, 4), scale=4)


def conjugate_gradients(steps):
    def run(a, b):
        a, x, r, p = a @ a.T + jnp.eye(a.shape[0]), jnp.zeros_like(b), b, b
        for _ in range(steps):
            q = a @ p
            alpha = (r @ r) / (p @ q)
            x, s = x + alpha * p, r - alpha * q
            p, r = s + (s @ s) / (r @ r) * p, s
        return x
    return run, *arrays((48, 48), (48,), scale=4)


def lorenz(steps):
    def step(_, y):
        def f(y):
            return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1],
                              y[0] * y[1] - 8 / 3 * y[2]])
        k1 = f(y)
        k2 = f(y + 0.005 * k1)
        k3 = f(y + 0.005 * k2)
        return y + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + 0.01 * k3))
    return lambda y: lax.fori_loop(0, steps, step, y), np.array([1, 2, 20], np.float32)


def ddim(steps):
    def run(x, w1, w2):
        def step(k, x):
            a, b = 0.1 + 0.89 / steps * (k + jnp.arange(2))
            noise = jnp.tanh(x @ w1) @ w2
            return jnp.sqrt(b / a) * (x - jnp.sqrt(1 - a) * noise) + jnp.sqrt(1 - b) * noise
        return lax.fori_loop(0, steps, step, x)
    return run, *arrays((4, 16), (16, 32), (32, 16))


def mixture(rounds):
    def run(x, means):
        def step(_, state):
            r = jax.nn.softmax(state[1] - ((x[:, None] - state[0])**2).sum(-1) / 2, -1)
            return (r.T @ x) / r.sum(0)[:, None], jnp.log(r.mean(0))
        return lax.fori_loop(0, rounds, step, (means, jnp.zeros(means.shape[0])))[0]
    return run, *arrays((64, 2), (3, 2), scale=4)


def conv_net(size, of=lambda loss: loss):
    params = arrays((3, 3, 3, 4), ((size // 2)**2, 10), scale=1)
    return of(convolutional_loss), params, *arrays((4, size, size, 3), scale=2), np.arange(4)


def selective_scan(steps):
    def run(x, a, b, c):
        def step(h, row):
            h = jnp.exp(-jax.nn.softplus(row)[:, None] * a) * h + row[:, None] * b
            return h, h @ c
        return lax.scan(step, jnp.zeros((8, 4)), x)[1]
    return run, *arrays((steps, 8), scale=steps**0.5), *arrays((8, 4), (4,), (4,), scale=1)


# The first size in a row is the largest one that an earlier measurement could judge, if any.
ROWS = {
    "adam_steps": (adam, 40, 80, 160),
    "attention_tokens": (lambda n: (attention, *arrays(*[(n, 16)] * 3, scale=n**0.5)), 128, 256),
    "cg_steps": (conjugate_gradients, 8, 16, 32),
    "conv_net": (conv_net, 32, 64),
    "conv_net_grad": (lambda n: conv_net(n, jax.grad), 16, 32),
    "ddim_steps": (ddim, 40, 80, 160),
    "gru_grad_steps": (lambda n: gradient(*gru(n)), 32, 64, 128),
    "heat_steps": (lambda n: (lambda u: lax.fori_loop(0, n, lambda _, u: u + 0.2 * sum(
        jnp.roll(u, s, a) for s in (1, -1) for a in (0, 1)) - 0.8 * u, u), *arrays((12, 12))),
                   10, 20, 500),
    "layers_of_d16": (lambda n: transformer(16, n), 5, 10, 20),
    "lorenz_steps": (lorenz, 60, 120, 1000),
    "lstm_steps": (lstm, 64, 128, 256),
    "mixture_rounds": (mixture, 12, 24, 48),
    "mlp_step_width": (lambda n: (sgd(perceptron), arrays((64, n), (n, 8)),
                                  *arrays((16, 64), (16, 8), scale=4)), 256, 512),
    "selective_scan": (selective_scan, 1024, 2048),
    "training_step_d": (lambda d: gradient(*transformer(d)), 64, 128, 256),
    "transformer_d": (transformer, 96, 192, 384),
}
PROGRAMS = {f"{row}_{size:04}": make(size)
            for row, (make, *sizes) in ROWS.items() for size in sizes}
