# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, simulations and loops."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

from programs.program import program

# --- linear algebra


@program("6x6", "6")
def solve_well_conditioned(a, b):
    return jnp.linalg.solve(a @ a.T + 6 * jnp.eye(6), b)


@program("6x4")
def qr_least_squares(a):
    q, r = jnp.linalg.qr(a)
    return q.T @ jnp.ones(6)


@program("5x5")
def eigh_whitening(a):
    w, v = jnp.linalg.eigh(a @ a.T + jnp.eye(5))
    return (v / jnp.sqrt(w)) @ v.T


@program("5x5")
def log_determinant_by_cholesky(a):
    l = jnp.linalg.cholesky(a @ a.T + 5 * jnp.eye(5))
    return 2 * jnp.sum(jnp.log(jnp.diagonal(l)))


@program("8x2", "8", "3x2")
def gaussian_process_posterior(x, y, t):
    k = lambda a, b: jnp.exp(-0.5 * jnp.sum((a[:, None] - b[None]) ** 2, -1))
    l = jnp.linalg.cholesky(k(x, x) + 0.1 * jnp.eye(8))
    a = jax.scipy.linalg.cho_solve((l, True), y)
    v = jax.scipy.linalg.solve_triangular(l, k(x, t), lower=True)
    return k(t, x) @ a, 1 - jnp.sum(v * v, 0)


@program("8", "8", "8")
def thomas_tridiagonal(d, u, b):
    def forward(carry, t):
        c, y = carry
        d, u, b = t
        w = 4 + d * 0.1 - 0.3 * c
        return (u * 0.3 / w, (b - 0.3 * y) / w), (u * 0.3 / w, (b - 0.3 * y) / w)

    _, (c, y) = lax.scan(forward, (0.0, 0.0), (d, u, b))
    return lax.scan(lambda x, t: ((t[1] - t[0] * x,) * 2), 0.0, (c, y), reverse=True)[1]


@program("4x4")
def matrix_exponential_taylor(a):
    a = a / 8
    r = t = jnp.eye(4)
    for k in range(1, 8):
        t = t @ a / k
        r = r + t
    return lax.fori_loop(0, 3, lambda _, r: r @ r, r)


@program("6x6")
def power_iteration_rayleigh(a):
    a = (a + a.T) / 2
    v = jnp.ones(6) / jnp.sqrt(6.0)
    v = lax.fori_loop(0, 6, lambda _, v: (lambda w: w / jnp.linalg.norm(w))(a @ v), v)
    return v @ a @ v


@program("5x3")
def gram_schmidt(a):
    q = []
    for k in range(3):
        v = a[:, k]
        for u in q:
            v = v - (u @ v) * u
        q.append(v / jnp.linalg.norm(v))
    return jnp.stack(q, 1)


@program("6x6", "6")
def jacobi_iteration(a, b):
    a = a * 0.2 + 4 * jnp.eye(6)
    d = jnp.diagonal(a)
    return lax.fori_loop(0, 8, lambda _, x: (b - (a @ x - d * x)) / d, jnp.zeros(6))


# --- simulations and loops


@program("4x2", "4x2")
def verlet_springs(x, v):
    force = lambda x: jnp.roll(x, 1, 0) + jnp.roll(x, -1, 0) - 2 * x - 0.1 * x**3

    def step(s, _):
        x, v = s
        v = v + 0.05 * force(x)
        x = x + 0.1 * v
        v = v + 0.05 * force(x)
        return (x, v), jnp.sum(v * v)

    return lax.scan(step, (x, v), None, length=6)


@program("3")
def runge_kutta_van_der_pol(y):
    f = lambda y: jnp.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0], 0.1 * y[2]])

    def step(_, y):
        k1 = f(y)
        k2 = f(y + 0.05 * k1)
        k3 = f(y + 0.05 * k2)
        k4 = f(y + 0.1 * k3)
        return y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return lax.fori_loop(0, 8, step, y)


@program("16x2", "3x2")
def kmeans_step(x, c):
    d = jnp.sum((x[:, None] - c) ** 2, -1)
    one = jax.nn.one_hot(jnp.argmin(d, 1), 3)
    return one.T @ x / jnp.maximum(one.sum(0), 1)[:, None], jnp.min(d, 1)


@program("12")
def heat_equation(u):
    return lax.fori_loop(
        0, 12, lambda _, u: u + 0.2 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1)), u
    )


@program("10", "10")
def wave_equation(u, v):
    lap = lambda u: jnp.pad(u, 1)[2:] - 2 * u + jnp.pad(u, 1)[:-2]
    return lax.fori_loop(0, 8, lambda _, s: (s[0] + 0.5 * s[1], s[1] + 0.25 * lap(s[0])), (u, v))


@program("p8")
def newton_cube_root_while(a):
    def body(s):
        x, k = s
        return x - (x * x * x - a) / (3 * x * x), k + 1

    return lax.while_loop(lambda s: s[1] < 6, body, (a, 0))[0]


@program("p6")
def bisection(a):
    def step(_, s):
        lo, hi = s
        m = (lo + hi) / 2
        up = m * m < a
        return jnp.where(up, m, lo), jnp.where(up, hi, m)

    return lax.fori_loop(0, 10, step, (jnp.zeros(6), jnp.full(6, 2.0)))


@program("p8", "p8", "p8")
def black_scholes(s, k, t):
    d1 = (jnp.log(s / k) + 0.52 * t) / (0.2 * jnp.sqrt(t))
    cdf = lambda x: 0.5 * (1 + special.erf(x / jnp.sqrt(2.0)))
    return s * cdf(d1) - k * jnp.exp(-0.5 * t) * cdf(d1 - 0.2 * jnp.sqrt(t))


@program("6x3", "6")
def gradient_through_scan(x, h):
    def f(w):
        def step(h, x):
            h = jnp.tanh(h * w + x)
            return h, jnp.sum(h)

        return jnp.sum(lax.scan(step, h[:3], x)[1] ** 2)

    return jax.value_and_grad(f)(h[3:])
