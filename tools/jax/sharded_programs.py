#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges JAX programs on random meshes by the results that HLO allows on one device.

    sharded_programs.py [--trials=N] [--seed=S] [--devices=8] [--platform=P] [--gspmd] [PROGRAM...]

Prints one JSON line per trial: program, mesh, specs, verdict, reason. If a trial crashes, its
verdict is `crash`, and the next trials run in a new process. Exit status 1: a trial is `fail`,
`crash` or `rejected`; 77: JAX is not installed. Needs the Python package `hlocts`.
"""
import argparse
import json
import os
import random
import subprocess
import sys

try:
    import jax
except ModuleNotFoundError:
    print("skipped: JAX is not installed")
    sys.exit(77)
import jax.numpy as jnp
import numpy as np
from functions import FUNCTIONS, conv, f32
from jax import lax

NHWC = ("NHWC", "HWIO", "NHWC")


def pool(x, window=2, stride=2, padding="VALID"):
    return lax.reduce_window(x, -jnp.inf, lax.max, (window,) * x.ndim, (stride,) * x.ndim, padding)


def conv_with(**options):
    def f(x, w):
        return lax.conv_general_dilated(x, w, dimension_numbers=NHWC, **options)
    return f


def total(f):
    return lambda *args: jnp.sum(f(*args) ** 2)


def perceptron(params, x, y):
    (w, v), hidden = params, jnp.tanh(x @ params[0])
    return jnp.mean((hidden @ v - y) ** 2) + 1e-3 * jnp.sum(w * w)


def sgd(loss, rate=0.1):
    def step(params, *batch):
        value, slopes = jax.value_and_grad(loss)(params, *batch)
        return value, jax.tree_util.tree_map(lambda p, s: p - rate * s, params, slopes)
    return step


def adam(params, moments, x, y):
    slopes = jax.grad(perceptron)(params, x, y)
    moments = [(0.9 * m + 0.1 * s, 0.99 * v + 0.01 * s * s)
               for (m, v), s in zip(moments, slopes)]
    return [p - 0.01 * m / (jnp.sqrt(v) + 1e-3) for p, (m, v) in zip(params, moments)], moments


def convolutional_loss(params, x, labels):
    kernel, weights = params
    features = jax.vmap(pool)(jax.nn.relu(conv(x, kernel))[..., 0])
    logits = features.reshape(features.shape[0], -1) @ weights
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels])


def recurrent_loss(params, x):
    def step(h, row):
        h = jnp.tanh(row @ params[0] + h @ params[1])
        return h, h
    return jnp.mean(lax.scan(step, jnp.zeros(params[1].shape[0]), x)[1] ** 2)


def embedding_loss(table, words, targets):
    return jnp.mean((table[words].mean(1) - targets) ** 2)


def kmeans(points, centres):
    nearest = jnp.argmin(((points[:, None] - centres[None]) ** 2).sum(-1), 1)
    hot = jax.nn.one_hot(nearest, len(centres))
    return (hot.T @ points) / jnp.maximum(hot.sum(0), 1)[:, None]


def forces(x):
    d = x[None] - x[:, None]
    return (d / (jnp.sum(d * d, -1, keepdims=True) + 0.1) ** 1.5).sum(1)


WEIGHTS = (f32(8, 16), f32(16, 4))
PROGRAMS = {
    **FUNCTIONS,
    "max_pool": (pool, f32(8, 8)),
    "max_pool_overlapping": (lambda x: pool(x, 3, 2, "SAME"), f32(8, 8)),
    "max_pool_gradient": (jax.grad(total(pool)), f32(8, 8)),
    "max_pool_overlapping_gradient": (jax.grad(total(lambda x: pool(x, 3, 1, "SAME"))), f32(8, 8)),
    "conv": (conv, f32(4, 8, 8, 4), f32(3, 3, 4, 8)),
    "conv_gradients": (jax.grad(total(conv), (0, 1)), f32(4, 8, 8, 4), f32(3, 3, 4, 8)),
    "conv_strided": (conv_with(window_strides=(2, 2), padding="SAME"), f32(4, 8, 8, 4),
                     f32(3, 3, 4, 8)),
    "conv_strided_gradients": (
        jax.grad(total(conv_with(window_strides=(2, 2), padding="SAME")), (0, 1)),
        f32(4, 8, 8, 4), f32(3, 3, 4, 8)),
    "conv_dilated": (conv_with(window_strides=(1, 1), padding="SAME", rhs_dilation=(2, 2)),
                     f32(4, 8, 8, 4), f32(3, 3, 4, 8)),
    "conv_transposed": (conv_with(window_strides=(1, 1), padding=((1, 2), (1, 2)),
                                  lhs_dilation=(2, 2)),
                        f32(4, 8, 8, 4), f32(3, 3, 4, 8)),
    "conv_depthwise": (conv_with(window_strides=(1, 1), padding="SAME", feature_group_count=8),
                       f32(4, 8, 8, 8), f32(3, 3, 1, 8)),
    "conv_1d": (lambda x, k: jnp.convolve(x, k, mode="same"), f32(16), f32(4)),
    "cumsum_2d": (lambda x: jnp.cumsum(x, 1), f32(8, 8)),
    "cummax": (lambda x: lax.cummax(x, 0), f32(8, 8)),
    "cumsum_reversed": (lambda x: lax.cumsum(x, 0, reverse=True), f32(16)),
    "cumprod_gradient": (jax.grad(total(jnp.cumprod)), f32(16)),
    "flip": (jnp.flip, f32(8, 8)),
    "roll": (lambda x: jnp.roll(x, (3, -1), (0, 1)), f32(8, 8)),
    "pad_reflect": (lambda x: jnp.pad(x, 3, mode="reflect"), f32(10)),
    "pad_wrap": (lambda x: jnp.pad(x, ((2, 2), (0, 4)), mode="wrap"), f32(4, 4)),
    "pad_negative": (lambda x: lax.pad(x, np.float32(0), [(-1, 3, 1)]), f32(8)),
    "difference": (lambda x: jnp.diff(x, 2), f32(8, 10)),
    "every_third": (lambda x: x[1::3, ::2], f32(9, 8)),
    "take": (lambda x, i: x[i], f32(16, 4), np.arange(8) * 3 % 16),
    "take_gradient": (jax.grad(total(lambda x, i: x[i])), f32(16, 4), np.arange(8) * 3 % 16),
    "scatter_set": (lambda x, i, u: x.at[i].set(u), f32(16), np.arange(8) * 3 % 16, f32(8)),
    "scatter_max": (lambda x, i, u: x.at[i].max(u), f32(8), np.arange(8) % 3, f32(8)),
    "update_slice": (lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 0)), f32(8, 4), f32(2, 4),
                     np.int32(7)),
    "concatenate": (lambda a, b: jnp.concatenate([a, b, a]), f32(8, 4), f32(4, 4)),
    "reshape": (lambda x: x.reshape(4, 16).T.reshape(16, 2, 2), f32(8, 8)),
    "outer": (jnp.outer, f32(8), f32(16)),
    "argmax": (lambda x: (jnp.argmax(x, 0), jnp.argmax(x, 1)), f32(8, 8)),
    "sort_axis": (lambda x: jnp.sort(x, 0), f32(8, 8)),
    "triangular_solve": (lambda a, b: lax.linalg.triangular_solve(jnp.tril(a) + 3 * jnp.eye(4), b,
                                                                  left_side=True, lower=True),
                         f32(4, 4), f32(4, 8)),
    "transform_2d": (jnp.fft.fft2, f32(8, 8)),
    "batch_norm": (lambda x: (x - x.mean(0)) * lax.rsqrt(x.var(0) + 1e-3), f32(8, 8)),
    "bincount": (lambda i: jnp.bincount(i, length=8), np.arange(16) * 5 % 8),
    "searchsorted": (jnp.searchsorted, np.sort(f32(16)), f32(8)),
    "triangles": (lambda x: (jnp.tril(x, -1), jnp.triu(x, 1)), f32(8, 8)),
    "attention_gradient": (jax.grad(total(FUNCTIONS["attention_bf16"][0])), f32(2, 8, 4),
                           f32(2, 8, 4), f32(2, 8, 4)),
    "kmeans": (kmeans, f32(16, 4), f32(4, 4)),
    "forces": (forces, f32(8, 4)),
    "train_perceptron": (sgd(perceptron), WEIGHTS, f32(8, 8), f32(8, 4)),
    "train_adam": (adam, list(WEIGHTS), [(0 * w, 0 * w) for w in WEIGHTS], f32(8, 8), f32(8, 4)),
    "train_convolutional": (sgd(convolutional_loss), (f32(3, 3, 2, 1), f32(16, 4)),
                            f32(4, 8, 8, 2), np.arange(4)),
    "train_recurrent": (sgd(recurrent_loss), (f32(4, 8), f32(8, 8)), f32(8, 4)),
    "train_embedding": (sgd(embedding_loss), f32(16, 8), np.arange(32).reshape(8, 4) % 16,
                        f32(8, 8)),
}


def draw_spec(choose, leaf, axes):
    """Returns, for each dimension, axes of the mesh whose sizes divide it; JAX rejects others."""
    spec, left = [], dict(axes)
    for size in np.shape(leaf):
        taken = []
        for axis in choose.sample(sorted(left), len(left)):
            if size % left[axis] == 0 and choose.random() < 0.5:
                size //= left[axis]
                taken.append(axis)
        for axis in taken:
            left.pop(axis)
        spec.append(tuple(taken) or None)
    return jax.sharding.PartitionSpec(*spec)


def draw_mesh(choose, devices):
    sizes = {}
    devices = choose.choice([n for n in range(2, devices + 1) if devices % n == 0])
    while devices > 1:
        size = choose.choice([n for n in range(2, devices + 1) if devices % n == 0])
        sizes["xyz"[len(sizes)]] = size
        devices //= size
    return sizes


def trial(seed, names, devices):
    import hlocts
    choose = random.Random(seed)
    name = choose.choice(names)
    function, *arguments = PROGRAMS[name]
    arguments = jax.tree_util.tree_map(jnp.asarray, arguments)
    axes = draw_mesh(choose, devices)
    count = int(np.prod(list(axes.values())))
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:count]).reshape(*axes.values()), tuple(axes))
    specs = [jax.tree_util.tree_map(lambda leaf: draw_spec(choose, leaf, axes), tree)
             for tree in (tuple(arguments), jax.eval_shape(function, *arguments))]
    line = {"trial": seed, "program": name, "mesh": axes, "in_specs": str(specs[0]),
            "out_specs": str(specs[1])}
    print(json.dumps(line), flush=True)  # printed before the trial, which may end the process
    try:
        result = hlocts.check(function, *arguments, mesh=mesh, in_specs=specs[0],
                              out_specs=specs[1])
        line.update(verdict=result.verdict, reason=result.reason.split("\n")[0])
    except Exception as error:  # pylint: disable=broad-except
        line.update(verdict="rejected", reason=str(error).split("\n")[0])
    print(json.dumps(line), flush=True)


def child(options, names):
    if options.gspmd:
        jax.config.update("jax_use_shardy_partitioner", False)
    for seed in range(options.first, options.seed + options.trials):
        trial(seed, names, options.devices)


def lines_of(options, names):
    """Yields the last line of each trial. Starts a new process if one ends early."""
    first, end = options.seed, options.seed + options.trials
    environment = dict(os.environ, JAX_PLATFORMS=options.platform, TF_CPP_MIN_LOG_LEVEL="3", XLA_FLAGS=(
        f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={options.devices}"))
    while first < end:
        command = [sys.executable, *sys.argv, f"--first={first}"]
        ran = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        begun = None
        for text in ran.stdout:
            line = json.loads(text)
            if "verdict" in line:
                yield line
                first = line["trial"] + 1
                line = None
            begun = line
        status = ran.wait()
        if first < end:
            if begun is None:
                sys.exit(f"{sys.argv[0]}: the process of trials ended with status {status}")
            yield dict(begun, verdict="crash", reason=f"the process ended with status {status}")
            first = begun["trial"] + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="number of the first trial")
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--platform", default="cpu", help="value of JAX_PLATFORMS (cpu)")
    parser.add_argument("--gspmd", action="store_true", help="use GSPMD instead of Shardy")
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.programs or sorted(PROGRAMS)
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        parser.error(f"expected programs among {' '.join(sorted(PROGRAMS))}; found {unknown[0]}")
    if options.first is not None:
        child(options, names)
        return 0
    wrong = False
    for line in lines_of(options, names):
        print(json.dumps(line), flush=True)
        wrong = wrong or line["verdict"] in ("fail", "crash", "rejected")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
