# SPDX-License-Identifier: Apache-2.0
"""Elementary functions in chains."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

from programs.program import program

# --- elementary functions in chains


@program("12")
def softplus_gelu_mish(x):
    return (
        jax.nn.softplus(x),
        jax.nn.gelu(x),
        jax.nn.gelu(x, approximate=False),
        x * jnp.tanh(jax.nn.softplus(x)),
        jax.nn.selu(x),
    )


@program("12", "12")
def log_sum_exp_chain(x, y):
    return jnp.logaddexp(x, y), jnp.log1p(jnp.exp(-jnp.abs(x - y))), jnp.logaddexp2(x, y)


@program("p10", "p10")
def gamma_functions(a, b):
    return special.gammaln(a), special.digamma(a), special.betaln(a, b)


@program("10", "p10")
def error_functions(x, y):
    return (
        special.erf(x),
        special.erfc(x),
        special.erfinv(x / 4),
        special.log_ndtr(x),
        special.ndtr(x),
    )


@program("12")
def cumulative(x):
    return jnp.cumsum(x), jnp.cumprod(1 + 0.1 * x), lax.cummax(x), lax.cumlogsumexp(x)


@program("z8", "z8")
def complex_arithmetic(a, b):
    return a * b, a / b, jnp.abs(a) * jnp.exp(1j * jnp.angle(b)), jnp.conj(a) @ b


@program("z6")
def complex_functions(z):
    return jnp.exp(z), jnp.log(z), jnp.sqrt(z), jnp.tanh(z), jnp.sin(z)


@program("p6", "6")
def quaternion_rotation(a, b):
    q = jnp.stack([a[:1], a[1:2], a[2:3], a[3:4]], -1)[0]
    q = q / jnp.sqrt(jnp.sum(q * q))
    w, x, y, z = q
    r = jnp.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return r @ b.reshape(3, 2)


@program("10", "10")
def haversine(a, b):
    h = jnp.sin((a - b) / 2) ** 2 + jnp.cos(a) * jnp.cos(b) * jnp.sin(a + b) ** 2 * 0.25
    return 2 * jnp.arcsin(jnp.sqrt(jnp.clip(h, 0, 1)))


@program("5", "5")
def spherical_harmonics(t, p):
    c, s = jnp.cos(t), jnp.sin(t)
    return jnp.stack(
        [0.5 * (3 * c * c - 1), s * c * jnp.cos(p), s * s * jnp.cos(2 * p), s * s * jnp.sin(2 * p)]
    )


@program("u32", "16")
def positional_encoding(x, w):
    f = 2.0 ** jnp.arange(4)
    a = x[:, None] * f * jnp.pi
    return jnp.concatenate([jnp.sin(a), jnp.cos(a)], -1)


@program("64", "i64<1000")
def stochastic_rounding(x, r):
    bits = lax.bitcast_convert_type(x, jnp.uint32) + (r.astype(jnp.uint32) * 65)
    return lax.bitcast_convert_type((bits >> 16).astype(jnp.uint16), jnp.bfloat16)


@program("i16<100000", "i16<100000")
def integer_hashing(a, b):
    x = a.astype(jnp.uint32) * jnp.uint32(0x9E3779B1)
    x = (x ^ (x >> 15)) * jnp.uint32(0x85EBCA77)
    x = x ^ (b.astype(jnp.uint32) << 7) ^ (x >> 13)
    return x, lax.population_count(x), lax.clz(x), (x % 97).astype(jnp.int32) // 5


@program("p16")
def fast_inverse_square_root(x):
    i = 0x5F3759DF - (lax.bitcast_convert_type(x, jnp.int32) >> 1)
    y = lax.bitcast_convert_type(i, jnp.float32)
    return y * (1.5 - 0.5 * x * y * y)


@program("16")
def one_hot_straight_through(x):
    p = jax.nn.softmax(x)
    hard = jax.nn.one_hot(jnp.argmax(p), 16)
    return hard + p - lax.stop_gradient(p)


@program("6x5")
def welford_variance(x):
    def step(s, t):
        n, m, v = s
        d = t - m
        m = m + d / (n + 1)
        return (n + 1, m, v + d * (t - m)), None

    (n, m, v), _ = lax.scan(step, (0.0, jnp.zeros(5), jnp.zeros(5)), x)
    return m, v / (n - 1)


@program("12", "12")
def correlation_and_skew(x, y):
    a, b = x - x.mean(), y - y.mean()
    return (a * b).mean() / jnp.sqrt((a * a).mean() * (b * b).mean()), (a**3).mean() / (
        a * a
    ).mean() ** 1.5


@program("12:f64", "12:f64")
def double_precision_two_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@program("8x6:f16", "6x4:f16")
def half_precision_layer(x, w):
    y = x @ w
    return jax.nn.relu(y - y.mean(-1, keepdims=True))


@program("8")
def polynomial_fit_and_eval(x):
    return jnp.polyval(jnp.array([0.1, -0.5, 1.0, 0.3, -2.0]), x), jnp.vander(x, 4) @ jnp.arange(
        4.0
    )


@program("6x4", "i6<4")
def policy_gradient(logits, actions):
    def f(l):
        logp = jax.nn.log_softmax(l)
        a = jnp.take_along_axis(logp, actions[:, None], 1)[:, 0]
        ratio = jnp.exp(a - lax.stop_gradient(a) + 0.1)
        return -jnp.mean(
            jnp.minimum(ratio * 0.7, jnp.clip(ratio, 0.8, 1.2) * 0.7)
        ) + 0.01 * jnp.sum(jnp.exp(logp) * logp)

    return jax.grad(f)(logits)


@program("8", "8", "b8")
def generalised_advantage(r, v, done):
    nonterminal = 1.0 - done
    nv = jnp.append(v[1:], 0.0)
    delta = r + 0.99 * nv * nonterminal - v
    return lax.scan(
        lambda a, t: ((t[0] + 0.95 * 0.99 * t[1] * a,) * 2), 0.0, (delta, nonterminal), reverse=True
    )[1]


@program("4x6", "4x6")
def vae_reparametrised(mu, logvar):
    z = mu + jnp.exp(0.5 * logvar) * 0.3
    return z, -0.5 * jnp.sum(1 + logvar - mu**2 - jnp.exp(logvar), -1)


@program("6x3", "p6", "3x4")
def radiance_ray_march(rgb, sigma, w):
    alpha = 1 - jnp.exp(-sigma * 0.25)
    trans = jnp.cumprod(jnp.append(1.0, 1 - alpha[:-1] + 1e-10))
    return jnp.sum((alpha * trans)[:, None] * jax.nn.sigmoid(rgb @ w), 0)


@program("5x4", "4x4")
def hessian_of_small_network(x, w):
    f = lambda v: jnp.sum(jnp.tanh(x @ (w[:, :1] * v[:, None])))
    return jax.hessian(f)(jnp.ones(4))
