// SPDX-License-Identifier: Apache-2.0
// Formats with one zero: what is stored, and the -0 that it may have been before (RULES 7).
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

const char kWidenedProduct[] =
    "ENTRY e { x = f8e5m2fnuz[] parameter(0) y = f8e5m2fnuz[] parameter(1)\n"
    " m = f8e5m2fnuz[] multiply(x, y) ROOT r = f32[] convert(m) }";
#define WIDENED(operation)                                              \
  "ENTRY e { x = f8e5m2fnuz[] parameter(0) m = f8e5m2fnuz[] " operation \
  "\n"                                                                  \
  " ROOT r = f32[] convert(m) }"
const char kWidenedNegate[] = WIDENED("negate(x)");
const char kWidenedCeil[] = WIDENED("ceil(x)");
const char kWidenedReduction[] = WIDENED("reduce-precision(x), exponent_bits=1, mantissa_bits=2");
const char kWidenedMaximum[] =
    "ENTRY e { x = f8e5m2fnuz[] parameter(0) y = f8e5m2fnuz[] parameter(1)\n"
    " m = f8e5m2fnuz[] maximum(x, y) ROOT r = f32[] convert(m) }";
const char kMaximum[] =
    "ENTRY e { x = f8e4m3b11fnuz[] parameter(0) y = f8e4m3b11fnuz[] parameter(1)\n"
    " ROOT r = f8e4m3b11fnuz[] maximum(x, y) }";
const char kReducePrecision[] =
    "ENTRY e { x = f8e4m3fnuz[] parameter(0)\n"
    " ROOT r = f8e4m3fnuz[] reduce-precision(x), exponent_bits=1, mantissa_bits=3 }";

const Case kCases[] = {
    {"fnuz_flushes_to_its_zero",
     kMaximum,
     {"f8e4m3b11fnuz[] -0.00048828125", "f8e4m3b11fnuz[] -1"},
     {"f8e4m3b11fnuz[] 0"},
     kPass},
    {"fnuz_flush_in_strict",
     kMaximum,
     {"f8e4m3b11fnuz[] -0.00048828125", "f8e4m3b11fnuz[] -1"},
     {"f8e4m3b11fnuz[] 0"},
     kFail,
     kStrict},
    {"fnuz_reduces_to_its_zero",
     kReducePrecision,
     {"f8e4m3fnuz[] -0.75"},
     {"f8e4m3fnuz[] 0"},
     kPass,
     kStrict},
    {"negative_zero_before_a_format_without",
     kWidenedProduct,
     {"f8e5m2fnuz[] -2", "f8e5m2fnuz[] 0"},
     {"f32[] -0"},
     kPass},
    {"negative_zero_after_a_format_without",
     kWidenedProduct,
     {"f8e5m2fnuz[] -2", "f8e5m2fnuz[] 0"},
     {"f32[] -0"},
     kFail,
     kStrict},
    {"no_negative_zero",
     kWidenedProduct,
     {"f8e5m2fnuz[] 2", "f8e5m2fnuz[] 0"},
     {"f32[] -0"},
     kFail},
    {"negated_zero_of_a_format_without", kWidenedNegate, {"f8e5m2fnuz[] 0"}, {"f32[] -0"}, kPass},
    {"negated_zero_that_is_stored",
     kWidenedNegate,
     {"f8e5m2fnuz[] 0"},
     {"f32[] -0"},
     kFail,
     kStrict},
    {"negated_zero_is_no_number",
     kWidenedNegate,
     {"f8e5m2fnuz[] 0"},
     {"f32[] -7.62939453125e-06"},
     kFail},
    {"ceil_to_a_zero_of_a_format_without",
     kWidenedCeil,
     {"f8e5m2fnuz[] -0.5"},
     {"f32[] -0"},
     kPass},
    {"ceil_that_is_stored", kWidenedCeil, {"f8e5m2fnuz[] -0.5"}, {"f32[] -0"}, kFail, kStrict},
    {"ceil_of_a_positive_zero", kWidenedCeil, {"f8e5m2fnuz[] 0"}, {"f32[] -0"}, kFail},
    {"reduced_to_a_zero_of_a_format_without",
     kWidenedReduction,
     {"f8e5m2fnuz[] -0.25"},
     {"f32[] -0"},
     kPass},
    {"reduced_from_above", kWidenedReduction, {"f8e5m2fnuz[] 0.25"}, {"f32[] -0"}, kFail},
    {"flushed_before_a_format_without",
     kWidenedMaximum,
     {"f8e5m2fnuz[] -7.62939453125e-06", "f8e5m2fnuz[] -1"},
     {"f32[] -0"},
     kPass},
    {"flushed_from_above",
     kWidenedMaximum,
     {"f8e5m2fnuz[] 7.62939453125e-06", "f8e5m2fnuz[] -1"},
     {"f32[] -0"},
     kFail},
};
JUDGE_CASES(OneZeroTest, kCases);

}  // namespace
}  // namespace hlocts::reference
