# SPDX-License-Identifier: Apache-2.0
"""The first-order worst case of a traced program under the default profile, in f64.

The program is walked equation by equation; each result gets an own deviation, all zero, and JAX's
reverse mode gives the weight of each. Rules are typed in anew and are rough where a primitive
lowers to many operations: what is far above them is worth a look, no more."""

import jax
import jax.numpy as jnp
import numpy as np

from rules import EXACT, GUESSED, PRECISION, ROUNDED
from walk import Walk

SCATTERS = {
    name: getattr(jax.lax, name.replace("-", "_"))
    for name in (
        "scatter",
        "scatter-add",
        "scatter-min",
        "scatter-max",
        "scatter_min",
        "scatter_max",
    )
}


def wide(x):
    x = jnp.asarray(x)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return x.astype(jnp.complex128)
    return x.astype(jnp.float64) if jnp.issubdtype(x.dtype, jnp.floating) else x


def is_float(aval):
    return hasattr(aval, "dtype") and jnp.issubdtype(aval.dtype, jnp.inexact)


def ulp(value, precision):
    magnitude = np.maximum(np.abs(np.asarray(value)), 2.0**-126)
    return 2.0 ** (np.floor(np.log2(magnitude)) - precision + 1)


def prod(dims, which):
    return int(np.prod([dims[d] for d in which]))


def sum_error(eqn, operands, value, unit):
    """Of a sum of products or of terms: unit * number of roundings * sum of magnitudes."""
    name, p = eqn.primitive.name, eqn.params
    a = [jnp.abs(x) if is_float(v.aval) else x for x, v in zip(operands, eqn.invars)]
    # One rounding of the result, if it is narrower than what was added up.
    last = 0.5 * ulp(value, PRECISION[eqn.outvars[0].aval.dtype.name])
    fine = min(unit, 2.0**-24)
    magnitude = np.asarray(bind(eqn, a)[0])
    if name == "dot_general":
        (contract, _), _ = p["dimension_numbers"]
        return 2 * fine * prod(eqn.invars[0].aval.shape, contract) * magnitude + (
            last if unit > fine else 0
        )
    if name == "conv_general_dilated":
        kernel = eqn.invars[1].aval.shape
        terms = int(np.prod(kernel)) // kernel[p["dimension_numbers"].rhs_spec[0]]
        return 2 * fine * terms * magnitude + (last if unit > fine else 0)
    if name == "reduce_sum":
        return unit * max(prod(eqn.invars[0].aval.shape, p["axes"]) - 1, 0) * magnitude
    if name == "cumsum":
        return unit * eqn.invars[0].aval.shape[p["axis"]] * magnitude
    if name == "reduce_window_sum":
        return unit * int(np.prod(p["window_dimensions"])) * magnitude
    ones = list(a)
    ones[0], ones[2] = jnp.zeros_like(a[0]), jnp.ones_like(a[2])  # scatter-add: how many meet
    return unit * np.asarray(bind(eqn, ones)[0]) * magnitude


def factor_error(eqn, operands, value, unit):
    x = np.asarray(value)
    n = x.shape[-2]
    if eqn.primitive.name == "cholesky":
        inverse = np.abs(np.linalg.inv(x))
        e = 4 * (n + 1) * unit * np.abs(x) @ np.abs(x).swapaxes(-1, -2)
        return np.abs(x) @ np.tril(inverse @ e @ inverse.swapaxes(-1, -2))
    t, b, p = np.asarray(operands[0]), np.asarray(operands[1]), eqn.params
    t = np.tril(t) if p["lower"] else np.triu(t)
    if p["unit_diagonal"]:
        t = t - t * np.eye(t.shape[-1]) + np.eye(t.shape[-1])
    t = t.swapaxes(-1, -2) if p["transpose_a"] else t
    m = np.abs(np.linalg.inv(t))
    n = t.shape[-1]
    if p["left_side"]:
        return 4 * n * unit * m @ (np.abs(t) @ np.abs(x) + np.abs(b))
    return 4 * n * unit * (np.abs(x) @ np.abs(t) + np.abs(b)) @ m


def own_error(eqn, operands, value, output):
    """What the result may be off by itself."""
    name, dtype = eqn.primitive.name, eqn.outvars[output].aval.dtype.name
    if not is_float(eqn.outvars[output].aval) or name in EXACT:
        return 0.0
    precision = PRECISION[dtype]
    unit, one = 2.0**-precision, ulp(value, precision)
    if name == "convert_element_type":
        old = eqn.invars[0].aval.dtype
        narrower = not is_float(eqn.invars[0].aval) or PRECISION[old.name] > precision
        return 0.5 * one * narrower
    if name in ROUNDED:
        return (3 if dtype == "complex64" and name == "mul" else 0.5) * one
    if name == "integer_pow":
        return (abs(eqn.params["y"]) * 0.5 + (2.5 if eqn.params["y"] < 0 else 0)) * one
    if name in GUESSED:
        ulps = 13 if dtype == "complex64" else GUESSED[name] if precision > 11 else 1
        return ulps * one
    if name in (
        "dot_general",
        "conv_general_dilated",
        "reduce_sum",
        "cumsum",
        "reduce_window_sum",
        "scatter-add",
    ):
        return sum_error(eqn, operands, value, unit)
    if name in ("cholesky", "triangular_solve"):
        return factor_error(eqn, operands, value, unit)
    if name == "fft":
        points = int(np.prod(eqn.params["fft_lengths"]))
        axes = tuple(range(-len(eqn.params["fft_lengths"]), 0))
        norm = np.sqrt(np.sum(np.abs(np.asarray(value)) ** 2, axes, keepdims=True))
        return np.broadcast_to(8 * np.log2(points) * unit * norm, np.shape(value))
    if name in ("cumprod", "reduce_prod", "scatter-mul", "scatter_mul"):
        return 0.5 * eqn.invars[0].aval.size * one
    if name == "cumlogsumexp":
        return 8 * eqn.invars[0].aval.size * one
    raise NotImplementedError(name)


def widened(value):
    dtype = getattr(value, "dtype", value)
    name = getattr(dtype, "name", str(dtype))
    return (
        jnp.float64
        if name in PRECISION and "complex" not in name
        else jnp.complex128 if name.startswith("complex") else value
    )


def bind(eqn, operands):
    params = dict(eqn.params)
    for key in ("new_dtype", "dtype", "preferred_element_type"):
        if params.get(key) is not None:
            params[key] = widened(np.dtype(params[key]))
    if "accuracy" in params:
        params["accuracy"] = None
    if eqn.primitive.name == "dot_general":
        operands = [wide(x) if x.dtype != jnp.int8 else x for x in operands]
    if eqn.primitive.name == "bitcast_convert_type":
        operands = [x.astype(v.aval.dtype) for x, v in zip(operands, eqn.invars)]
        params["new_dtype"] = eqn.params["new_dtype"]
    if eqn.primitive.name in SCATTERS:  # their update is a program of the narrow type
        keep = ("indices_are_sorted", "unique_indices", "mode")
        return [
            SCATTERS[eqn.primitive.name](
                *operands, params["dimension_numbers"], **{k: params[k] for k in keep}
            )
        ]
    if eqn.primitive.name == "iota":
        params["dtype"] = (
            params["dtype"] if isinstance(params["dtype"], np.dtype) else np.dtype(params["dtype"])
        )
    out = eqn.primitive.bind(*operands, **params)
    out = list(out) if eqn.primitive.multiple_results else [out]
    return [wide(x) for x in out]


class Deviating(Walk):
    """noise(eqn, operands, value, output) gives what becomes of each result."""

    def __init__(self, noise):
        self.noise = noise

    def equation(self, eqn, x):
        return [self.noise(eqn, x, v, k) for k, v in enumerate(bind(eqn, x))]

    def constant(self, array):
        return wide(array)

    def literal(self, variable):
        return wide(variable.val)

    def number(self, value):
        return value

    def row(self, value, t):
        return value[t]

    def stacked(self, values):
        return jnp.stack(values)


def bounds(closed, arguments, sampled):
    """A list for each output: [[index, value, bound], ...]; of integers none."""
    with jax.enable_x64(True):
        x = [wide(a) for a in arguments]
        own, shapes = [], []

        def record(eqn, operands, value, output):
            own.append(
                np.broadcast_to(
                    np.nan_to_num(own_error(eqn, operands, value, output), posinf=0),
                    np.shape(value),
                )
            )
            shapes.append(value)
            return value

        outputs = Deviating(record).closed(closed, x)

        def deviated(deviations):
            rest = iter(deviations)
            add = lambda _e, _o, value, _k: (
                lambda d: value + d if d.dtype == value.dtype else value
            )(next(rest))
            return Deviating(add).closed(closed, x)

        zeros = [jnp.zeros(np.shape(s), s.dtype if is_float(s) else jnp.float64) for s in shapes]
        _, pull = jax.vjp(lambda d: [o for o in deviated(d) if is_float(o)], zeros)
        floats = [o for o in outputs if is_float(o)]
        found = []
        for output in outputs:
            rows = []
            for index in (
                sorted({output.size * k // sampled for k in range(sampled)})
                if is_float(output)
                else []
            ):
                ones = [jnp.zeros(o.shape, o.dtype).ravel() for o in floats]
                at = next(k for k, o in enumerate(floats) if o is output)
                ones[at] = ones[at].at[index].set(1)
                (weights,) = pull([o.reshape(f.shape) for o, f in zip(ones, floats)])
                total = sum(
                    float(np.sum(np.nan_to_num(np.abs(np.real(w)) + np.abs(np.imag(w))) * e))
                    for w, e in zip(weights, own)
                )
                rows.append([int(index), float(np.real(output.ravel()[index])), total])
            found.append(rows)
        return found
