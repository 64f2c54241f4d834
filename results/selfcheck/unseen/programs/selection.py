# SPDX-License-Identifier: Apache-2.0
"""Selection and order, segments, gathers, graphs."""

import jax
import jax.numpy as jnp
from jax import lax

from programs.program import program

# --- selection and order


@program("2x5", "5x5")
def beam_search(start, transition):
    def step(score, _):
        total = (score[:, None] + jax.nn.log_softmax(transition)[:2]).reshape(-1)
        value, index = lax.top_k(total, 2)
        return value, (value, index % 5)

    return lax.scan(step, start[0, :2], None, length=3)


@program("5x4", "4x4")
def viterbi(emission, transition):
    def step(score, e):
        total = score[:, None] + transition
        return total.max(0) + e, total.argmax(0)

    return lax.scan(step, emission[0], emission[1:])


@program("9x5")
def median_and_percentiles(x):
    return jnp.median(x, 0), jnp.percentile(x, jnp.array([10.0, 50, 90]), axis=0)


@program("20")
def nucleus_sampling_mask(x):
    p = jnp.sort(jax.nn.softmax(x))[::-1]
    return jnp.where(jnp.cumsum(p) - p < 0.9, p, 0.0)


@program("24", "24")
def roc_auc_by_ranks(score, y):
    order = jnp.argsort(score)
    ranks = jnp.zeros(24).at[order].set(jnp.arange(1.0, 25))
    pos = y > 0
    n = pos.sum()
    return (jnp.sum(jnp.where(pos, ranks, 0)) - n * (n + 1) / 2) / (n * (24 - n))


@program("16", "16")
def spearman(x, y):
    r = lambda v: jnp.argsort(jnp.argsort(v)).astype(jnp.float32)
    a, b = r(x) - 7.5, r(y) - 7.5
    return jnp.sum(a * b) / jnp.sqrt(jnp.sum(a * a) * jnp.sum(b * b))


@program("12", "16")
def search_sorted_and_interp(x, q):
    xs = jnp.sort(x)
    return jnp.searchsorted(xs, q), jnp.interp(q, xs, jnp.cos(xs))


@program("16x2")
def farthest_point_sampling(x):
    def step(carry, _):
        d, last = carry
        d = jnp.minimum(d, jnp.sum((x - x[last]) ** 2, -1))
        return (d, jnp.argmax(d)), jnp.argmax(d)

    return lax.scan(step, (jnp.full(16, 1e10), 0), None, length=5)[1]


@program("i24<6", "24")
def unique_counts_and_means(k, x):
    keys = jnp.sort(k)
    count = jax.ops.segment_sum(jnp.ones(24), k, 6)
    return keys, count, jax.ops.segment_sum(x, k, 6) / jnp.maximum(count, 1)


# --- segments, gathers, graphs


@program("20x3", "i20<5")
def segment_softmax(x, s):
    m = jax.ops.segment_max(x, s, 5)
    e = jnp.exp(x - m[s])
    return e / jax.ops.segment_sum(e, s, 5)[s]


@program("6x4", "i12<6", "i12<6", "4x4")
def graph_convolution(x, source, target, w):
    deg = jax.ops.segment_sum(jnp.ones(12), target, 6) + 1
    norm = lax.rsqrt(deg)
    h = (x @ w) * norm[:, None]
    return jax.nn.relu((jax.ops.segment_sum(h[source], target, 6) + h) * norm[:, None])


@program("10x4", "i6<10", "6x4")
def embedding_bag_gradient(table, ids, dy):
    return jax.grad(lambda t: jnp.sum(dy * jnp.tanh(t[ids])))(table)


@program("20", "i20<8", "i20<8", "8")
def sparse_matvec(values, rows, columns, x):
    return jnp.zeros(8).at[rows].add(values * x[columns])


@program("8x8", "i5<8")
def scatter_min_max(x, k):
    return x.at[k].max(0.25), x.at[:, k].min(-0.25), x.at[k, k].multiply(2.0)


@program("8x8", "3")
def page_rank(a, d):
    p = jax.nn.softmax(a, 0)
    r = jnp.full(8, 1 / 8)
    return lax.fori_loop(0, 10, lambda _, r: 0.85 * p @ r + 0.15 / 8, r)
