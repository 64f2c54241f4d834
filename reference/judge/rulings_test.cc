// SPDX-License-Identifier: Apache-2.0
// What rulings 0004, 0005, 0011, 0019, 0021, 0024, 0029, 0060, 0070 and 0102 allow, and what they
// do not.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// Windows of two at -1 (element 0 inside), 1 (inside) and 9 (outside) of four elements.
const char kScatter[] =
    "second { a = s32[] parameter(0) ROOT b = s32[] parameter(1) }\n"
    "ENTRY e { o = s32[4] parameter(0) i = s32[3] parameter(1) u = s32[3,2] parameter(2)\n"
    " ROOT r = s32[4] scatter(o, i, u), update_window_dims={1}, inserted_window_dims={},\n"
    " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second }";
#define SCATTERED \
  { "s32[4] {0, 0, 0, 0}", "s32[3] {-1, 1, 9}", "s32[3,2] {{1, 2}, {3, 4}, {5, 6}}" }

// The right argument: of elements in their order always the last.
const char kLast[] =
    "last { a = s32[] parameter(0) ROOT b = s32[] parameter(1) }\n"
    "ENTRY e { x = s32[3] parameter(0) z = s32[] constant(9)\n"
    " ROOT r = s32[] reduce(x, z), dimensions={0}, to_apply=last }";
const char kMaximum[] =
    "max { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }\n"
    "ENTRY e { x = s32[2] parameter(0) z = s32[] constant(5)\n"
    " ROOT r = s32[] reduce(x, z), dimensions={0}, to_apply=max }";
const char kAdd[] =
    "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n"
    "ENTRY e { x = s32[2] parameter(0) z = s32[] constant(5)\n"
    " ROOT r = s32[] reduce(x, z), dimensions={0}, to_apply=add }";

#define SORT(type, direction, stable)                                                             \
  "less { a = " type "[] parameter(0) b = " type                                                  \
  "[] parameter(1) ROOT r = pred[] compare(a, b), direction=" direction " }\nENTRY e { x = " type \
  "[5] parameter(0) ROOT r = " type "[5] sort(x), dimensions={0}, is_stable=" stable              \
  ", to_apply=less }"
// a beats b if a - b is 1 modulo 3.
const char kCyclic[] =
    "beats { a = s32[] parameter(0) b = s32[] parameter(1) d = s32[] subtract(a, b)\n"
    " e = s32[] constant(3) f = s32[] add(d, e) m = s32[] remainder(f, e)\n"
    " one = s32[] constant(1) ROOT r = pred[] compare(m, one), direction=EQ }\n"
    "ENTRY e { x = s32[3] parameter(0)\n"
    " ROOT r = s32[3] sort(x), dimensions={0}, to_apply=beats }";
const char kShift[] =
    "ENTRY e { a = s32[] parameter(0) b = s32[] parameter(1)\n"
    " ROOT r = s32[] shift-left(a, b) }";
const char kIntegersIntoFloat[] =
    "ENTRY e { x = s32[1] parameter(0) y = s32[1] parameter(1)\n"
    " ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
#define INTEGERS \
  { "s32[1] {16777217}", "s32[1] {3}" }
const char kUniform[] =
    "ENTRY e { a = bf16[] constant(0) b = bf16[] constant(1)\n"
    " ROOT r = bf16[1] rng(a, b), distribution=rng_uniform }";

const char kFmaThroughBarrier[] =
    "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2)\n"
    " p = f32[] multiply(x, y) b = f32[] opt-barrier(p) ROOT r = f32[] add(b, z) }";
const char kUncertainSelect[] =
    "ENTRY e { x = f32[] parameter(0) z = f32[] constant(0)\n"
    " p = pred[] compare(x, z), direction=GT one = f32[] constant(1) two = f32[] constant(2)\n"
    " ROOT r = f32[] select(p, one, two) }";
const char kClamp[] =
    "ENTRY e { a = f32[] parameter(0) x = f32[] parameter(1) b = f32[] parameter(2)\n"
    " ROOT r = f32[] clamp(a, x, b) }";
const char kSort[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    " ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[3] parameter(0)\n"
    " ROOT r = f32[3] sort(x), dimensions={0}, to_apply=lt }";

const char kSortPairs[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2)\n"
    " d = f32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
    " ROOT r = (f32[2], f32[2]) sort(x, y), dimensions={0}, to_apply=lt }";

const char kSortOfSubnormals[] =
    "gt { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    " ROOT r = pred[] compare(a, b), direction=GT }\n"
    "ENTRY e { x = f32[40] parameter(0)\n"
    " ROOT s = f32[40] sort(x), dimensions={0}, is_stable=true, to_apply=gt }";

const Case kCases[] = {
    {"sort_of_flushed_subnormals",
     kSortOfSubnormals,
     {"f32[40] {-1e-40, 0, 0, 1e-40, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
      "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}"},
     {"f32[40] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
      "1, 1, 1, 1, 1, 1, 1, 1, 1, -0, 0, 0, 0}"},
     kPass,
     kRelaxed},
    {"flushed_rows_in_another_order",
     kSortPairs,
     {"f32[2] {1e-40, -1e-40}", "f32[2] {7, 8}"},
     {"f32[2] {0, -0}", "f32[2] {7, 8}"},
     kPass,
     kRelaxed},
    {"contracted_through_a_barrier",
     kFmaThroughBarrier,
     {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"},
     {"f32[] 1.4210855e-14"},
     kFail},
    {"contracted_through_a_barrier_relaxed",
     kFmaThroughBarrier,
     {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"},
     {"f32[] 1.4210855e-14"},
     kPass,
     kRelaxed},
    {"contracted_through_a_barrier_that_is_crossed",
     kFmaThroughBarrier,
     {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"},
     {"f32[] 1.4210855e-14"},
     kPass,
     Profile::kDefault,
     {.barrier_crossed = true}},
    {"product_rounded_at_a_barrier",
     kFmaThroughBarrier,
     {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"},
     {"f32[] 0"},
     kPass},
    {"sort_orders_subnormals",
     kSort,
     {"f32[3] {1e-40, 0, -1e-40}"},
     {"f32[3] {1e-40, 0, -1e-40}"},
     kFail},
    {"compare_flushes_relaxed", kUncertainSelect, {"f32[] 1e-40"}, {"f32[] 2"}, kPass, kRelaxed},
    {"compare_flushes_where_declared",
     kUncertainSelect,
     {"f32[] 1e-40"},
     {"f32[] 2"},
     kPass,
     Profile::kDefault,
     {.compare_flush = true}},
    {"clamp_at_the_lower_of_crossed_bounds",
     kClamp,
     {"f32[] 3", "f32[] 0", "f32[] 1"},
     {"f32[] 3"},
     kFail},
    {"clamp_at_the_lower_of_crossed_bounds_relaxed",
     kClamp,
     {"f32[] 3", "f32[] 0", "f32[] 1"},
     {"f32[] 3"},
     kPass,
     kRelaxed},
    {"compare_flushes", kUncertainSelect, {"f32[] 1e-40"}, {"f32[] 2"}, kFail},

    {"inside_of_a_window", kScatter, SCATTERED, {"s32[4] {2, 3, 4, 0}"}, kPass, kStrict},
    {"inside_of_a_window_default", kScatter, SCATTERED, {"s32[4] {2, 3, 4, 0}"}, kPass},
    {"window_left_out", kScatter, SCATTERED, {"s32[4] {0, 3, 4, 0}"}, kFail, kStrict},
    {"window_left_out_default", kScatter, SCATTERED, {"s32[4] {0, 3, 4, 0}"}, kPass},
    {"window_clamped", kScatter, SCATTERED, {"s32[4] {0, 3, 5, 6}"}, kFail},

    {"last_in_order", kLast, {"s32[3] {1, 2, 4}"}, {"s32[] 4"}, kPass, kStrict},
    {"last_of_another_order", kLast, {"s32[3] {1, 2, 4}"}, {"s32[] 1"}, kFail, kStrict},
    {"last_of_another_order_default", kLast, {"s32[3] {1, 2, 4}"}, {"s32[] 1"}, kPass},
    {"init_on_the_right", kLast, {"s32[3] {1, 2, 4}"}, {"s32[] 9"}, kFail},
    {"init_of_a_maximum", kMaximum, {"s32[2] {1, 3}"}, {"s32[] 5"}, kPass, kStrict},
    {"maximum_without_init", kMaximum, {"s32[2] {1, 3}"}, {"s32[] 3"}, kFail, kStrict},
    {"maximum_without_init_default", kMaximum, {"s32[2] {1, 3}"}, {"s32[] 3"}, kPass},
    {"maximum_of_neither", kMaximum, {"s32[2] {1, 3}"}, {"s32[] 1"}, kFail},
    {"sum_with_init", kAdd, {"s32[2] {1, 3}"}, {"s32[] 9"}, kPass, kStrict},
    {"sum_without_init", kAdd, {"s32[2] {1, 3}"}, {"s32[] 4"}, kFail, kStrict},
    {"sum_without_init_default", kAdd, {"s32[2] {1, 3}"}, {"s32[] 4"}, kPass},
    {"sum_with_too_many", kAdd, {"s32[2] {1, 3}"}, {"s32[] 24"}, kFail},

    {"less_or_equal_sorts",
     SORT("s32", "LE", "false"),
     {"s32[5] {3, 1, 3, 2, 1}"},
     {"s32[5] {1, 1, 2, 3, 3}"},
     kPass,
     kStrict},
    {"less_or_equal_unsorted",
     SORT("s32", "LE", "false"),
     {"s32[5] {3, 1, 3, 2, 1}"},
     {"s32[5] {3, 1, 3, 2, 1}"},
     kFail},
    {"numbers_ascend_beside_a_nan",
     SORT("f32", "LT", "false"),
     {"f32[5] {3, nan, 1, 2, nan}"},
     {"f32[5] {nan, 1, 2, nan, 3}"},
     kPass,
     kStrict},
    {"numbers_in_disorder_beside_a_nan",
     SORT("f32", "LT", "false"),
     {"f32[5] {3, nan, 1, 2, nan}"},
     {"f32[5] {nan, 1, 3, nan, 2}"},
     kFail,
     kStrict},
    {"numbers_in_disorder_beside_a_nan_default",
     SORT("f32", "LT", "false"),
     {"f32[5] {3, nan, 1, 2, nan}"},
     {"f32[5] {nan, 1, 3, nan, 2}"},
     kPass},
    {"a_number_lost_beside_a_nan",
     SORT("f32", "LT", "false"),
     {"f32[5] {3, nan, 1, 2, nan}"},
     {"f32[5] {nan, 1, 1, nan, 2}"},
     kFail},
    {"stable_as_far_as_it_goes",
     SORT("f32", "LT", "true"),
     {"f32[5] {1, nan, 2, 3, 4}"},
     {"f32[5] {1, nan, 2, 3, 4}"},
     kPass,
     kStrict},
    {"stable_order_not_kept",
     SORT("f32", "LT", "true"),
     {"f32[5] {1, nan, 2, 3, 4}"},
     {"f32[5] {1, 2, nan, 3, 4}"},
     kFail,
     kStrict},
    {"cyclic", kCyclic, {"s32[3] {0, 1, 2}"}, {"s32[3] {2, 0, 1}"}, kPass, kStrict},
    {"cyclic_and_lost", kCyclic, {"s32[3] {0, 1, 2}"}, {"s32[3] {2, 2, 1}"}, kFail, kStrict},

    {"shift_beyond_the_width", kShift, {"s32[] 5", "s32[] 32"}, {"s32[] 0"}, kPass, kStrict},
    {"shift_wraps", kShift, {"s32[] 5", "s32[] 32"}, {"s32[] 5"}, kFail, kStrict},
    {"integers_as_they_are", kIntegersIntoFloat, INTEGERS, {"f32[] 50331652"}, kPass, kStrict},
    {"integers_converted_first", kIntegersIntoFloat, INTEGERS, {"f32[] 50331648"}, kPass, kStrict},
    {"integers_rounded_up", kIntegersIntoFloat, INTEGERS, {"f32[] 50331660"}, kFail, kStrict},
    {"integers_rounded_down", kIntegersIntoFloat, INTEGERS, {"f32[] 50331644"}, kFail},
    {"small_integers_are_exact",
     kIntegersIntoFloat,
     {"s32[1] {16777216}", "s32[1] {3}"},
     {"f32[] 50331652"},
     kFail,
     kStrict},
    {"upper_limit_reached", kUniform, {}, {"bf16[1] {1}"}, kFail},
    {"upper_limit_reached_relaxed", kUniform, {}, {"bf16[1] {1}"}, kPass, kRelaxed},
};

JUDGE_CASES(RulingTest, kCases);

}  // namespace
}  // namespace hlocts::reference
