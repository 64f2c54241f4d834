# SPDX-License-Identifier: Apache-2.0
"""One legal execution of a traced program in numpy, in a style of rounding."""

import math

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

import first_order
from rules import ULPS
from walk import Walk

RANGES = dict(tanh=(-1, 1), erf=(-1, 1), sin=(-1, 1), cos=(-1, 1))
RANGES |= dict(exp=(0, np.inf), sqrt=(0, np.inf), rsqrt=(0, np.inf))
VALUES = dict(exp=np.exp, log=np.log, log1p=np.log1p, expm1=np.expm1, tanh=np.tanh, sin=np.sin)
VALUES |= dict(cos=np.cos, tan=np.tan, atan2=np.arctan2, pow=np.power, sqrt=np.sqrt)
VALUES |= dict(cbrt=np.cbrt, div=np.divide, rsqrt=lambda x: 1 / np.sqrt(x))
VALUES |= dict(erf=np.vectorize(math.erf, otypes=[float]))
FIELD = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "add_any": np.add}
MOVES = set("""
    broadcast_in_dim concatenate expand_dims reshape rev slice squeeze transpose
    """.split())
STYLES = ("nearest", "up", "down", "random", "reversed", "wide", "fused", "flushed", "twice", "all")
# What jax lowers to many operations, or to routines of LAPACK.
UNKNOWN = set("""
    acos acosh asin asinh atan atanh cholesky cosh cumlogsumexp cumprod digamma eigh erf_inv
    erfc fft geqrf householder_product lgamma lu lu_pivots_to_permutation qr reduce_precision
    reduce_prod sinh triangular_solve
    """.split())


class Value:
    """What readers see: one of `seen`, or, if a sum reads it, perhaps `unrounded`."""

    def __init__(self, seen, unrounded=None, constant=False):
        self.seen, self.unrounded, self.constant = seen, unrounded, constant


def is_float(x):
    return x.dtype.kind == "f" or x.dtype == ml_dtypes.bfloat16


class Execution(Walk):
    def __init__(self, style, rng):
        self.rng, self.style = rng, style
        everything = style == "all"
        self.flush = style == "flushed" or everything
        self.fuse = style == "fused" or everything
        self.twice = style == "twice" or everything
        self.lean = {"up": 1, "down": -1}.get(
            style, None if style in ("random", "twice") or everything else 0
        )
        self.order = "reversed" if style == "reversed" else "wide" if style == "wide" else "given"

    # --- numbers

    def flushed(self, x):
        if not self.flush or x.dtype != np.float32:
            return x
        small = (np.abs(x) < 2.0**-126) & (x != 0)
        return np.where(small & (self.rng.random(x.shape) < 0.5), np.copysign(np.float32(0), x), x)

    def read(self, value):
        return self.flushed(value.seen[self.rng.integers(len(value.seen))])

    def function(self, name, x, dtype):
        """Within the rule's ulps of the exact value, where this style leans to."""
        with np.errstate(all="ignore"):
            y = np.asarray(VALUES[name](*[v.astype(np.float64) for v in x]))
            if dtype != np.float32 or self.lean == 0:
                return y.astype(np.float32).astype(dtype) if dtype != np.float64 else y, y
            lean = self.lean if self.lean is not None else self.rng.uniform(-1, 1, y.shape)
            ordinary = np.isfinite(y) & (np.abs(y) > 2.0**-120) & (np.abs(y) < 2.0**126)
            ulp = np.where(ordinary, first_order.ulp(np.where(ordinary, y, 1), 24), 0)
            # Rounding may add half an ulp, and numpy's own value is off by little.
            t = y + lean * (ULPS[name] - 0.5001) * ulp
            t = np.clip(t, *RANGES[name]) if name in RANGES else t
            stored = np.where(np.isfinite(y), t, y).astype(np.float32)
            return np.where(np.sign(stored) == np.sign(y), stored, y.astype(np.float32)), y

    # --- sums

    def sequence(self, terms):
        """Of the last axis, in the type of the terms."""
        if self.order == "wide" or terms.shape[-1] == 0:
            return np.sum(terms, -1, dtype=np.float64).astype(terms.dtype)
        if self.order == "reversed":
            terms = terms[..., ::-1]
        if self.style == "random":
            terms = terms[..., self.rng.permutation(terms.shape[-1])]
        total = terms[..., 0]
        for k in range(1, terms.shape[-1]):
            total = (total + terms[..., k]).astype(terms.dtype)
        return total

    def dot(self, eqn, x):
        (lc, rc), (lb, rb) = eqn.params["dimension_numbers"]
        out = eqn.outvars[0].aval.dtype
        if not is_float(x[0]):
            return None
        wide = np.float64 if x[0].dtype == np.float64 else np.float32
        free = lambda v, c, b: [d for d in range(v.ndim) if d not in c and d not in b]
        a = x[0].astype(wide).transpose(list(lb) + free(x[0], lc, lb) + list(lc))
        b = x[1].astype(wide).transpose(list(rb) + free(x[1], rc, rb) + list(rc))
        batch = a.shape[: len(lb)]
        k = int(np.prod([x[0].shape[d] for d in lc]))
        m, n = a.shape[len(lb) : a.ndim - len(lc)], b.shape[len(lb) : b.ndim - len(rc)]
        a, b = a.reshape((*batch, -1, 1, k)), b.reshape((*batch, 1, -1, k))
        if self.fuse and wide == np.float32:  # fused multiply-adds
            total = np.zeros((*batch, a.shape[-3], b.shape[-2]), wide)
            for j in range(k):
                total = (total + a[..., j].astype(np.float64) * b[..., j]).astype(wide)
        else:
            total = self.sequence(a * b)
        return total.reshape((*batch, *m, *n)).astype(out)

    def exact_sum(self, eqn, x):
        """What an accumulator that goes on hands to the sum behind it."""
        (lc, rc), (lb, rb) = eqn.params["dimension_numbers"]
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        left, right = [""] * x[0].ndim, [""] * x[1].ndim
        for i, j in zip((*lb, *lc), (*rb, *rc)):
            left[i] = right[j] = next(letters)
        left, right = ([v or next(letters) for v in side] for side in (left, right))
        batch = "".join(left[i] for i in lb)
        free = "".join(v for i, v in enumerate(left) if i not in (*lb, *lc))
        free += "".join(v for i, v in enumerate(right) if i not in (*rb, *rc))
        return np.einsum(
            f"{''.join(left)},{''.join(right)}->{batch}{free}", *[v.astype(np.float64) for v in x]
        )

    def reduced(self, x, axes):
        rest = [d for d in range(x.ndim) if d not in axes]
        shape = [x.shape[d] for d in rest]
        return self.sequence(x.transpose(rest + list(axes)).reshape((*shape, -1)))

    # --- equations

    def field(self, name, eqn, values):
        """add, sub, mul; sums may read what is not rounded."""
        dtype = eqn.outvars[0].aval.dtype
        x = [self.read(v) for v in values]
        exact = None
        if is_float(x[0]):
            if self.fuse and name != "mul" and any(v.unrounded is not None for v in values):
                wide = [
                    (
                        v.unrounded
                        if v.unrounded is not None and self.rng.random() < 0.7
                        else r.astype(np.float64)
                    )
                    for v, r in zip(values, x)
                ]
                return self.flushed(FIELD[name](*wide).astype(dtype)), None
            if name == "mul":
                exact = x[0].astype(np.float64) * x[1].astype(np.float64)
        with np.errstate(all="ignore"):
            y = FIELD[name](*x)
        return self.flushed(np.asarray(y, dtype)), exact

    def power(self, value, n):
        """By squaring, as JAX lowers it."""
        one = lambda a, b: (a * b).astype(a.dtype)
        x, acc, left = value, None, abs(n)
        while left:
            if left & 1:
                acc = x if acc is None else one(acc, x)
            left >>= 1
            x = one(x, x) if left else x
        acc = np.ones_like(value) if acc is None else acc
        return self.function("div", [np.ones_like(acc), acc], acc.dtype)[0] if n < 0 else acc

    def once(self, eqn, values):
        """An instruction's results by one choice of roundings: [(stored, unrounded or None)]."""
        name = eqn.primitive.name
        if name in UNKNOWN:
            raise NotImplementedError(name)
        dtype = getattr(eqn.outvars[0].aval, "dtype", None)
        if dtype is not None and dtype.kind == "c":
            raise NotImplementedError("complex")
        if name in FIELD:
            return [self.field(name, eqn, values)]
        x = [self.read(v) for v in values]
        real = dtype is not None and (dtype.kind == "f" or dtype == ml_dtypes.bfloat16)
        if name == "logistic" and real:  # as JAX lowers it
            e = self.flushed(
                (self.function("exp", [-x[0]], dtype)[0] + np.ones((), dtype)).astype(dtype)
            )
            return [(self.flushed(self.function("div", [np.ones_like(e), e], dtype)[0]), None)]
        if name in VALUES and real:
            if all(v.constant for v in values):  # folded when it is lowered
                y = np.asarray(VALUES[name](*[v.astype(np.float64) for v in x]))
                return [(y.astype(np.float32).astype(dtype) if dtype != np.float64 else y, None)]
            y, exact = self.function(name, x, dtype)
            return [(self.flushed(y), exact if name in ("div", "pow") else None)]
        if name == "exp2":
            return [
                (
                    self.function(
                        "exp", [(x[0] * np.asarray(np.log(2), dtype)).astype(dtype)], dtype
                    )[0],
                    None,
                )
            ]
        if name == "square" and real:
            return [((x[0] * x[0]).astype(dtype), x[0].astype(np.float64) ** 2)]
        if name == "integer_pow" and real:
            return [(self.power(x[0], eqn.params["y"]), None)]
        if name == "dot_general":
            y = self.dot(eqn, x)
            if y is not None:
                return [(y, self.exact_sum(eqn, x) if self.fuse else None)]
        if name == "reduce_sum" and real:
            y = self.reduced(x[0], list(eqn.params["axes"]))
            return [
                (
                    y,
                    (
                        np.sum(x[0].astype(np.float64), tuple(eqn.params["axes"]))
                        if self.fuse
                        else None
                    ),
                )
            ]
        if name == "convert_element_type" and real:
            return [(x[0].astype(dtype), None)]
        unrounded = None
        if name in MOVES and len(values) == 1 and values[0].unrounded is not None:
            unrounded = np.asarray(
                eqn.primitive.bind(jnp.asarray(values[0].unrounded), **eqn.params)
            )
        y = eqn.primitive.bind(*[jnp.asarray(v) for v in x], **eqn.params)
        y = list(y) if eqn.primitive.multiple_results else [y]
        return [(np.asarray(v), unrounded) for v in y]

    def equation(self, eqn, values):
        name = eqn.primitive.name
        once = name in (
            "dot_general",
            "conv_general_dilated",
            "sort",
            "top_k",
            "cumsum",
        ) or name.startswith(("reduce", "scatter", "select_and"))
        first = self.once(eqn, values)
        second = self.once(eqn, values) if self.twice and not once else first
        constant = all(v.constant for v in values)
        return [
            Value([a, b] if self.twice and not once else [a], exact, constant)
            for (a, exact), (b, _) in zip(first, second)
        ]

    def constant(self, array):
        return Value([np.asarray(array)])

    def literal(self, variable):
        return Value([np.asarray(variable.val, variable.aval.dtype)], None, True)

    def number(self, value):
        return value.seen[0]

    def row(self, value, t):
        return Value([seen[t] for seen in value.seen])

    def stacked(self, values):
        return Value([np.stack([value.seen[0] for value in values])])
