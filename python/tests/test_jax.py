# SPDX-License-Identifier: Apache-2.0
"""Tests that need JAX; skipped if it is missing."""

import collections
import dataclasses
import functools
import re
import subprocess
import sys
import types
from typing import NamedTuple

import numpy as np
import pytest

import hlocts
from hlocts import api, binary, lowering, stablehlo
from hlocts.errors import HloctsError

from . import environment

try:
    import jax
    import jax.numpy as jnp
    from jax import lax
except ImportError:
    jax = None

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.skipif(jax is None, reason="JAX is not installed")


WRONG_ENGINE = "canary:subtract.operands-swapped"


def log_exp(x):
    return jnp.log(jnp.exp(x))


def normal(*shape, dtype="float32"):
    return jax.random.normal(jax.random.key(0), shape).astype(dtype)


def rnn(w, h, xs):
    def step(h, x):
        h = jnp.tanh(w @ h + x)
        return h, h

    return jax.lax.scan(step, h, xs)


def conv(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME")


def attention(q, k, v):
    return jax.nn.dot_product_attention(q, k, v)


CASES = {
    "softmax bf16": lambda: (jax.nn.softmax, normal(8, 64, dtype="bfloat16")),
    "rnn": lambda: (rnn, normal(8, 8) / 4, normal(8), normal(12, 8)),
    "conv f16": lambda: (conv, normal(1, 3, 8, 8, dtype="f2"), normal(4, 3, 3, 3, dtype="f2")),
    "sort with nan": lambda: (jnp.sort, jnp.array([3.0, np.nan, -0.0, 0.0, -np.nan])),
    "fft": lambda: (jnp.fft.fft, normal(32)),
    "attention": lambda: (attention, *[normal(1, 8, 2, 16, dtype="bfloat16")] * 3),
    "keys": lambda: (lambda k: jax.random.key_data(jax.random.split(k)[0]), jax.random.key(1)),
    "f8": lambda: (lambda x: x.astype(jnp.float8_e4m3fn), normal(16)),
    "int4": lambda: (lambda x: x.astype(jnp.int4), jnp.arange(-3, 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_what_jax_computes_is_allowed(name):
    result = hlocts.check(*CASES[name]())
    assert result.passed, str(result)
    assert result.elements > 0 and result.bits_checked > 1
    assert result.engine.startswith("jax ")


@pytest.mark.parametrize("name", CASES)
def test_what_the_reference_computes_is_near(name):
    f, *args = CASES[name]()
    ours, theirs = hlocts.evaluate(f, *args), f(*args)
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    for mine, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine.astype("c16"), np.asarray(other).astype("c16"), 0.05, 0.05)


def test_a_wrong_value_in_a_tree_is_named(tmp_path):
    def f(tree):
        return {"a": tree["x"] + 1, "b": (log_exp(tree["x"]), tree["n"])}

    lowered = lowering.lower(f, ({"x": jnp.array([1.0, 2.0]), "n": 3, "unused": 4.0},))
    wrong = lowered.execute()
    wrong[1] = wrong[1] + np.array([0, 1], "f4")
    given = (lowered.text, lowered.inputs, wrong)
    result = api._judge(*given, "default", (), tmp_path, lowered)
    assert result.verdict == "fail"
    assert result.failure.name == "result['b'][0]" and result.failure.index == (1,)
    assert [a.name for a in result.failure.arguments] == ["args[0]['x']"]
    assert __file__ in result.failure.source and result.failure.source in str(result)
    assert __file__ in hlocts.digits(log_exp, 1.5).instructions[0]["source"]
    assert "1 of its numbers are infinite or NaN" in str(hlocts.digits(log_exp, 200.0))
    many = str(hlocts.digits(lambda x: functools.reduce(lambda y, _: jnp.sin(y), range(14), x), -1.5))
    assert "\n2 more instructions (.instructions has all)\n" in many
    assert "no output has numbers of a floating" in str(hlocts.digits(jnp.argmax, normal(3)))
    assert "result['b'][0] at [1] is 3 " in str(result)
    assert "<svg" in result._repr_html_()


@pytest.mark.parametrize("name", CASES)
def test_what_jax_computes_lies_within_the_bounds(name):
    f, *args = CASES[name]()
    lower, upper, nan, together = hlocts.allowed(f, *args)
    assert jax.tree.structure(lower) == jax.tree.structure(upper) == jax.tree.structure(f(*args))
    leaves = zip(*map(jax.tree.leaves, (lower, upper, nan, f(*args))), strict=True)
    for low, high, is_nan, value in leaves:
        assert low.dtype == high.dtype == value.dtype and low.shape == value.shape
        parts = [np.real, np.imag] if low.dtype.kind == "c" else [lambda array: array]
        for part in parts:
            ends = [part(np.asarray(one)).astype("f8") for one in (low, value, high)]
            inside = (ends[0] <= ends[1]) & (ends[1] <= ends[2])
            assert (inside | (is_nan & np.isnan(ends[1]))).all()
    assert together == (("normwise",) if name == "fft" else ("",) * len(together))


LINEAR = {
    "cholesky": lambda a, b: jnp.linalg.cholesky(a @ a.T + jnp.eye(16)),
    "eigh": lambda a, b: jnp.linalg.eigh(a + a.T),
    "qr": lambda a, b: jnp.linalg.qr(a),
    "solve": jnp.linalg.solve if jax else None,
    "svd": lambda a, b: jnp.linalg.svd(a, full_matrices=False),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_algebra_is_judged_whole_or_by_its_pieces(name):
    given = normal(16, 16) + 4 * jnp.eye(16), normal(16)
    assert "custom-call" in str(hlocts.digits(LINEAR[name], *given))
    result = hlocts.check(LINEAR[name], *given)
    assert result.passed, str(result)
    assert result.bits_checked > 1 and "jax " in result.engine


def test_a_key_is_its_words():
    words = hlocts.evaluate(lambda k: {"next": jax.random.split(k)[0]}, jax.random.key(1))["next"]
    expected = jax.random.key_data(jax.random.split(jax.random.key(1))[0])
    np.testing.assert_array_equal(words, expected)


def test_repeated_runs_are_counted():
    x = jnp.array([1.0, 200.0])
    assert hlocts.check(jnp.sin, x, repeat=3).runs == {"pass": 3}
    for engine in (None, "jax"):  # pieces decide
        assert hlocts.check(jnp.sum, jnp.float32([1e8, -1e8, 3, 0.1]), engine=engine, repeat=3).runs == {"probable": 3}
    wrong = hlocts.check(lambda x: x - 1, x, engine=WRONG_ENGINE, repeat=2)
    assert wrong.verdict == "fail" and wrong.runs == {"fail": 2}
    # Simulates three runs of JAX in this process; one of them is wrong.
    low = lowering.lower(jnp.sin, (x,))
    values = iter([np.sin(x), np.cos(x), np.sin(x)])
    low = dataclasses.replace(low, execute=lambda: [next(values)])
    outputs, runs = api._worst_of(low, low.execute(), 3, "default", ())
    assert runs == {"pass": 2, "fail": 1} and outputs[0][0] == np.cos(x)[0]


def test_a_named_engine(tmp_path):
    said = str(hlocts.check(lambda x, y, z: x / (y / z), 1e30, 1e30, 1e30, engine="jax"))
    assert re.search(r"known: .*\(finding xla-quotient-in-the-divisor: .*; a question, .* which reading holds\.\n", said)
    x = jnp.array([1.0, 200.0])
    result = hlocts.check(log_exp, x, engine="reference").raise_for_failure()
    assert result.engine.startswith("reference ")
    canary = hlocts.check(lambda x: x - 1, x, engine=WRONG_ENGINE, keep=tmp_path)
    assert canary.verdict == "fail"
    right = hlocts.check(lambda x: x - 1, x, engine="jax", keep=tmp_path)
    for folder, is_right in ((tmp_path, False), (tmp_path / "2", True)):
        assert (np.load(folder / "outputs.npz")["out0"].tolist() == (x - 1).tolist()) is is_right
    assert f" {tmp_path}/2/module.hlo " in right.replay and (tmp_path / "failing.txt").exists()
    with pytest.raises(hlocts.ConformanceError):
        canary.raise_for_failure()
    assert re.search(r"\n  report: (.+) shrink .* -o (\S+/small) && \1 report-bug \2$", str(canary))
    assert str(hlocts.check(log_exp, x, engine="/nope/x.so")).startswith("error: log_exp on pjrt:x.so\n")
    shown = subprocess.run(canary.replay, shell=True, capture_output=True, text=True, check=False,
                           env=environment(tmp_path))  # fmt: skip
    assert shown.returncode == 1 and "canary:subtract.operands-swapped" in shown.stdout
    with pytest.raises(hlocts.HloctsError, match="expected one of"):
        hlocts.check(log_exp, x, engine="nosuch")
    with pytest.raises(hlocts.HloctsError, match="engine: expected a name"):
        hlocts.check(log_exp, x, engine="")


def test_jax_in_a_process_of_its_own():
    softmax = hlocts.check(jax.nn.softmax, normal(4, 8, dtype="bfloat16"), engine="jax")
    assert softmax.passed and softmax.engine.startswith("jax " + jax.__version__)
    narrow = hlocts.check(lambda x: (x + 1, x > 0), jnp.arange(-3, 3).astype("int4"), engine="jax")
    assert narrow.passed and narrow.elements == 12
    for option, verdict in (("xla_cpu_enable_fast_min_max=true", "fail"), ("wrong=1", "error")):
        found = hlocts.check(jnp.maximum, 1.0, np.float32(np.nan), engine=f"jax?facts=&{option}")
        assert found.verdict == verdict, found


def test_parameters_keep_their_names(tmp_path):
    hlocts.check(lambda first, second: first + second, normal(2), normal(2), keep=tmp_path)
    text = (tmp_path / "module.hlo").read_text()
    assert "first.1 =" in text and "second.1 =" in text


def test_static_arguments_and_jitted_functions():
    power = functools.partial(jax.jit(lambda x, n: x**n, static_argnums=1), n=3)
    assert hlocts.check(lambda x: power(x), jnp.array([1.0, 2.0])).passed
    result = hlocts.check(functools.partial(jnp.sum, axis=0), jnp.array([1.0, 2.0]))
    assert result.passed and result.module == "sum"
    wrong = hlocts.check(jnp.expm1, 1e-10, engine="canary:exponential-minus-one.by-exp")
    assert wrong.failure.source.startswith(f"{__file__}:"), wrong.failure.source
    assert hlocts.check(jax.jit(jax.grad(lambda x: x * x)), 2.0).module == "jit(grad(<lambda>))"


def test_custom_calls_are_named(tmp_path):
    f = jax.jit(lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((2,), np.float32), x))
    result = hlocts.check(f, jnp.array([1.0, 2.0]), keep=tmp_path)
    assert result.verdict == "unsupported"
    assert result.custom_calls and result.custom_calls[0] in str(result)


FOREIGN = """
module attributes {tf.versions = {producer = 2288 : i32}} {
  func.func @entry(%arg0: tensor<2xf32> {tt.status = #tt.status<whole>}) -> (tensor<2xf32> {tt.a = 1 : i32}) {
    %0 = stablehlo.negate %arg0 {tt.hint = "none"} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


@pytest.mark.parametrize("engine", ["jax", "cpu"])
def test_a_callback_is_not_called_from_another_process(engine):
    f = lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((2,), np.float32), x)
    result = hlocts.check(f, jnp.ones(2), engine=engine)
    assert result.verdict == "unsupported", result
    assert "calls a Python function in the process that made the module" in result.reason


def test_a_jax_that_is_too_old_is_named():
    old = types.SimpleNamespace(__version__="0.5.3", __version_info__=(0, 5, 3))
    with pytest.raises(HloctsError, match="x needs jax 0.6.2 or newer, found jax 0.5.3"):
        lowering.require(old, "0.6.2", "x")
    lowering.require(jax, "0.6.2", "x")


def test_stablehlo_with_what_jaxlib_does_not_know(tmp_path):
    x = np.array([1, 2], np.float32)
    assert hlocts.evaluate(FOREIGN, x)[0].tolist() == [-1, -2]
    file = tmp_path / "m.mlir"
    file.write_text(FOREIGN)
    assert hlocts.judge(file, [x], [-x]).passed
    assert f'source_file="{file}" source_line=4' in binary.run(["convert", file, "--to=text"])
    text = jax.jit(jnp.sin).lower(x).as_text(debug_info=True)
    assert hlocts.judge(text, [x], [np.sin(x)]).module == "jit_sin"
    text = jax.jit(jnp.sin).lower(x).as_text()
    file.write_bytes(jax.export.export(jax.jit(jnp.sin))(x).mlir_module_serialized)
    assert hlocts.judge(file, [x], [np.sin(x)]).passed
    assert len(hlocts.evaluate(file, x)) == 1
    with pytest.raises(hlocts.HloctsError, match="line 3, column") as raised:
        hlocts.judge(text.replace("stablehlo.sine", "stablehlo.sinus"), [x], [x])
    assert "\n" not in str(raised.value)


# Part of a longer text that defines the locations. jaxlib's Python lacks the dialect mhlo.
FRAGMENT = """
func.func @twice(%arg0: tensor<2xf32> loc("x")) -> tensor<2xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32> loc(#loc3)
  %1 = mhlo.negate %0 : tensor<2xf32> loc(#loc)
  return %1 : tensor<2xf32> loc(#loc)
} loc(#loc)
"""


# In 2023, attributes that are arrays today were tensors.
OLD = """
func.func @pad(%arg0: tensor<2x1xf32>, %arg1: tensor<f32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.transpose"(%arg0) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x1xf32>) -> tensor<1x2xf32>
  %1 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<1x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x2xf32>
  %3 = "stablehlo.pad"(%2, %arg1) {edge_padding_low = dense<[1, 0]> : tensor<2xi64>, edge_padding_high = dense<[1, 0]> : tensor<2xi64>, interior_padding = dense<0> : tensor<2xi64>} : (tensor<1x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}
"""


def test_stablehlo_of_2023():
    x, one = np.array([[1], [2]], np.float32), np.float32(1)
    assert hlocts.evaluate(OLD, x, one)[0].tolist() == [[1, 1], [2, 3], [1, 1]]


@pytest.mark.parametrize("form", ["stablehlo", "stablehlo-bytecode"])
def test_hlo_as_stablehlo(form, tmp_path, monkeypatch):
    monkeypatch.setenv("HLOCTS_XLA_LIBRARY", "/nowhere")
    (tmp_path / "m.hlo").write_text(
        "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] negate(x)\n}")
    binary.run(["convert", tmp_path / "m.hlo", f"--to={form}", "-o", tmp_path / "m.mlir"])
    assert "f32[2]{0} negate(" in binary.run(["convert", tmp_path / "m.mlir", "--to=text"])


def test_stablehlo_cut_from_a_longer_text():
    x = np.array([1, 2], np.float32)
    assert hlocts.evaluate(FRAGMENT, x)[0].tolist() == [-2, -4]
    with pytest.raises(hlocts.HloctsError, match="printed without its large constants"):
        hlocts.evaluate("func.func @main() -> tensor<9xf32> {\n  %0 = stablehlo.constant "
                        "dense_resource<__elided__> : tensor<9xf32>\n"
                        "  return %0 : tensor<9xf32>\n}")  # fmt: skip


# Functions with a slice whose start is beyond its array, and negative if read as a signed number.
def _start_of(element_type):
    return lambda x: lax.dynamic_slice(x, (jnp.asarray(np.iinfo(element_type).max, element_type),), (2,))


def _computed_start(x):
    return lax.dynamic_slice(x, (lax.sub(jnp.uint32(0), jnp.uint32(1)),), (2,))


def _start_in_a_loop(x):
    step = lambda _, carried: (lax.dynamic_slice(x, (carried[1],), (2,)), carried[1])
    return lax.fori_loop(0, 3, step, (x[:2], jnp.uint32(2**32 - 1)))[0]


def _start_of_a_gather(x):
    numbers = lax.GatherDimensionNumbers((0,), (), (0,))
    return lax.gather(x, jnp.array([2**32 - 1], jnp.uint32), numbers, (2,), mode="clip")


def _start_and_an_argument(x):
    return lax.dynamic_slice(jnp.stack([x, x]), (lax.convert_element_type(x[0], jnp.uint32),
                                                 jnp.uint32(2**32 - 1)), (1, 2))[0]  # fmt: skip


UNSIGNED_STARTS = [*map(_start_of, ("uint8", "uint16", "uint32", "uint64")), _computed_start, _start_in_a_loop,
                   _start_of_a_gather, _start_and_an_argument]  # fmt: skip


@pytest.mark.parametrize("f", UNSIGNED_STARTS)
def test_an_unsigned_start_keeps_its_value(f):
    x = np.array([1, 2, 3, 4], np.int32)
    with jax.enable_x64(True):
        assert hlocts.check(f, x).verdict == ("pass" if jax.jit(f)(x)[0] == 3 else "fail")
        assert hlocts.evaluate(f, x).tolist() == [3, 4]


@pytest.mark.parametrize("form", ["text", "bytecode"])
def test_a_result_of_the_wrong_start_fails(form, tmp_path):
    x, right, wrong = (np.array(one, np.int32) for one in ([1, 2, 3, 4], [3, 4], [1, 2]))
    f, file = jax.jit(_start_of("uint32")), tmp_path / "m.mlir"
    file.write_bytes(f.lower(x).as_text().encode() if form == "text"
                     else jax.export.export(f)(x).mlir_module_serialized)  # fmt: skip
    assert hlocts.judge(file, [x], [right]).passed
    assert hlocts.judge(file, [x], [wrong]).verdict == "fail"


def test_an_unsigned_start_that_its_signed_type_lacks():
    f = lambda x: lax.dynamic_slice(x, (jnp.uint8(200),), (2,))
    assert hlocts.evaluate(f, np.arange(300, dtype=np.int32)).tolist() == [200, 201]


def test_other_slices_are_converted_as_they_are():
    argument = jax.jit(lambda x, i: lax.dynamic_slice(x, (i, jnp.uint32(1)), (2, 2)))
    for text in (argument.lower(jnp.ones((4, 4)), jnp.uint32(7)).as_text(),
                 jax.jit(lambda x: lax.dynamic_slice(x, (jnp.uint32(7),), (2,))).lower(jnp.ones(4)).as_text(),
                 jax.jit(lambda x: lax.dynamic_slice(x, (-1,), (2,))).lower(jnp.ones(4)).as_text()):  # fmt: skip
        assert stablehlo.with_clamped_starts(text) is None


def test_a_nan_of_hlo_itself_is_named():
    result = hlocts.check(lambda x: x / 0 * 0, jnp.array([1.0, 2.0]))
    assert "HLO itself gives NaN" in str(result) and f"; source {__file__}:" in str(result)
    assert result.record["nan"]["source"].startswith(__file__)
    # A certain NaN is named before one that a flushed subnormal number permits.
    for x, words in (([1e-39, 0], "HLO itself gives NaN at output 0 [1]: div"),
                     ([1e-39], "HLO permits NaN at output 0 [0]: div")):
        judged = hlocts.judge(jax.jit(lambda x: x / x).lower(jnp.float32(x)).as_text(),
                              [np.float32(x)], [np.float32([np.nan] * len(x))])  # fmt: skip
        assert judged.passed and words in str(judged), judged
        assert judged.record["nan"]["certain"] == (len(x) == 2)
    softmax = jax.jit(lambda x: jnp.exp(x) / jnp.sum(jnp.exp(x))).lower(jnp.zeros(3)).as_text()
    judged = hlocts.judge(softmax, [np.float32([-104, -300, -90])], [np.float32([np.nan] * 3)])
    assert "HLO permits NaN at output 0 [0]: div" in str(judged), judged
    median = hlocts.check(jnp.median, jnp.array([1, np.nan, 3]))
    assert "; input a.1[1] is NaN" in str(median) and "nan" not in median.record


SUBNORMAL = jnp.array([1e-45, 0.0])


@pytest.mark.parametrize("engine", [None, "jax"])
def test_the_facts_of_jaxlib_hold(engine):
    result = hlocts.check(lambda x: x == 0, SUBNORMAL, engine=engine)
    assert result.verdict in ("pass", "inconclusive"), str(result)


def test_a_fact_that_permits_more_is_named():
    f, x = lambda x: jnp.where(x > 0, 2 * jnp.exp(x), jnp.inf), jnp.float32([1e-39, 1, 2])
    y, fact = np.float32([np.inf, *2 * np.exp(x[1:])]), "engine declares the fact compare.flush: "
    for engine in (None, "jax"):
        result = hlocts.check(f, x, engine=engine)
        assert result.passed and f"accepted only because the {fact}" in str(result), result
        assert result.record["departures"] == ["compare.flush"]
    assert "and by:      another step that may go either way" in hlocts.check(f, x).explain()
    judged = hlocts.judge(jax.jit(f).lower(x).as_text(), [x], [y])
    assert judged.verdict == "fail" and f"permitted if the {fact}" in str(judged), judged
    assert hlocts.allowed(f, x).upper[0] < hlocts.allowed(f, x, facts="xla_cpu").upper[0] == np.inf


class Pair(NamedTuple):
    second: object
    first: object


def test_bounds_of_any_structure_are_printed_in_its_order():
    class Own:
        def __init__(self, *parts):
            self.parts = parts

    jax.tree_util.register_pytree_node(Own, lambda one: (one.parts, None), lambda _, parts: Own(*parts))
    x = jnp.array([1.0, 2.0, 3.0])

    def f(kind, x):
        return kind(x * 2, jnp.linalg.qr(jnp.outer(x, x))[0])

    ordered = lambda z, a: collections.OrderedDict(z=z, a=a)  # noqa: E731
    for kind in (Own, Pair, ordered, lambda z, a: {"b": (None, a), "a": [z]}):
        double, q = str(hlocts.allowed(functools.partial(f, kind), x)).split("\n")
        assert double == "leaf 0: 3 elements, 3 with one value, first 2.0, 4.0, 6.0"
        assert q.startswith("leaf 1: 9 elements") and "; together: " in q


def test_facts_of_a_target_by_its_name():
    equal = lambda x: x == 0  # noqa: E731
    assert hlocts.check(equal, SUBNORMAL, facts=()).verdict == "fail"
    assert hlocts.check(equal, SUBNORMAL, facts=["xla_cpu"]).verdict == "inconclusive"
    with pytest.raises(hlocts.HloctsError, match="one name of a target"):
        hlocts.check(equal, SUBNORMAL, facts=["xla_cpu", "metal"])
    assert hlocts.check(equal, SUBNORMAL, facts="xla_cpu").verdict == "inconclusive"
    for facts, engine in (("", None), ([""], None), ("", "reference")):
        with pytest.raises(hlocts.HloctsError, match="facts: expected a name .* found \"\""):
            hlocts.check(equal, SUBNORMAL, facts=facts, engine=engine)
    with pytest.raises(hlocts.HloctsError, match=r"'jax\?facts=NAME' names others"):
        hlocts.check(equal, SUBNORMAL, facts=["xla_cpu"], engine="jax?x=1")


PLUGIN_TEST = """
import hlocts, pytest, jax, jax.numpy as jnp, numpy as np

@hlocts.conforms
def test_right():
    return jnp.sort, jnp.array([2., 1.])

@pytest.mark.parametrize("n", [1, 2])
@hlocts.conforms(engine="ENGINE")
def test_wrong(n):
    return lambda x: x - n, jnp.array([2., 1.])

@hlocts.conforms
def test_not_judged():
    f = lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((2,), np.float32), x)
    return f, jnp.array([2., 1.])

@hlocts.conforms
def test_left_open():
    # A subnormal number may be read as zero: both results are permitted.
    return lambda x: x == 0, jnp.array([1e-45])

@hlocts.conforms(facts=())
def test_of_facts():
    return lambda x: x == 0, jnp.array([1e-45])

@hlocts.conforms
def test_arguments_as_a_tuple():
    return jnp.add, (jnp.array([1.]), jnp.array([2.]))

@hlocts.conforms
def test_one_argument_as_a_tuple():
    return jnp.sin, (jnp.array([1.]),)

@hlocts.conforms
def test_of_nothing():
    pass
"""


def test_the_report_of_pytest(pytester):
    pytester.makepyfile(PLUGIN_TEST.replace("ENGINE", WRONG_ENGINE))
    done = pytester.runpytest_subprocess("-rs")
    done.assert_outcomes(passed=3, failed=4, skipped=2)
    done.stdout.fnmatch_lines(["*fail: <lambda> on canary:*", "*HLO allows*",
                               "*a test that conforms returns a function*", "SKIPPED*_report_of_pytest.py:*no handler for*"])


def test_an_error_in_the_decorator_has_its_frame(pytester):
    pytester.makepyfile("""
        import hlocts
        @hlocts.conforms(mesh=3)
        def test_it():
            return lambda x: x, 1.0
    """)
    done = pytester.runpytest_subprocess()
    done.stdout.fnmatch_lines(["*'int' object is not callable*", "*testing.py:*TypeError"])
    done.stdout.no_fnmatch_line("*full-trace*")


def test_the_option_names_the_engine(pytester):
    pytester.makepyfile("""
        import hlocts, jax.numpy as jnp
        @hlocts.conforms
        def test_it():
            return lambda x: x - 1, jnp.array([2., 1.])
    """)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    done = pytester.runpytest_subprocess("--hlocts-engine=" + WRONG_ENGINE)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["hlocts: engine canary:*"])


def test_facts_that_the_engine_of_the_option_replaces_are_named(pytester):
    pytester.makepyfile("""
        import hlocts, jax.numpy as jnp
        @hlocts.conforms(facts=["xla_cpu"])
        def test_it():
            return lambda x: x == 0, jnp.array([1e-45])
    """)
    done = pytester.runpytest_subprocess("--hlocts-engine=jax", "-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["*facts= of the test are not used: the engine jax declares its own*"])


def test_a_nan_of_hlo_itself_is_a_warning(pytester):
    pytester.makepyfile("""
        import hlocts, jax.numpy as jnp
        @hlocts.conforms
        def test_it():
            return lambda x: jnp.log(x) - 1, jnp.array([2., -1.])
        @hlocts.conforms
        def test_of_a_nan():
            return lambda x: x - 1, jnp.array([2., jnp.nan])
    """)
    done = pytester.runpytest_subprocess()
    done.assert_outcomes(passed=2, warnings=1)
    done.stdout.fnmatch_lines(["*test_it: HLO itself gives NaN: log*"])


def test_a_skipped_test_warns_of_its_nan(pytester):
    pytester.makepyfile("""
        import os
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
        import hlocts, jax, jax.numpy as jnp
        from jax.sharding import Mesh, PartitionSpec as P
        M = Mesh(jax.devices(), "i")
        def naive(x):
            e = jnp.exp(x)
            return e / jax.lax.psum(e.sum(), "i")
        @hlocts.conforms
        def test_it():
            f = jax.shard_map(naive, mesh=M, in_specs=P("i"), out_specs=P("i"))
            return f, jnp.array([5., 100., 30., 89.])
    """)
    pytester.runpytest_subprocess().assert_outcomes(skipped=1, warnings=1)
    done = pytester.runpytest_subprocess("-W", "error::UserWarning")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*test_it: HLO permits NaN: div*"])


def test_a_failing_piece_is_kept_with_the_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def f(x, y):  # the outputs do not show that log1p(1e-10) is 0
        s = jnp.exp(x) + jnp.log1p(y)
        return jnp.sin((jnp.log(jnp.exp(s)) - s) * jnp.exp(s)), x

    wrong = "canary:log-plus-one.by-log"
    result = hlocts.check(f, jnp.float32([3, 2]), jnp.float32([1e-10, 1e-9]), engine=wrong, keep="k")
    assert result.verdict == "fail" and (tmp_path / "k" / "failing.piece.hlo").exists()
    assert "\n  output 0 of the piece log1p.1 at [0] is 0 " in str(result)
    assert "\n  the function's outputs, which alone show no failure: 4 elements compared" in str(result)
    assert [one.name for one in tmp_path.iterdir()] == ["k"]


def test_what_only_the_strict_profile_rejects_is_said(tmp_path):
    u, v = normal(4, 512, dtype="bfloat16"), normal(512, 4, dtype="bfloat16")
    low = hlocts.lowering.lower(lambda x, w: x @ w, (u, v))
    near = np.asarray(u, "float32") @ np.asarray(v, "float32")
    off = (near + np.float32(2**-6) * abs(near)).astype(u.dtype)
    result = hlocts.judge(low.text, [u, v], [off], profile="strict")
    assert result.verdict == "fail" and hlocts.judge(low.text, [u, v], [off]).verdict != "fail"
    probable = hlocts.check(lambda x, w: x @ w, u, v, keep=tmp_path)
    names = {"module.hlo", "inputs.npz", "outputs.npz"}  # of the function and its pieces
    assert probable.replay_arguments[0] == "diff" and names == {one.name for one in tmp_path.iterdir()}
    assert "\n  nothing was shown wrong, but this is no proof and no pass: " in str(probable)
    assert "piece" in probable.reason
    assert 'next: facts=["xla_cpu", "dot.sums=f32"] narrows' in str(probable)
    x = np.random.default_rng(5).normal(size=400).astype("f2")  # facts also hold in the pieces
    for fact, verdict in (("reduce.sums=f32", "probable"), ("reduce.height=9", "pass")):
        sums = hlocts.check(jnp.cumsum, x, facts=["xla_cpu", fact])
        assert (sums.verdict, "reduce.height=N" in sums.explain()) == (verdict, verdict != "pass"), sums
    assert all(one in str(result) for one in ("the strict profile allows", "not HLO: the default"))
    assert "not HLO: the default profile accepts" in result.explain()
    with pytest.raises(hlocts.HloctsError, match="single facts, such as dot.sums=f32"):
        hlocts.check(jnp.sin, 1.0, facts=["nonsense"])


MESH_TEST = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"
import hlocts, jax, jax.numpy as jnp, numpy as np, pytest
from jax.sharding import Mesh, PartitionSpec as P

def mesh():
    return Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))

def of_a_mesh():
    return lambda x: x.sum(0), np.arange(16, dtype=np.float32).reshape(4, 4)
test_of_a_mesh, test_of_a_function = (
    hlocts.conforms(of_a_mesh, mesh=given, in_specs=(P("a", "b"),), out_specs=P("b"))
    for given in (mesh(), mesh))

def test_each_device_computes_on_what_it_has():
    low = hlocts.lowering.lower(lambda x: x + 1, (np.arange(8.),),
                                hlocts.lowering.Spread(mesh(), (P(("a", "b")),), P("a")))
    assert "sharding" not in low.text
    np.testing.assert_array_equal(low.execute()[0], np.arange(8.) + 1)
    assert low.unequal == []

@pytest.mark.parametrize("specs", [{}, {"in_specs": (P("d"),), "out_specs": P()}])
def test_shardings_in_types_are_those_of_the_run(specs):
    explicit = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Explicit,))
    x = jax.device_put(np.ones((8, 2)), jax.sharding.NamedSharding(explicit, P("d")))
    f = jax.shard_map(lambda x: jax.lax.psum(x.sum(0), "d"), mesh=explicit, out_specs=P())
    assert hlocts.check(f, x, mesh=explicit, **specs).passed

def test_each_device_rounds_its_part_of_a_dot():
    u, v = (jax.random.uniform(jax.random.key(i), shape).astype("bfloat16")
            for i, shape in enumerate([(8, 64), (64, 32)]))
    spread = dict(mesh=mesh(), in_specs=(P(None, ("a", "b")), P(("a", "b"), None)), out_specs=P())
    dot = lambda x, w: x @ w
    low = hlocts.lowering.lower(dot, (u, v), hlocts.lowering.Spread(**spread), annotated=True)
    for options in ({"profile": "strict"}, {"facts": ["xla_cpu", "dot.sums=f32"]}):
        result = hlocts.check(dot, u, v, **spread, **options)
        assert result.passed and "--partitions=4" in result.replay_arguments, str(result)
        parts = [low.execute(), [np.asarray(u[:, :48] @ v[:48])]]
        judged = [hlocts.judge(low.text, [u, v], outputs, **options).verdict for outputs in parts]
        assert judged == ["pass", "fail"]

def test_an_element_counts_once():
    whole, axes = lambda x: jax.lax.all_gather(x, ("a", "b"), tiled=True), P(("a", "b"))
    for f, out, held in ((lambda x: x * 2, axes, "8 elements compared;"),
                         (whole, P(), "8 elements compared on each of 4 devices;")):
        part = jax.shard_map(f, mesh=mesh(), in_specs=axes, out_specs=out, check_vma=False)
        result = hlocts.check(lambda x: part(x), jnp.arange(8.))
        assert (result.passed, result.elements) == (True, 8) and held in str(result), result

def test_unequal_copies_fail():
    # Without the check of shard_map a result that differs from device to device passes as a copy.
    def own(x):
        part = jax.shard_map(lambda x: x, mesh=mesh(), in_specs=P(("a", "b")), out_specs=P(),
                             check_vma=False)
        return part(x)
    spread = dict(mesh=mesh(), in_specs=(P(("a", "b")),), out_specs=P())
    for options, runs in ((spread, {}), (spread | {"repeat": 2}, {"fail": 2}), ({}, {})):
        result = hlocts.check(own, np.arange(1., 5, dtype=np.float32), **options)
        failure = result.failure
        assert (result.verdict, failure.output, failure.index, result.runs) == ("fail", 0, (0,), runs)
        assert [copy.value for copy in failure.copies] == ["1", "2"], failure
        assert not result.replay and sorted(os.listdir(result.files.path)) == [
            "inputs.npz", "module.hlo", "outputs.npz"]
        for words in ("4 devices)", "1 elements compared on each of 4 devices", "[0] is 1 on device 0 and 2 on device 1", "different copies of an element; the outputs of one device are acceptable",
                      "the program's fault and not JAX's", "equal copies of an element", "a repeated check"):
            assert words in str(result), str(result)
        assert result.explain().startswith(str(result))
        assert result._repr_html_()
    folder = result.files.path
    del result
    assert folder.is_dir()

def test_an_unequal_copy_has_its_index_in_the_whole_array():
    one = lambda x: jax.lax.axis_index("a") * (x == x[-1]) + 0.0 * x
    part = jax.shard_map(one, mesh=mesh(), in_specs=P("b"), out_specs=P("b"), check_vma=False)
    result = jax.jit(part)(np.arange(4.))
    (found,) = hlocts.lowering._unequal([result])
    assert (found.index, [copy.value for copy in found.copies]) == ((1,), ["0", "1"])

def test_a_nan_of_a_manual_region_has_its_device():
    local = lambda x: jnp.exp(x) / jnp.sum(jnp.exp(x), -1, keepdims=True)
    softmax = jax.shard_map(local, mesh=mesh(), in_specs=P("a"), out_specs=P("a"))
    x = np.array([[1, 2], [100, 1]], np.float32)
    for f in (softmax, jax.grad(lambda x: softmax(x)[1, 0])):
        result = hlocts.check(f, x)
        assert result.passed and "NaN at output 0 [1,0]: " in str(result), str(result)
        assert " on device 2, operands " in str(result)
        assert "step by step" in result.explain() and "= 100\\n" in result.explain()

def test_an_engine_partitions_or_says_that_it_cannot():
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    spread = dict(mesh=mesh(), in_specs=(P("a", "b"),), out_specs=P("b"))
    for engine, reason in (("reference", ""), ("jax", "the engine does not partition modules")):
        result = hlocts.check(lambda x: x.sum(0), x, engine=engine, keep=engine, **spread)
        header = open(f"{engine}/module.hlo").readline()
        assert "num_partitions=4" in header and "xla.sdy" not in header
        assert result.verdict == ("unsupported" if reason else "pass"), str(result)
        assert reason in result.reason
    assert jax.config.jax_use_shardy_partitioner

@pytest.mark.parametrize("spread", [{}, {"mesh": mesh, "in_specs": P("a"), "out_specs": P()}])
def test_manual_regions(spread):
    body = lambda x: jax.lax.psum(x, ("a", "b"))
    f = lambda x: (jax.shard_map(body, mesh=mesh(), in_specs=P(("a", "b")), out_specs=P())(x), x)
    x = np.arange(8, dtype=np.float32)
    if spread:
        spread = spread | {"mesh": mesh()}
    for engine in (None, "reference"):
        result = hlocts.check(f, x, engine=engine, **spread)
        assert result.passed, str(result)
    assert "; engine=None runs manual regions" in str(hlocts.check(f, x, engine="jax", **spread))
    for values in (hlocts.evaluate(f, x), *hlocts.allowed(f, x)[:2]):
        np.testing.assert_array_equal(values[0], x.reshape(4, 2).sum(0))
        np.testing.assert_array_equal(values[1], x)
    assert len(hlocts.allowed(f, x).together) == 2
"""


def test_wrong_arguments_are_named():
    ordered = lambda x: (jax.debug.print("{}", x, ordered=True), x)[1]  # noqa: E731
    for function, options, sentence in (
        (ordered, {}, "ordered effects"),
        (jnp.sin, {"in_specs": jax.sharding.PartitionSpec()}, "expected the argument mesh too"),
        (jax.jit(lambda x: x, static_argnums=0), {}, "functools.partial"),
        (jnp.sin, {"mesh": 3}, "expected a jax.sharding.Mesh, found 3"),
        (jnp.sin, {"repeat": 0}, "repeat: expected a number of at least 1, found 0"),
        (jnp.sin, {"engine": 3}, "engine: expected None or a name, found 3"),
        ("m.mlir", {}, "f: expected a function"),
        (jnp.sin, {"keep": "/proc/x"}, "keep: .*/proc/x"),
    ):
        with pytest.raises(hlocts.HloctsError, match=sentence):
            hlocts.check(function, 1.0, **options)


def test_a_mesh(pytester):
    pytester.makepyfile(MESH_TEST)
    pytester.runpytest_subprocess().assert_outcomes(passed=13)


def test_the_script_of_a_report_names_what_jax_replaces(tmp_path):
    # XLA's converters turn the pad of an empty array into a broadcast.
    finding = binary.find().parents[1] / "results/findings/xla-partitioned-pad-of-an-empty-array"
    if not finding.is_dir():
        pytest.skip("the program is not in a checkout")
    script = tmp_path / "s.py"
    script.write_text(binary.run(["report-bug", "--jax", finding]))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2), done.stdout
    assert "cannot tell" not in done.stdout or "may change pad, the sharding of pad;" in done.stdout
