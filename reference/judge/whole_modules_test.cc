// SPDX-License-Identifier: Apache-2.0
// Dependencies within a module: one product for two uses, one state for a trip of a loop, one end
// of a loop for all results, one index vector for an element.
#include "reference/judge/centred/likely.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// clang-format off
const char kProductMinusItself[] = R"(ENTRY e {
  x = f32[4] parameter(0) y = f32[4] parameter(1) e = f32[4] exponential(y)
  p = f32[4] multiply(x, e) ROOT r = f32[4] subtract(p, p) })";
const char kFiniteTest[] = R"(ENTRY e {
  x = f32[4] parameter(0) y = f32[4] parameter(1) e = f32[4] exponential(y)
  p = f32[4] multiply(x, e) d = f32[4] subtract(p, p) c = f32[] constant(0)
  z = f32[4] broadcast(c), dimensions={} ROOT r = pred[4] compare(d, z), direction=EQ })";
const char kSumReadTwice[] = ADD_BODY("f32") R"(ENTRY e {
  x = f32[1,8] parameter(0) y = f32[1,8] parameter(1) a = f32[1] parameter(2) b = f32[1] parameter(3)
  p = f32[1,8] multiply(x, y) z = f32[] constant(0)
  s = f32[1] reduce(p, z), dimensions={1}, to_apply=add
  u = f32[1] add(s, a) v = f32[1] add(s, b) ROOT d = f32[1] subtract(u, v) })";
// 24 trips of x <- 2.5 (x - x*x), a contraction to 0.6.
const char kLogisticLoop[] = R"(
c { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0
    n = s32[] constant(24) ROOT r = pred[] compare(i, n), direction=LT }
b { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0
    x = f32[4] get-tuple-element(t), index=1 o = s32[] constant(1) j = s32[] add(i, o)
    q = f32[4] multiply(x, x) d = f32[4] subtract(x, q) k = f32[] constant(2.5)
    m = f32[4] broadcast(k), dimensions={} y = f32[4] multiply(m, d)
    ROOT s = (s32[], f32[4]) tuple(j, y) }
ENTRY e { x = f32[4] parameter(0) z = s32[] constant(0) t = (s32[], f32[4]) tuple(z, x)
  w = (s32[], f32[4]) while(t), condition=c, body=b
  ROOT r = f32[4] get-tuple-element(w), index=1 })";
// t += h until t >= 1, h = 0.1 by a division: 10 trips or 11.
const char kFloatCounter[] = R"(
b { t = (f32[], s32[], f32[]) parameter(0) a = f32[] get-tuple-element(t), index=0
    n = s32[] get-tuple-element(t), index=1 h = f32[] get-tuple-element(t), index=2
    s = f32[] add(a, h) o = s32[] constant(1) m = s32[] add(n, o)
    ROOT r = (f32[], s32[], f32[]) tuple(s, m, h) }
c { t = (f32[], s32[], f32[]) parameter(0) a = f32[] get-tuple-element(t), index=0
    o = f32[] constant(1) ROOT r = pred[] compare(a, o), direction=LT }
ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) h = f32[] divide(x, y)
  z = f32[] constant(0) n = s32[] constant(0) t = (f32[], s32[], f32[]) tuple(z, n, h)
  w = (f32[], s32[], f32[]) while(t), condition=c, body=b
  a = f32[] get-tuple-element(w), index=0 m = s32[] get-tuple-element(w), index=1
  ROOT r = (f32[], s32[]) tuple(a, m) })";
// Eight places that a rounding may move by one.
const char kManyUncertainRows[] = R"(ENTRY e {
  x = f32[8] parameter(0) u = f32[] parameter(1) i = f32[8] iota(), iota_dimension=0
  q = f32[] divide(u, u) m = f32[8] broadcast(q), dimensions={} p = f32[8] multiply(i, m)
  f = f32[8] floor(p) s = s32[8] convert(f) v = s32[8,1] reshape(s)
  ROOT g = f32[8] gather(x, v), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1} })";
// A comparison of each number with itself, computed in two ways: either, everywhere.
const char kOpenMask[] = R"(ENTRY e {
  x = f32[4] parameter(0) l = f32[4] log(x) y = f32[4] exponential(l)
  m = pred[4] compare(y, x), direction=LT ROOT r = (pred[4], f32[4]) tuple(m, x) })";
const char kUniformFromBits[] = R"(ENTRY e {
  k = u64[2] parameter(0) t = (u64[2], u32[4]) rng-bit-generator(k), algorithm=rng_default
  w = u32[4] get-tuple-element(t), index=1 n = u32[] constant(9) ns = u32[4] broadcast(n), dimensions={}
  s = u32[4] shift-right-logical(w, ns) e = u32[] constant(1065353216)
  es = u32[4] broadcast(e), dimensions={} o = u32[4] or(s, es) f = f32[4] bitcast-convert(o)
  c = f32[] constant(1) cs = f32[4] broadcast(c), dimensions={} ROOT r = f32[4] subtract(f, cs) })";
const Case kModules[] = {
    // fma(x, e, -p), the rounding error of p.
    {"product_minus_itself_fused", kProductMinusItself,
     {"f32[4] {1.70000005, 0.370000005, 2.9000001, 0.109999999}", "f32[4] {0.300000012, -0.699999988, 1.10000002, 0.899999976}"}, {"f32[4] {-6.67639313e-08, 4.15604262e-09, 1.4344846e-07, 5.6865197e-09}"}, kPass},
    {"product_minus_itself_fused_in_strict", kProductMinusItself,
     {"f32[4] {1.70000005, 0.370000005, 2.9000001, 0.109999999}", "f32[4] {0.300000012, -0.699999988, 1.10000002, 0.899999976}"}, {"f32[4] {-6.67639313e-08, 4.15604262e-09, 1.4344846e-07, 5.6865197e-09}"}, kFail, kStrict},
    {"product_minus_itself_is_not_finite", kFiniteTest,
     {"f32[4] {1.70000005, 0.370000005, 2.9000001, 0.109999999}", "f32[4] {0.300000012, -0.699999988, 1.10000002, 0.899999976}"}, {"pred[4] {0, 0, 0, 0}"}, kOpen},
    // One reader fuses the products of a sum of 8, the other rounds them.
    {"small_sum_made_twice", kSumReadTwice,
     {"f32[1,8] {{3.19482136, -1.91139185, -2.68078136, -2.69280195, 3.01733017, 1.2573421, 1.7469852, 2.93512344}}", "f32[1,8] {{4.88349581, -5.43250847, 2.66981912, -0.171884373, -4.11646366, -6.07301426, 2.0325799, -0.914872825}}", "f32[1] {1}", "f32[1] {1.5}"}, {"f32[1] {-0.500002503}"}, kPass},
    {"small_sum_off_by_a_thousandth", kSumReadTwice,
     {"f32[1,8] {{3.19482136, -1.91139185, -2.68078136, -2.69280195, 3.01733017, 1.2573421, 1.7469852, 2.93512344}}", "f32[1,8] {{4.88349581, -5.43250847, 2.66981912, -0.171884373, -4.11646366, -6.07301426, 2.0325799, -0.914872825}}", "f32[1] {1}", "f32[1] {1.5}"}, {"f32[1] {-0.501}"}, kFail},
    {"loop_rounds_each_product", kLogisticLoop, {"f32[4] {0.1, 0.3, 0.45, 0.9}"}, {"f32[4] {0.600000024, 0.600000024, 0.600000024, 0.600000024}"}, kPass},
    {"loop_fuses_within_its_trips", kLogisticLoop, {"f32[4] {0.1, 0.3, 0.45, 0.9}"}, {"f32[4] {0.599999964, 0.600000024, 0.599999964, 0.599999964}"}, kPass},
    {"loop_off_by_a_hundred_thousandth", kLogisticLoop, {"f32[4] {0.1, 0.3, 0.45, 0.9}"},
     {"f32[4] {0.600006, 0.600006, 0.600006, 0.600006}"}, kFail},
    {"loop_ends_after_ten", kFloatCounter, {"f32[] 1", "f32[] 10"}, {"f32[] 1.00000012", "s32[] 10"}, kPass},
    {"loop_of_ten_counts_eleven", kFloatCounter, {"f32[] 1", "f32[] 10"}, {"f32[] 1.00000012", "s32[] 11"}, kFail},
    {"gather_of_uncertain_rows", kManyUncertainRows,
     {"f32[8] {10, 11, 12, 13, 14, 15, 16, 17}", "f32[] 3"}, {"f32[8] {10, 11, 12, 12, 14, 15, 15, 17}"}, kPass},
    {"gather_of_another_row", kManyUncertainRows,
     {"f32[8] {10, 11, 12, 13, 14, 15, 16, 17}", "f32[] 3"}, {"f32[8] {10, 11, 12, 11, 14, 15, 16, 17}"}, kFail},
    {"uniform_in_its_range", kUniformFromBits, {"u64[2] {1, 2}"}, {"f32[4] {0, 0.25, 0.5, 0.99999988}"}, kPass},
    {"uniform_beyond_one", kUniformFromBits, {"u64[2] {1, 2}"}, {"f32[4] {0, 0.25, 0.5, 1.5}"}, kFail},
};
// clang-format on
JUDGE_CASES(WholeModulesTest, kModules);

// A leaf of which nothing is known stays unchecked, whatever other leaves are exact.
TEST(OpenLeafTest, IsNoPass) {
  const JudgeResult result = JudgeCase({"",
                                        kOpenMask,
                                        {"f32[4] {1.7, 0.3, 5.1, 0.9}"},
                                        {"pred[4] {1, 0, 1, 0}", "f32[4] {1.7, 0.3, 5.1, 0.9}"},
                                        kOpen});
  EXPECT_EQ(result.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(result.too_few_bits) << result.reason;
}

// 120 trips of y <- tanh(1.05 (A y)), A a rotation by a quarter in two dimensions of four: sets
// say nothing of the end, statistics of one rounding a trip do.
const char kLongRecurrence[] = R"(
c { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0
    n = s32[] constant(120) ROOT r = pred[] compare(i, n), direction=LT }
b { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0
    x = f32[4] get-tuple-element(t), index=1 o = s32[] constant(1) j = s32[] add(i, o)
    m = f32[4,4] constant({{0.9, -0.5, 0.1, 0}, {0.5, 0.9, 0, 0.1}, {0.1, 0, 0.8, -0.6}, {0, 0.1, 0.6, 0.8}})
    d = f32[4] dot(m, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} y = f32[4] tanh(d)
    ROOT s = (s32[], f32[4]) tuple(j, y) }
ENTRY e { x = f32[4] parameter(0) z = s32[] constant(0) t = (s32[], f32[4]) tuple(z, x)
  w = (s32[], f32[4]) while(t), condition=c, body=b
  ROOT r = f32[4] get-tuple-element(w), index=1 })";

TEST(LikelyTest, AnErrorBeyondWhatRoundingsProbablyMakeIsSuspect) {
  auto module = ParseModule(kLongRecurrence);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<Literal> arguments = Parse({"f32[4] {0.4, -0.2, 0.3, 0.7}"});
  auto result = Evaluate(**module, arguments);
  ASSERT_TRUE(result.ok());
  Literal output = *result;
  auto suspect = FindSuspect(**module, arguments, {&output, 1}, {});
  ASSERT_TRUE(suspect.ok()) << suspect.status();
  EXPECT_EQ(*suspect, "");
  output.mutable_data<float>()[2] *= 1.0003F;
  suspect = FindSuspect(**module, arguments, {&output, 1}, {});
  ASSERT_TRUE(suspect.ok());
  EXPECT_NE(suspect->find("output 0 at [2]"), std::string::npos) << *suspect;
}

}  // namespace
}  // namespace hlocts::reference
