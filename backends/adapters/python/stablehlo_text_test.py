# SPDX-License-Identifier: Apache-2.0
"""Tests modules that StableHLO cannot express, and result types read from StableHLO text."""

import pathlib
import sys
import types
import unittest
import unittest.mock

for name in ("numpy", "ml_dtypes"):  # imported but not called by the tested functions
    sys.modules.setdefault(name, types.ModuleType(name))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
from hlocts_frames import Refused, Unsupported, field  # noqa: E402
from jaxlib_shards import has_value_per_device, is_dynamic  # noqa: E402
from one_bit import has_one_bit_integers  # noqa: E402
from release_worker import add_xla_flags, version_text  # noqa: E402
from stablehlo_text import narrow_results, refusal  # noqa: E402

PRED, S4, U1, S1, TUPLE = 1, 21, 31, 30, 13


def array(element_type):
    return field(2, element_type) + field(3, b"\x02")


def computation(*shapes):
    instructions = (field(1, "x") + field(2, "parameter") + field(3, shape) for shape in shapes)
    return field(3, b"".join(field(2, instruction) for instruction in instructions))


class RefusalTest(unittest.TestCase):
    def test_only_what_a_compiler_says_of_the_module_is_a_rejection(self):
        for error, kind in (
            (RuntimeError("INVALID_ARGUMENT: x"), Refused),
            (RuntimeError("UNIMPLEMENTED: x"), Unsupported),
            (TypeError("make_cpu_client() got an unexpected keyword argument"), Unsupported),
        ):
            self.assertIsInstance(refusal(error, ""), kind)


class OneBitTest(unittest.TestCase):
    def test_arrays(self):
        self.assertTrue(has_one_bit_integers(computation(array(PRED), array(S1))))
        self.assertTrue(has_one_bit_integers(computation(array(U1))))
        self.assertFalse(has_one_bit_integers(computation(array(PRED), array(S4))))

    def test_tuples(self):
        tuple_of = field(2, TUPLE) + field(4, array(S4)) + field(4, array(U1))
        self.assertTrue(has_one_bit_integers(computation(tuple_of)))
        self.assertFalse(has_one_bit_integers(computation(field(2, TUPLE) + field(4, array(S4)))))

    def test_called_computations(self):
        self.assertTrue(has_one_bit_integers(computation(array(S4)) + computation(array(S1))))


class DynamicResultTest(unittest.TestCase):
    def test_arrays_and_tuples(self):
        fixed, dynamic = (array(S4) + field(6, bytes([size])) for size in (0, 1))
        self.assertEqual([is_dynamic(fixed), is_dynamic(dynamic)], [False, True])
        self.assertTrue(is_dynamic(field(2, TUPLE) + field(4, fixed) + field(4, dynamic)))


class FlagsTest(unittest.TestCase):
    def test_flags_of_the_caller_are_kept(self):
        environment = {"XLA_FLAGS": "--xla_dump_to=/d"}
        add_xla_flags({"xla_a": "false", "partitioner": "gspmd"}, environment)
        self.assertEqual(environment["XLA_FLAGS"], "--xla_dump_to=/d --xla_a=false")

    def test_version_of_the_users_package(self):
        with unittest.mock.patch.dict(sys.modules, jaxlib=types.SimpleNamespace(__version__="0.9")):
            self.assertEqual(version_text("jaxlib {version}, a=b", "jaxlib"), "jaxlib 0.9, a=b")


class NarrowResultsTest(unittest.TestCase):
    def test_places_behind_complex_and_nested_types(self):
        text = (
            "  func.func public @main(%arg0: tensor<2xi4>) -> (tensor<1x9xcomplex<f32>>,"
            " tensor<3xi4>, tensor<ui2>, tensor<4xi8>,"
            " tensor<?x2xui4, #stablehlo.bounds<3, ?>>) {\n"
        )
        self.assertEqual(narrow_results(text), {1: "s4", 2: "u2", 4: "u4"})

    def test_one_result(self):
        text = "func.func @main() -> tensor<i1> {\n"
        self.assertEqual(narrow_results(text), {})


class ShardsTest(unittest.TestCase):
    def test_values_per_device(self):
        manual, replicated, tiles = field(1, 4), field(1, 0), field(1, 3) + field(3, b"\x04\x01")
        subgroups = tiles + field(8, b"\x00\x04")
        named = field(1, 3) + field(14, field(2, b"") + field(7, b""))
        for sharding in (manual, subgroups, named, field(5, replicated) + field(5, manual)):
            self.assertTrue(has_value_per_device(sharding))
        for sharding in (b"", replicated, tiles + field(8, b"\x00"), field(14, field(3, b""))):
            self.assertFalse(has_value_per_device(sharding))


if __name__ == "__main__":
    unittest.main()
