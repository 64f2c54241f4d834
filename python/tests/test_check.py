# SPDX-License-Identifier: Apache-2.0
"""Tests the check of programs on JAX's own CPU client and, if it is installed, on XLA:CPU."""

import json
import re
import subprocess
import sys

import pytest

from hlocts import checking
from hlocts.errors import HloctsError

from . import environment, missing


def plugin_missing():
    try:
        checking.environment({"plugin": "xla"})
    except HloctsError as problem:
        return str(problem)
    return ""


WHY = missing("libhlocts_check.so")
pytestmark = pytest.mark.skipif(bool(WHY), reason=WHY or "-")
needs_plugin = pytest.mark.skipif(bool(WHY or plugin_missing()), reason="no plugin of XLA:CPU")

# Released plugins of XLA:CPU miscompile each of these functions.
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
    return subprocess.run(command, text=True, env=environment(folder), cwd=folder, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


@needs_plugin
def test_miscompiles_are_reported_with_their_line(tmp_path):
    done = run(tmp_path, MISCOMPILED, "--fail", "--plugin=xla")
    assert done.returncode == 1, done.stderr
    found = re.findall(r"fail  program \d+, execution 0: \S*program\.py:(\d+) \((\w+)\)", done.stderr)
    expected = [(str(4 + 2 * i + 1), name)
                for i, name in enumerate(["power", "root", "scale", "mask", "mean"])]  # fmt: skip
    assert found == expected, done.stderr


# A rewrite that all jaxlib releases since 0.4 have, and code that must not notice the recording.
OWN = """
import jax, jax.numpy as jnp, numpy as np
@jax.jit
def scale(x, y): return (x / y) / x
scale(jnp.float32(1e30), jnp.float32(1e30))
assert jax.default_backend() == "cpu", jax.default_backend()
key = jax.jit(jax.random.fold_in)(jax.random.key(1), 2)
step = jax.jit(lambda x: jnp.tanh(x) - x, donate_argnums=0)
x = jnp.ones(8)
for _ in range(40):
    x = step(x)
low = jax.jit(lambda x: x.astype(jnp.int4) + jnp.int4(1))(jnp.arange(4, dtype=jnp.bfloat16))
compiled = jax.jit(lambda x: x * 2).lower(x).compile()
np.testing.assert_array_equal(compiled(x), x * 2)
np.testing.assert_array_equal(jax.jit(lambda x: jax.pure_callback(np.sin, x, x))(x), np.sin(x))
try:
    jax.jit(lambda x: jax.pure_callback(np.linalg.inv, x, x))(x)
except Exception:
    print("raised")
"""


def test_a_platform_that_cannot_be_registered_is_one_sentence(tmp_path):
    variables = {"JAX_PLATFORMS": "hlocts_check", "HLOCTS_CHECK": "plugin=nope"}
    done = subprocess.run([sys.executable, "-c", "import jax; jax.devices()"], text=True,
                          env=environment(tmp_path) | variables, check=False,
                          stderr=subprocess.PIPE)  # fmt: skip
    assert re.fullmatch("hlocts_check: plugin=nope: expected jax .*\n", done.stderr), done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize("setting", ["profile=x", "facts=x", "out=/proc/x", "sample=x", "wait=x",
                                     "out=", "budget=500%"])
def test_a_wrong_setting_is_refused_before_the_program_runs(tmp_path, setting):
    done = run(tmp_path, "print('ran')", "--fail", f"--{setting}")
    assert done.returncode == 2
    assert not done.stdout
    assert re.fullmatch("hlocts check: .*\n", done.stderr), done.stderr


def test_a_check_that_sees_no_execution_fails(tmp_path):
    done = run(tmp_path, "print('ran')", "--fail")
    assert (done.returncode, done.stdout) == (1, "ran\n")
    assert done.stderr == "hlocts check: no execution was seen, so nothing is judged\n"


# The judge must find this fault even if the program sets its platform and changes its directory.
WRONG = """
import os, jax, jax.numpy as jnp
os.chdir(os.sep)
jax.config.update("jax_platforms", "cpu")
def test_scale(): jax.jit(lambda x, y: (x / y) / x)(jnp.float32(1e30), jnp.float32(1e30))
test_scale()
"""


def test_the_platform_of_the_program_is_replaced(tmp_path):
    done = run(tmp_path, WRONG, "--fail")
    assert done.returncode == 1, done.stderr
    assert "platform cpu is replaced" in done.stderr
    assert "1 fail" in done.stderr


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_a_fail_is_the_status_of_pytest(tmp_path, workers):
    if workers:
        pytest.importorskip("xdist")
    (tmp_path / "test_wrong.py").write_text(WRONG)
    command = [sys.executable, "-m", "pytest", "-p", "hlocts.check", *workers, "test_wrong.py"]
    for name, status in (("fail", 1), ("none", 0)):
        variables = {"HLOCTS_CHECK": f"fail={int(name == 'fail')} out={name} wait=600"}
        done = subprocess.run(command, text=True, env=environment(tmp_path / name) | variables,
                              cwd=tmp_path, check=False, capture_output=True)  # fmt: skip
        assert done.returncode == status, done.stderr
        assert "1 passed" in done.stdout, done.stdout
        assert "fail  program" in done.stderr


def test_the_installed_jaxlib_is_judged(tmp_path):
    done = run(tmp_path, OWN, "--fail", "--sample=first,1/10", "--budget=100%")
    assert done.returncode == 1, done.stderr
    assert "raised" in done.stdout
    assert re.findall(r"fail  program \d+, execution (\d+): \S*program\.py:(\d+) \((\w+)\)",
                      done.stderr) == [("0", "4", "scale")], done.stderr  # fmt: skip
    assert re.search(r"outputs.npz --profile=default --facts-of=xla_cpu --explain\n +for a report: .*"
                     r"hlocts shrink \S+/module.hlo .* --backend=jax -o ", done.stderr), done.stderr
    results = [json.loads(line) for path in tmp_path.glob("out/*/results.jsonl")
               for line in path.read_text().splitlines()]  # fmt: skip
    assert sum(one["verdict"] == "pass" for one in results) >= 8, done.stderr
    assert {10, 20, 30} <= {one["execution"] for one in results}, "step, one of ten"
    assert "1 executions: the execution failed" in done.stderr


OPEN = """
import jax, jax.numpy as jnp, numpy as np
x = jax.jit(lambda x: jnp.log(x) - 1)(jnp.float32(-1))
jax.jit(lambda x: x + 1)(x)
@jax.jit
def sums(x): return jnp.sin(jnp.sum(x * x) * 1e8)
sums(jnp.asarray(np.random.default_rng(0).standard_normal(4096), jnp.float32))
@jax.jit
def dot(x): return x @ x
dot(jnp.asarray(np.random.default_rng(0).standard_normal((256, 256)), jnp.bfloat16))
"""


def test_a_nan_and_an_open_verdict_have_a_line_each(tmp_path):
    done = run(tmp_path, OPEN)
    assert re.search(r"NaN  1 executions .*: HLO itself gives NaN: log", done.stderr), done.stderr
    assert re.search(r"inconclusive  1 .*: \S*program\.py:6 \(sums\): ", done.stderr), done.stderr
    for fact in ("reduce.height=N", "dot.sums=f32"):
        assert re.search(f"next: --profile=strict or --facts=xla_cpu,{fact} .* sets; hlocts.check", done.stderr)
    assert re.search(r"NaN  1 executions .*: outputs have NaN, as their inputs do\n", done.stderr)
    assert "2 inconclusive" in done.stderr
    (tmp_path / "f").mkdir()
    assert "1 inconclusive" in run(tmp_path / "f", OPEN, "--facts=xla_cpu,dot.sums=f32").stderr


NAN_DATA = """
import jax, jax.numpy as jnp, numpy as np
x = np.ones((6, 2), np.float32)
x[4, 0] = np.nan
mean = jax.jit(lambda scale, unused, x: (scale * x).mean())
for _ in range(3):
    y = mean(np.float32(2), x, x)
jax.jit(lambda x: x + 1)(y)
"""


@pytest.mark.parametrize("options", [(), ("--sample=all",)])
def test_a_nan_of_the_program_s_data_has_its_argument(tmp_path, options):
    done = run(tmp_path, NAN_DATA, *options)
    place = r"\(program 0, execution 0, argument 1 at \[4,0\]\)"
    said = rf"NaN  {4 if options else 2} executions \(program 0, 1\): outputs have NaN, as their inputs do; the first .*{place}\n"
    assert re.search(said, done.stderr), done.stderr
    assert "judges the execution" not in done.stderr


@pytest.mark.skipif(bool(missing("libhlocts_cpu.so")), reason="no plugin of our CPU engine")
def test_a_plugin_without_a_function_for_handlers_runs_programs_without_calls(tmp_path):
    done = run(tmp_path, "import jax\nprint(jax.jit(lambda x: x + 1)(1.0))", "--fail", "--plugin=cpu")
    assert (done.returncode, done.stdout) == (0, "2.0\n") and "1 pass" in done.stderr, done.stderr


@needs_plugin
def test_right_programs_pass(tmp_path):
    done = run(tmp_path, RIGHT, "--fail", "--sample=first,1/10", "--plugin=xla")
    assert done.returncode == 0, done.stderr
    assert "fail  program" not in done.stderr
    assert "a stage before execution, which cannot be passed to a plugin" in done.stdout
    verdicts = [json.loads(line)["verdict"] for path in tmp_path.glob("out/*/results.jsonl")
                for line in path.read_text().splitlines()]  # fmt: skip
    assert verdicts.count("pass") >= 10, done.stderr
