# SPDX-License-Identifier: Apache-2.0
"""Tests programs under the checking plugin, with JAX and an installed XLA:CPU (else skips)."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from hlocts import binary, checking, jax_plugin
from hlocts.errors import HloctsError


def missing():
    try:
        import jax  # noqa: F401

        checking.environment({"plugin": "xla"})
        jax_plugin.library("libhlocts_check.so")
    except ImportError:
        return "JAX is not installed"
    except HloctsError as problem:
        return str(problem)
    return ""


pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

# Each marked line is a miscompile of released plugins of XLA:CPU.
MISCOMPILED = """
import jax, jax.numpy as jnp
f32, jit = jnp.float32, jax.jit
@jit
def power(x, y): return jnp.log(jnp.power(x, y))
@jit
def root(x): return jnp.log(jax.lax.rsqrt(x))
@jit
def scale(x, y): return (x / y) / x
@jit
def mask(p, x): return p.astype(f32) * x
@jit
def mean(x, y): return 0.5 * x + 0.5 * y
power(f32(1e3), f32(100)), root(f32(-0.0)), scale(f32(1e30), f32(1e30))
mask(jnp.array(False), f32(jnp.nan)), mean(f32(3e38), f32(3e38))
"""
RIGHT = """
import jax, jax.numpy as jnp, numpy as np
assert len(jax.devices()) == 1, jax.devices()
a = jax.random.normal(jax.random.key(0), (6, 6))
s = a @ a.T + jnp.eye(6)
np.testing.assert_allclose(jnp.linalg.cholesky(s) @ jnp.linalg.cholesky(s).T, s, rtol=1e-4)
np.testing.assert_allclose(jnp.linalg.svd(a)[1], np.linalg.svd(a)[1], rtol=1e-4)
np.testing.assert_allclose(jnp.linalg.solve(s, a) , np.linalg.solve(s, a), rtol=1e-2, atol=1e-3)
step = jax.jit(lambda x: jnp.tanh(x @ s) - x, donate_argnums=0)
for _ in range(40):
    a = step(a)
assert np.isfinite(a).all()
try:
    jax.jit(lambda x: jax.pure_callback(np.sin, x, x))(jnp.ones(3)).block_until_ready()
except Exception as error:
    print("callback:", error)
"""


def run(folder, text, *options):
    script = folder / "program.py"
    script.write_text(text)
    command = [sys.executable, "-m", "hlocts.check", f"--out={folder}/out", "--wait=600",
               *options, str(script)]  # fmt: skip
    variables = os.environ | {"HLOCTS": str(binary.find())}
    # A package that is found by PYTHONPATH has no entry points.
    plugins = folder / "jax_plugins" / "hlocts"
    plugins.mkdir(parents=True)
    (plugins / "__init__.py").write_text("from hlocts.jax_plugin import initialize\n")
    source = pathlib.Path(checking.__file__).resolve().parents[1]
    variables["PYTHONPATH"] = f"{folder}:{source}:{os.environ.get('PYTHONPATH', '')}"
    return subprocess.run(command, text=True, env=variables, cwd=folder, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def test_miscompiles_are_reported_with_their_line(tmp_path):
    done = run(tmp_path, MISCOMPILED, "--fail")
    assert done.returncode == 1, done.stderr
    found = re.findall(r"fail  program \d+, execution 0: \S*program\.py:(\d+) \((\w+)\)", done.stderr)
    expected = [(str(4 + 2 * i + 1), name)
                for i, name in enumerate(["power", "root", "scale", "mask", "mean"])]  # fmt: skip
    assert found == expected, done.stderr


def test_right_programs_pass(tmp_path):
    done = run(tmp_path, RIGHT, "--fail", "--sample=first,1/10")
    assert done.returncode == 0, done.stderr
    assert "fail  program" not in done.stderr
    assert "a stage before execution, which no plugin can be given" in done.stdout
    verdicts = [json.loads(line)["verdict"] for path in tmp_path.glob("out/*/results.jsonl")
                for line in path.read_text().splitlines()]  # fmt: skip
    assert verdicts.count("pass") >= 10, done.stderr
