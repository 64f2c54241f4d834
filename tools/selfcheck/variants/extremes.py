# SPDX-License-Identifier: Apache-2.0
"""Legal executions whose error exceeds half of a constant of spec/judge/bounds.def. bounds_test
checks that a judge with half of this constant rejects them."""
import numpy as np

from executor import F32, F64, passes, split, truncating
from sums import ADD, dot_module
from write import File, literal


def most_missing(count):
    """Returns the f32 near a midpoint of bf16 whose square by `count` products loses most."""
    x = (1 + 2.0**-8 + np.arange(2**10) * 2.0**-23).astype(F32)
    first, second, third = (part.astype(F64) for part in split(x))
    kept = first * first
    if count >= 3:
        kept = kept + 2 * first * second
    if count >= 6:
        kept = kept + second * second + 2 * first * third
    missing = x.astype(F64) ** 2 - kept
    return x[np.argmax(np.abs(missing) / x.astype(F64) ** 2)]


ABOUT = "Near the bounds: more than half of a constant."


def passes_at_their_worst(lemma, algorithm, count):
    def make(_rng):
        file = File(lemma, ABOUT)
        a = np.full((1, 2), most_missing(count), F32)
        file.module(dot_module("f32", "f32", 1, 2, 1, f", algorithm={algorithm}"), literal(a),
                    literal(a.T.copy()))
        file.case(f"{algorithm} at its worst", "S+D+R+", [literal(passes(a, a.T.copy(), count))])
        return file
    return make


def truncated_sum(_rng):
    file = File(1, ABOUT)
    terms = np.full(65, 2.0**-23 * (1 - 2.0**-20), F32)
    terms[0] = 1
    file.module(ADD.format("f32") + "ENTRY e { x = f32[65] parameter(0) z = f32[] constant(0)\n"
                " ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add }", literal(terms))
    file.case("all but the first cut off", "S-R+", [literal(truncating(terms))])
    return file


FILES = [passes_at_their_worst(19, "dot_bf16_bf16_f32", 1),
         passes_at_their_worst(40, "dot_bf16_bf16_f32_x3", 3), truncated_sum]
