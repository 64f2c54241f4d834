# SPDX-License-Identifier: Apache-2.0
"""Tests claims that check.py must not accept, and a few true ones.

Each line of CLAIMS has the verdict, words of the output, the clause and its kind, the root of a
module whose parameters have the shapes of the inputs, the inputs and the outputs, and the element.
"""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
try:
    import check
except ModuleNotFoundError as missing:
    raise unittest.SkipTest("python3-numpy and python3-gmpy2: %s" % missing) from missing
import json

from clauses import sentence_of
from operations_test import ADD, CONVOLUTION, GATHER, GREATER, LESS, SCATTER, module

SECOND = ADD.replace("OP(%x, %y)", "copy(%y)")
SUM = ADD.replace("OP", "add").replace("$", "f32[]")
PROMISED = SCATTER.replace("index_vector_dim", "PROMISE=true, index_vector_dim")
HITS = "s32[3] {1, 2, 3}; s32[3,1] {0, 2, 0}; s32[3] {10, 20, 30}"
DOT = "dot(%0, %1), lhs_contracting_dims={0}, rhs_contracting_dims={0}"
# Computations by the name that a root mentions.
COMPUTATIONS = {
    "%subtract": ADD.replace("%c", "%subtract").replace("OP", "subtract").replace("$", "f32[]"),
    "%hidden": ADD.replace("%c", "%hidden").replace("ROOT %z = $ OP(%x, %y)",
        "%n = $ negate(%y)\n  ROOT %z = $ subtract(%x, %n)").replace("$", "f32[]"),
    "%ge": GREATER.replace("$", "f32[]"),
}  # fmt: skip
REDUCE = "%i = f32[] constant(INIT); f32[] reduce(%0, %i), dimensions={0}, to_apply=%"
WINDOW = "%i = f32[] constant(0); f32[1] reduce-window(%0, %i), window={size=3}, to_apply=%subtract"
CHOICE = "%i = f32[] constant(0); f32[3] select-and-scatter(%0, %1, %i), window={size=3}, select=%ge, "
CHOICE += "scatter=%subtract"
ONE = "f32[1,1,1] convolution(%0, %1), window={size=1}, dim_labels=bf0_oi0->bf0"
F32_LESS = LESS.replace("s32", "f32")
QUOTIENTS = "%q = f32[] divide(%0, %1); f32[] divide(%q, %2)"

CLAIMS = [
    # Clauses of the same section that are irrelevant or that permit the engine's value.
    ("broken", "does not define", "elementwise_binary.29", "arithmetic", "s32[] divide(%0, %1)",
     "s32[] 100; s32[] 4", "s32[] 0", []),
    ("broken", "does not define", "elementwise_comparison.23", "comparison",
     "pred[] compare(%0, %1), direction=GE", "f32[] nan; f32[] 0", "pred[] true", []),
    ("broken", "does not define", "elementwise_binary.26", "arithmetic", "f32[] remainder(%0, %1)",
     "f32[] 4; f32[] -3", "f32[] -2", []),
    ("broken", "does not define", "elementwise_unary.35", "arithmetic", "f32[] sign(%0)", "f32[] -0",
     "f32[] 0", []),
    ("broken", "does not define", "elementwise_comparison.9", "comparison",
     "pred[] compare(%0, %1), direction=GE", "f32[] nan; f32[] 0", "pred[] true", []),
    ("broken", "does not define", "elementwise_binary.2", "arithmetic", "s32[] divide(%0, %1)",
     "s32[] 100; s32[] 4", "s32[] 0", []),
    # Promises that the caller breaks, and promises that it keeps.
    ("refused", "unique", "scatter.47", "indexing", PROMISED.replace("PROMISE", "unique_indices"),
     HITS, "s32[3] {0, 2, 23}", [0]),
    ("refused", "sorted", "scatter.47", "indexing",
     PROMISED.replace("PROMISE", "indices_are_sorted"), HITS, "s32[3] {0, 2, 23}", [0]),
    ("holds", "documents alone", "scatter.47", "indexing",
     PROMISED.replace("PROMISE", "unique_indices"),
     "s32[3] {1, 2, 3}; s32[3,1] {0, 2, 1}; s32[3] {10, 20, 30}", "s32[3] {1, 32, 23}", [0]),
    ("holds", "documents alone", "scatter.47", "indexing",
     PROMISED.replace("PROMISE", "indices_are_sorted"),
     "s32[3] {1, 2, 3}; s32[3,1] {0, 0, 1}; s32[3] {10, 20, 30}", "s32[3] {1, 32, 3}", [0]),
    ("refused", "sorted", "gather.28", "indexing", GATHER + ", indices_are_sorted=true",
     "s32[3,2] {0,1,2,3,4,5}; s32[2,1] {2, 0}", "s32[2,2] {9, 9, 9, 9}", [0, 0]),
    ("holds", "documents alone", "gather.28", "indexing", GATHER + ", indices_are_sorted=true",
     "s32[3,2] {0,1,2,3,4,5}; s32[2,1] {0, 2}", "s32[2,2] {9, 9, 9, 9}", [0, 0]),
    # Freedoms that follow from rulings.
    ("refused", "0051", "conv_with_general_padding.55", "sum", CONVOLUTION.replace("s32", "f32"),
     "f32[1,1,3] {1, 2, 3}; f32[1,1,2] {inf, 1}", "f32[1,1,3] {nan, inf, inf}", [0, 0, 0]),
    ("refused", "0019", "reduce.27", "sum",
     "%i = f32[] constant(5); f32[] reduce(%0, %i), dimensions={0}, to_apply=%c",
     "f32[2] {1, 2}", "f32[] 3", []),
    ("refused", "0011", "scatter.47", "indexing", SCATTER.replace(
        "update_window_dims={}, inserted_window_dims={0}",
        "update_window_dims={1}, inserted_window_dims={}"),
     "s32[3] {1, 2, 3}; s32[1,1] {2}; s32[1,2] {10, 20}", "s32[3] {1, 2, 3}", [2]),
    ("refused", "any", "elementwise_binary.5", "arithmetic", "s32[] divide(%0, %1)",
     "s32[] 1; s32[] 0", "s32[] 7", []),
    ("refused", "any", "convert_element_type.1", "conversion", "s32[] convert(%0)", "f32[] 3e9",
     "s32[] 7", []),
    ("refused", "any", "elementwise_binary.13", "arithmetic", "s32[] shift-left(%0, %1)",
     "s32[] 1; s32[] 32", "s32[] 1", []),
    ("refused", "", "elementwise_binary.8", "arithmetic", "f32[] maximum(%0, %1)",
     "f32[] 0; f32[] -0", "f32[] -0", []),
    ("refused", "0036", "elementwise_binary.2", "arithmetic", "f32[] add(%0, %1)",
     "f32[] 1e-45; f32[] 0", "f32[] 0", []),
    # Questions: the documents permit the value, and only a ruling excludes it.
    ("question", "0130", "elementwise_unary.21", "arithmetic", "f32[] negate(%0)", "f32[] 0",
     "f32[] 0", []),
    ("question", "0130", "elementwise_binary.4", "arithmetic", "f32[] multiply(%0, %1)",
     "f32[] inf; f32[] 0", "f32[] 0", []),
    ("question", "0003", "elementwise_binary.8", "arithmetic", "f32[] maximum(%0, %1)",
     "f32[] nan; f32[] 1", "f32[] 1", []),
    ("question", "0078", "elementwise_binary.4", "arithmetic", "s32[] multiply(%0, %1)",
     "s32[] 65536; s32[] 65536", "s32[] 2147483647", []),
    ("question", "0005", "elementwise_binary.14", "arithmetic",
     "u8[] shift-right-arithmetic(%0, %1)", "u8[] 128; u8[] 1", "u8[] 64", []),
    ("question", "0072", "elementwise_unary.19", "function", "f32[] log-plus-one(%0)",
     "f32[] 1e-05", "f32[] 1.0013531e-05", []),
    ("question", "open", "elementwise_binary.5", "arithmetic", QUOTIENTS,
     "f32[] 1e30; f32[] 1e-30; f32[] 1e30", "f32[] 1e30", []),
    ("question", "0054", "elementwise_unary.28", "arithmetic", "f32[] round-nearest-even(%0)",
     "f32[] -0.25", "f32[] 0", []),
    ("refused", "", "dot_general.10", "sum", "bf16[] " + DOT,
     "bf16[2] {256, 1}; bf16[2] {1, 1}", "bf16[] 256", []),
    ("question", "0024", "sort.21", "order",
     "(f32[2], f32[2]) sort(%0, %1), dimensions={0}, is_stable=true, to_apply=%c",
     "f32[2] {nan, 0}; f32[2] {1, 2}", "f32[2] {0, nan}\nf32[2] {2, 1}", [0]),
    ("question", "0083", "elementwise_binary.16", "function", "f32[] atan2(%0, %1)",
     "f32[] 0; f32[] 0", "f32[] nan", []),
    ("question", "0083", "elementwise_unary.29", "function", "f32[] rsqrt(%0)", "f32[] 0",
     "f32[] 1e30", []),
    ("question", "0035", "elementwise_binary.5", "arithmetic", "f8e8m0fnu[] divide(%0, %1)",
     "f8e8m0fnu[] 5.877471754111438e-39; f8e8m0fnu[] 5.877471754111438e-39", "f8e8m0fnu[] nan", []),
    ("question", "0112", "dot_general.10", "sum", "s32[] " + DOT, "u8[2] {200, 1}; u8[2] {3, 1}",
     "s32[] 89", []),
    ("question", "0078", "elementwise_unary.1", "arithmetic", "s32[] abs(%0)", "s32[] -2147483648",
     "s32[] 2147483647", []),
    ("question", "0078", "elementwise_unary.21", "arithmetic", "s32[] negate(%0)",
     "s32[] -2147483648", "s32[] 2147483647", []),
    ("question", "0078", "iota.5", "move", "u4[17] iota(), iota_dimension=0", "",
     "u4[17] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15}", [16]),
    ("question", "0078", "convert_element_type.1", "conversion", "s8[] convert(%0)", "s32[] 300",
     "s8[] 127", []),
    ("question", "0018", "elementwise_binary.6", "function", "s32[] power(%0, %1)",
     "s32[] 2; s32[] -1", "s32[] 1", []),
    ("question", "0050", "select_and_scatter.12", "sum", CHOICE.replace("subtract", "c"),
     "f32[3] {1, nan, 0.5}; f32[1] {7}", "f32[3] {7, 0, 0}", [0]),
    ("question", "0072", "elementwise_binary.2", "arithmetic", "f32[] add(%0, %1)",
     "f32[] 16777216; f32[] 1", "f32[] 16777218", []),
    ("question", "0072", "convert_element_type.1", "conversion", "f32[] convert(%0)",
     "s32[] 16777217", "f32[] 16777218", []),
    ("question", "0072", "elementwise_unary.6", "function", "f32[] cosine(%0)", "f32[] 1.57079637",
     "f32[] -4.4e-08", []),
    ("question", "0072", "elementwise_unary.18", "function", "f32[] log(%0)", "f32[] 1.0001",
     "f32[] 1.003e-04", []),
    ("question", "0112", "dot_general.10", "sum", "f32[] " + DOT, "f32[1] {1.001}; f32[1] {1}",
     "f32[] 1", []),
    ("question", "0112", "conv_with_general_padding.55", "sum",
     ONE + ", operand_precision={default,default}", "f32[1,1,1] {1.001}; f32[1,1,1] {1}",
     "f32[1,1,1] {1}", [0, 0, 0]),
    # Attributes that this program does not read.
    ("broken", "algorithm", "dot_general.10", "sum", "f32[] " + DOT + ", algorithm=dot_bf16_bf16_f32",
     "f32[1] {1.001}; f32[1] {1}", "f32[] 1", []),
    ("broken", "result_accuracy", "elementwise_unary.9", "function",
     "f32[] exponential(%0), result_accuracy={tolerance={atol=1,rtol=0.5,ulps=0}}", "f32[] 1",
     "f32[] 2.8", []),
    # A computation of no known kind: any tree, and the initial value any number of times.
    ("refused", "2 or 4", "reduce.27", "sum", REDUCE.replace("INIT", "0") + "subtract",
     "f32[3] {1, 2, 3}", "f32[] 4", []),
    ("refused", "2 or 4", "reduce_window.1", "sum", WINDOW, "f32[3] {1, 2, 3}", "f32[1] 4", [0]),
    ("refused", "0019", "reduce.27", "sum", REDUCE.replace("INIT", "5") + "hidden", "f32[2] {1, 2}",
     "f32[] 3", []),
    ("holds", "0019", "reduce.27", "sum", REDUCE.replace("INIT", "5") + "hidden", "f32[2] {1, 2}",
     "f32[] 4", []),
    # The clause of an operation that only moves the wrong result of another one.
    ("broken", "only moves", "reshape.7", "move", "%a = s32[2] add(%0, %1); s32[1,2] reshape(%a)",
     "s32[2] {1, 2}; s32[2] {3, 4}", "s32[1,2] {5, 6}", [0, 0]),
    ("holds", "4", "reshape.7", "move", "%a = s32[2] add(%0, %1); s32[1,2] reshape(%a)",
     "s32[2] {1, 2}; s32[2] {3, 4}", "s32[1,2] {6, 6}", [0, 0]),
    # True claims about the same operations.
    ("holds", "0112", "dot_general.10", "sum", "f32[] " + DOT, "f32[1] {1.001}; f32[1] {1}",
     "f32[] 1.1", []),
    ("holds", "0120", "gather.28", "indexing", GATHER + ", sharding={replicated}",
     "s32[3,2] {0,1,2,3,4,5}; s32[2,1] {0, 2}", "s32[2,2] {9, 9, 9, 9}", [0, 0]),
    ("holds", "0112", "dot_general.10", "sum", "s32[] " + DOT, "u8[2] {200, 1}; u8[2] {3, 1}",
     "s32[] -167", []),
    ("holds", "0001", "elementwise_binary.27", "arithmetic", "f32[] remainder(%0, %1)",
     "f32[] 4; f32[] -3", "f32[] -2", []),
    ("holds", "0110", "elementwise_comparison.1", "comparison",
     "pred[] compare(%0, %1), direction=GE", "f32[] nan; f32[] 0", "pred[] true", []),
    ("holds", "0072", "elementwise_unary.38", "function",
     "f32[] sqrt(%0)", "f32[] 4", "f32[] 3", []),
]  # fmt: skip


def computations_of(root):
    named = "".join(text for name, text in COMPUTATIONS.items() if name in root)
    if " sort(" in root:
        return F32_LESS
    if named or "reduce(" in root:
        return named + SUM
    return ADD.replace("OP", "add").replace("$", "s32[]") if "scatter" in root else ""


class ClaimsTest(unittest.TestCase):
    def test_each_claim(self):
        for verdict, words, clause, kind, root, inputs, outputs, index in CLAIMS:
            literals = [literal for literal in inputs.split("; ") if literal]
            shapes = [literal.split("]")[0] + "]" for literal in literals]
            certificate = {"output": 0, "index": index, "kind": kind, "clause": clause}
            certificate["sentence"] = sentence_of(clause)
            with tempfile.TemporaryDirectory() as name:
                bundle = pathlib.Path(name)
                text = module(root, *shapes, computations=computations_of(root))
                (bundle / "module.hlo").write_text(text)
                (bundle / "inputs.txt").write_text("\n".join(literals) + "\n")
                (bundle / "actual.txt").write_text(outputs + "\n")
                (bundle / "certificate.json").write_text(json.dumps(certificate))
                found, lines = check.verdict_of(bundle)
            said = "\n".join(lines)
            with self.subTest(clause=clause, root=root, inputs=inputs):
                self.assertEqual(found, verdict, said)
                self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
