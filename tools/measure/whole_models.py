#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges whole models at growing size: whole_models.py [ROW...] (needs jax; one line per size).

Each line says what settles the outputs: `proof` (the sets of the whole module, with the median of
the effective bits), `pieces` (checkpoints, with the engine's own values between them), and by the
statistical tests of lemma 44 the least error that they would see, relative to the output element.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKENS = 16


def models():
    """Each row as (name, sizes, function of a size that returns a JAX function and its arrays)."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax

    def arrays(*shapes):
        random = np.random.default_rng(1)
        return [random.normal(0, 0.5 / max(1, shape[0])**0.5, shape).astype(np.float32)
                for shape in shapes]

    def norm(x):
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    def block(x, wq, wk, wv, wo, w1, w2):
        q, k, v = norm(x) @ wq, norm(x) @ wk, norm(x) @ wv
        mask = jnp.tril(jnp.ones((x.shape[0],) * 2, bool))
        weights = jax.nn.softmax(jnp.where(mask, q @ k.T / x.shape[1]**0.5, -1e9), -1)
        x = x + weights @ v @ wo
        return x + jax.nn.gelu(norm(x) @ w1) @ w2

    def weights(d):
        return [(d, d)] * 4 + [(d, 4 * d), (4 * d, d)]

    def transformer(d, layers=1):
        def run(x, *w):
            for k in range(layers):
                x = block(x, *w[6 * k:6 * k + 6])
            return x
        return run, arrays((TOKENS, d), *(weights(d) * layers))

    def training_step(d):
        def loss(w, x):
            return (block(x, *w)**2).mean()
        return (lambda x, *w: [v - 0.1 * g for v, g in zip(w, jax.grad(loss)(list(w), x))],
                arrays((TOKENS, d), *weights(d)))

    def lstm(steps):
        def run(x, wx, wh):
            def step(carry, xt):
                h, c = carry
                i, f, o, u = jnp.split(xt @ wx + h @ wh, 4, -1)
                c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(u)
                return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
            zero = jnp.zeros((4, 16))
            return lax.scan(step, (zero, zero), x)[0][0]
        return run, [2 * array for array in arrays((steps, 4, 16), (16, 64), (16, 64))]

    def gru_gradient(steps):
        def loss(w, x):
            def step(h, xt):
                z, r = jnp.split(jax.nn.sigmoid(xt @ w[0] + h @ w[1]), 2, -1)
                return (1 - z) * h + z * jnp.tanh(xt @ w[2] + (r * h) @ w[3]), None
            return (lax.scan(step, jnp.zeros((4, 16)), x)[0]**2).sum()
        return (lambda x, *w: jax.grad(loss)(list(w), x),
                arrays((steps, 4, 16), (16, 32), (16, 32), (16, 16), (16, 16)))

    def adam(steps):
        def run(x, y, w):
            def step(k, state):
                w, m, v = state
                g = jax.grad(lambda w: ((jnp.tanh(x @ w) - y)**2).mean())(w)
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                t = k.astype(jnp.float32) + 1
                return (w - 0.01 * (m / (1 - 0.9**t)) /
                        (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v)
            return lax.fori_loop(0, steps, step, (w, jnp.zeros_like(w), jnp.zeros_like(w)))[0]
        return run, arrays((16, 8), (16, 4), (8, 4))

    def conjugate_gradients(steps):
        def run(a, b):
            a = a @ a.T + jnp.eye(a.shape[0])
            x, r = jnp.zeros_like(b), b
            p = r
            for _ in range(steps):
                q = a @ p
                alpha = (r @ r) / (p @ q)
                x, s = x + alpha * p, r - alpha * q
                p, r = s + (s @ s) / (r @ r) * p, s
            return x
        return run, [8 * array for array in arrays((48, 48), (48,))]

    def lorenz(steps):
        def run(y):
            def f(y):
                return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1],
                                  y[0] * y[1] - 8 / 3 * y[2]])

            def step(_, y):
                h = 0.01
                k1 = f(y)
                k2 = f(y + h / 2 * k1)
                k3 = f(y + h / 2 * k2)
                return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + h * k3))
            return lax.fori_loop(0, steps, step, y)
        return run, [np.array([1, 2, 20], np.float32)]

    def heat(steps):
        def run(u):
            def step(_, u):
                near = sum(jnp.roll(u, s, a) for s in (1, -1) for a in (0, 1))
                return u + 0.2 * near - 0.8 * u
            return lax.fori_loop(0, steps, step, u)
        return run, arrays((12, 12))

    def ddim(steps):
        def run(x, w1, w2):
            alphas = jnp.linspace(0.99, 0.1, steps + 1)[::-1]

            def step(k, x):
                a, b = alphas[k], alphas[k + 1]
                noise = jnp.tanh(x @ w1) @ w2
                clean = (x - jnp.sqrt(1 - a) * noise) / jnp.sqrt(a)
                return jnp.sqrt(b) * clean + jnp.sqrt(1 - b) * noise
            return lax.fori_loop(0, steps, step, x)
        return run, arrays((4, 16), (16, 32), (32, 16))

    def mixture(rounds):
        def run(x, means):
            def step(_, state):
                means, logs = state
                logits = logs - ((x[:, None] - means)**2).sum(-1) / 2
                r = jax.nn.softmax(logits, -1)
                return (r.T @ x) / r.sum(0)[:, None], jnp.log(r.mean(0))
            return lax.fori_loop(0, rounds, step, (means, jnp.zeros(means.shape[0])))[0]
        return run, [8 * array for array in arrays((64, 2), (3, 2))]

    return {
        "transformer": ((96, 192), transformer),
        "layers of d=16": ((5, 10), lambda n: transformer(16, n)),
        "training step": ((64, 128), training_step),
        "LSTM": ((64, 128), lstm),
        "GRU gradient": ((32, 64), gru_gradient),
        "Adam": ((40, 100), adam),
        "conjugate gradients": ((8, 16), conjugate_gradients),
        "RK4 Lorenz": ((60, 200), lorenz),
        "heat": ((10, 50), heat),
        "DDIM": ((40, 80), ddim),
        "mixture": ((12, 30), mixture),
    }


def export(function, given, folder):
    """Writes module and inputs; returns their paths."""
    import jax
    import numpy as np

    lowered = jax.jit(function).lower(*given)
    module, inputs = folder / "module.hlo", folder / "inputs.npz"
    module.write_text(lowered.compiler_ir("hlo").as_hlo_text())
    np.savez(inputs, *given)
    return module, inputs


def judged(hlocts, command, module, inputs, *more):
    """The verdict as JSON, and the seconds of processor time that the command took."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([hlocts, command, str(module), f"--inputs={inputs}", "--json", *more],
                          capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    record = json.loads(lines[-1]) if lines else {"verdict": "error", "reason": done.stderr}
    return record, after.ru_utime - before.ru_utime


def line(name, size, record, seconds):
    """One line of the table."""
    statistical = record.get("statistical") or {}
    by_pieces = str(record.get("reason") or "").startswith("by pieces")
    proof = "-" if by_pieces else statistical.get("proof", record["verdict"])
    bits = (record.get("effective_bits") or {}).get("median")
    proof += "" if by_pieces or bits is None else f" {bits:.1f}"
    pieces = f"{record['verdict']} {record['bits_checked_mean']:.1f}" if by_pieces else "-"
    sees = "-"
    if statistical.get("elements"):
        least = statistical["limit"] * statistical["deviation"]
        sees = f"{least / max(abs(statistical['expected']), 1e-30):.1e}"
        sees += f", {statistical['most']:.2f} of {statistical['limit']:.1f}"
    return f"{name:20} {size:5}  {proof:20} {pieces:14} {sees:24} {seconds:6.1f}".rstrip()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("row", nargs="*", help="rows by the beginning of their names (all)")
    parser.add_argument("--hlocts", default=str(ROOT / "build" / "hlocts"))
    parser.add_argument("--backend", default="xla@0.11.2")
    parser.add_argument("--sizes", help="sizes instead of those of the table: 64,128")
    parser.add_argument("--timeout", default="120s", help="for the engine, and for the reference")
    given = parser.parse_args()
    print(f"{'row':20} {'size':>5}  {'proof, bits':20} {'pieces, bits':14} "
          f"{'statistics see, most':24} {'s':>6}", flush=True)
    begin = time.monotonic()
    for name, (sizes, make) in models().items():
        if given.row and not name.startswith(tuple(given.row)):
            continue
        for size in [int(n) for n in given.sizes.split(",")] if given.sizes else sizes:
            with tempfile.TemporaryDirectory() as folder:
                module, inputs = export(*make(size), pathlib.Path(folder))
                record, seconds = judged(given.hlocts, "diff", module, inputs,
                                         f"--backend={given.backend}",
                                         f"--timeout={given.timeout}")
            print(line(name, size, record, seconds), flush=True)
    print(f"{time.monotonic() - begin:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
