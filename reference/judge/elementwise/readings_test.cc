// SPDX-License-Identifier: Apache-2.0
// What an operand may be read as: a subnormal as itself or zero, its mantissa bits from either end,
// a quotient before or after it is rounded.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

const char kReducePrecision8[] =
    "ENTRY e { x = f8e4m3fn[] parameter(0)\n"
    " ROOT r = f8e4m3fn[] reduce-precision(x), exponent_bits=5, mantissa_bits=1 }";
const char kReducePrecisionMost[] =
    "ENTRY e { x = f32[] parameter(0)\n"
    " ROOT r = f32[] reduce-precision(x), exponent_bits=4294967297, mantissa_bits=2147483647 }";
const std::vector<const char*> kTinyQuotient = {"f32[] 7.5231638e-37", "f32[] 7.3468397e-40"};
const char kThird[] =
    "ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1) z = f32[2] parameter(2)\n"
    " q = f32[2] divide(x, y) ROOT r = f32[2] subtract(q, z) }";

const Case kReadings[] = {
    {"reduce_precision_of_a_subnormal_by_its_first_bit",
     kReducePrecision8,
     {"f8e4m3fn[] 0.001953125"},
     {"f8e4m3fn[] 0.001953125"},
     kPass},
    {"reduce_precision_of_a_subnormal_by_its_place",
     kReducePrecision8,
     {"f8e4m3fn[] 0.005859375"},
     {"f8e4m3fn[] 0.0078125"},
     kPass},
    {"reduce_precision_beyond_both",
     kReducePrecision8,
     {"f8e4m3fn[] 0.013671875"},
     {"f8e4m3fn[] 0.017578125"},
     kFail},
    {"reduce_precision_to_more_bits_than_there_are",
     kReducePrecisionMost,
     {"f32[] 1.1"},
     {"f32[] 1.1"},
     kPass},
    {"reduce_precision_to_more_bits_is_exact",
     kReducePrecisionMost,
     {"f32[] 1.1"},
     {"f32[] 1.0999999"},
     kFail},
    {"quotient_by_a_subnormal", BINARY("divide", "f32"), kTinyQuotient, {"f32[] 1024"}, kPass},
    {"quotient_by_a_flushed_number", BINARY("divide", "f32"), kTinyQuotient, {"f32[] inf"}, kPass},
    {"quotient_between_the_two", BINARY("divide", "f32"), kTinyQuotient, {"f32[] 5000"}, kFail},
    {"logarithm_of_a_subnormal", UNARY("log", "f32"), {"f32[] 1e-40"}, {"f32[] -92.103406"}, kPass},
    {"logarithm_of_a_flushed_number", UNARY("log", "f32"), {"f32[] 1e-40"}, {"f32[] -inf"}, kPass},
    {"logarithm_between_the_two", UNARY("log", "f32"), {"f32[] 1e-40"}, {"f32[] -100"}, kFail},
    {"quotient_of_arrays_fused",
     kThird,
     {"f32[2] {1, 1}", "f32[2] {3, 1}", "f32[2] {0.33333334, 1}"},
     {"f32[2] {-9.934107e-09, 0}"},
     kPass},
    {"quotient_of_arrays_fused_in_strict",
     kThird,
     {"f32[2] {1, 1}", "f32[2] {3, 1}", "f32[2] {0.33333334, 1}"},
     {"f32[2] {-9.934107e-09, 0}"},
     kFail,
     kStrict},
    {"quotient_of_arrays_too_far",
     kThird,
     {"f32[2] {1, 1}", "f32[2] {3, 1}", "f32[2] {0.33333334, 1}"},
     {"f32[2] {-1.2e-07, 0}"},
     kFail},
};

JUDGE_CASES(ReadingsTest, kReadings);

}  // namespace
}  // namespace hlocts::reference
