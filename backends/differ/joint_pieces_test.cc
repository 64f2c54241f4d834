// SPDX-License-Identifier: Apache-2.0
// Tests modules whose outputs are inconclusive due to a joint predicate, but whose pieces are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/differ/differ.h"
#include "backends/differ/injecting_backend.h"
#include "generators/arguments.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

reports::Verdict Diff(const std::string& text, Backend& backend, int64_t cut) {
  auto module = ParseModule("HloModule m\n" + text);
  EXPECT_TRUE(module.ok()) << module.status();
  ExecuteRequest request;
  request.arguments.push_back(generators::GenerateArguments(ArgumentLeafShapes(**module), 1));
  DiffOptions options{.cut = cut, .blame = true};
  return Differ(**module, request, options).Diff(backend);
}

// A joint predicate judges the Cholesky factor l; no interval bounds exp(l).
constexpr char kJoint[] = R"(ENTRY e {
  a = f32[3,3] parameter(0)
  t = f32[3,3] transpose(a), dimensions={1,0}
  g = f32[3,3] dot(a, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  i = s32[3,3] iota(), iota_dimension=0
  j = s32[3,3] iota(), iota_dimension=1
  d = pred[3,3] compare(i, j), direction=EQ
  big = f32[] constant(200)
  bigs = f32[3,3] broadcast(big), dimensions={}
  zero = f32[] constant(0)
  zeros = f32[3,3] broadcast(zero), dimensions={}
  diagonal = f32[3,3] select(d, bigs, zeros)
  s = f32[3,3] add(g, diagonal)
  l = f32[3,3] cholesky(s), lower=true
  ROOT z = f32[3,3] exponential(l)
})";

TEST(JointPiecesTest, JointValuesInsideAreCutAtByThemselves) {
  InjectingBackend right({"none", 0, 0});
  reports::Verdict verdict = Diff(kJoint, right, 0);
  EXPECT_EQ(verdict.kind, Outcome::kPass) << verdict.reason;
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("pieces judged"));
  reports::Verdict never = Diff(kJoint, right, DiffOptions::kNoCut);
  EXPECT_THAT(reports::ReasonText(never), Not(HasSubstr("pieces")));
  InjectingBackend wrong({"l", 4, 1 << 12});
  reports::Verdict found = Diff(kJoint, wrong, 0);
  EXPECT_EQ(found.kind, Outcome::kFail) << found.reason;
  ASSERT_TRUE(found.first_failure.has_value());
  EXPECT_EQ(found.first_failure->instruction, "l");
}

// JAX puts its linear algebra into computations that the entry calls.
TEST(JointPiecesTest, JointValuesOfACalledComputationAreCutAtToo) {
  std::string called(kJoint);
  called.replace(0, 7, "solve ");
  called +=
      "\nENTRY main {\n  a = f32[3,3] parameter(0)\n"
      "  ROOT c = f32[3,3] call(a), to_apply=solve\n}";
  InjectingBackend right({"none", 0, 0});
  reports::Verdict verdict = Diff(called, right, 0);
  EXPECT_EQ(verdict.kind, Outcome::kPass) << verdict.reason;
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("pieces judged"));
  InjectingBackend wrong({"l", 4, 1 << 12});
  reports::Verdict found = Diff(called, wrong, 0);
  EXPECT_EQ(found.kind, Outcome::kFail) << found.reason;
  ASSERT_TRUE(found.first_failure.has_value());
  EXPECT_EQ(found.first_failure->instruction, "l");
}

}  // namespace
}  // namespace hlocts::backends
