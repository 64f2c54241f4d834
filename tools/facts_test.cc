// SPDX-License-Identifier: Apache-2.0
// Tests `judge` options for auditors: printing sets, and facts of an engine that is given by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FactsTest : public FolderTest {
 protected:
  void SetUp() override {
    Write("exp.hlo",
          "HloModule t\nENTRY main { x = f32[2] parameter(0) ROOT r = f32[2] exponential(x) }\n");
    Write("exp.txt", "f32[2] {1, 1}\n");
    Write("near.txt", "f32[2] {2.71828246, 2.71828246}\n");  // 2 ulps off
    Write("far.txt", "f32[2] {2.7183, 2.7183}\n");           // 75 ulps off
  }
  Ran Judge(const std::string& flags) {
    return RunHlocts(
        absl::StrCat("judge ", folder_, "/exp.hlo --inputs=", folder_, "/exp.txt ", flags));
  }
};

TEST_F(FactsTest, SetsArePrintedWithoutOutputs) {
  Ran ran = Judge("--sets");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("output 0: f32[2]"));
  EXPECT_THAT(ran.out, HasSubstr("[0] to [1]: [2.71828"));
  EXPECT_THAT(ran.out, HasSubstr("ulp(3), 7 from 2^127 of r"));
  EXPECT_THAT(Judge("--sets --json").out, HasSubstr("\"sets\""));
  const std::string twice = Write("twice.hlo", R"(HloModule s
last { x = f32[] parameter(0) ROOT y = f32[] parameter(1) }
ENTRY e { a = f32[2] parameter(0) i = s32[2,1] parameter(1) u = f32[2] parameter(2)
  ROOT t = f32[2] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=last })");
  EXPECT_THAT(RunHlocts(absl::StrCat("judge ", twice, " --sets --inputs=",
                                     Write("twice.txt",
                                           "f32[2] {0, 0}\ns32[2,1] {{1}, {1}}\n"
                                           "f32[2] {1, 2}\n")))
                  .out,
              HasSubstr("[1]: 1 or 2"));
}

TEST_F(FactsTest, FactsOfATarget) {
  const std::string far = "--outputs=" + folder_ + "/far.txt ";
  EXPECT_EQ(Judge(far).status, 1);
  EXPECT_EQ(Judge(far + "--facts-of=tpu_v2_v5e").status, 0);
  EXPECT_EQ(Judge(far + "--facts-of=tpu_v2_v5e --profile=strict").status, 1);
  EXPECT_EQ(Judge(far + "--facts-of=xla").status, 1);
  // An explicit --fact overrides the facts of the target.
  EXPECT_EQ(Judge(far + "--facts-of=tpu_v2_v5e --fact=ulps.exponential.f32=2").status, 1);
}

// Every engine accepts `facts`, and its recorded name contains them.
TEST_F(FactsTest, EveryEngineTakesFacts) {
  std::vector<std::string> engines = {"reference", "hlo-evaluator", "canary:maximum.drops-nan",
                                      "mine=reference"};
  if (OurEngineIsBuilt()) engines.insert(engines.end(), {"cpu", "cpu?isolation=none", "mine=cpu"});
  for (const std::string& engine : engines) {
    const std::string with =
        absl::StrCat(engine, engine.find('?') == std::string::npos ? "?" : "&", "facts=");
    const auto diff = [&](const std::string& facts) {
      return RunHlocts(absl::StrCat("diff ", folder_, "/exp.hlo --inputs=", folder_,
                                    "/exp.txt --json --backend='", with, facts, "'"));
    };
    if (RunHlocts("backends --backend=" + engine).status != 0) continue;  // missing in this build
    const Ran ran = diff("dot.sums=f32+xla_cpu");
    EXPECT_LE(ran.status, 1) << engine << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("facts=dot.sums=f32+xla_cpu")) << engine;
    EXPECT_THAT(ran.out, HasSubstr("\"verdict\":")) << engine;
    EXPECT_THAT(diff("abacus").out, HasSubstr("abacus")) << engine;
    EXPECT_EQ(diff("abacus").status, 2) << engine;
    EXPECT_THAT(RunHlocts("backends --json --backend='" + with + "dot.sums=f32'").out,
                HasSubstr("dot.sums=f32\"]"))
        << engine;
  }
}

TEST_F(FactsTest, AFailureNamesTheFactThatWouldPermitIt) {
  Write("eq.hlo",
        "HloModule t\nENTRY main { x = f32[2] parameter(0) y = f32[2] constant({0, 0})\n"
        "  ROOT r = pred[2] compare(x, y), direction=EQ }\n");
  Write("eq.txt", "f32[2] {1e-45, 1}\n");
  const auto judge = [&](const std::string& outputs, const std::string& flags) {
    Write("eq_out.txt", outputs);
    return RunHlocts(absl::StrCat("judge ", folder_, "/eq.hlo --inputs=", folder_,
                                  "/eq.txt --outputs=", folder_, "/eq_out.txt ", flags));
  };
  Ran ran = judge("pred[2] {1, 0}", "");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("if the engine declares the fact compare.flush"));
  EXPECT_THAT(ran.out, HasSubstr("ruling 0060"));
  EXPECT_THAT(judge("pred[2] {1, 0}", "--json").out,
              AllOf(HasSubstr("permitted if the engine declares the fact compare.flush"),
                    HasSubstr("\"permitted_by\":[\"compare.flush\"]")));
  // The first wrong element of a fact's sets (1 / 0 is not 5) may be another than the reported one.
  Write("div.hlo",
        "HloModule t\nENTRY main { x = s32[2] parameter(0) y = s32[2] parameter(1)\n"
        "  w = f32[2] parameter(2) q = s32[2] divide(x, y) c = f32[2] convert(q)\n"
        "  ROOT r = f32[2] multiply(w, c) }\n");
  Write("div.txt", "s32[2] {1, 4}\ns32[2] {0, 2}\nf32[2] {1, 1}\n");
  Write("div_out.txt", "f32[2] {5, 3}\n");
  ran = RunHlocts(absl::StrCat("judge ", folder_, "/div.hlo --inputs=", folder_,
                               "/div.txt --outputs=", folder_,
                               "/div_out.txt --fact=integer.division --json"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\"actual\":\"3\""), Not(HasSubstr("permitted_by"))));
  EXPECT_THAT(judge("pred[2] {1, 0}", "--fact=compare.flush").out, HasSubstr("inconclusive"));
  // No fact permits these outputs.
  EXPECT_THAT(judge("pred[2] {0, 1}", "").out, testing::Not(HasSubstr("if the engine declares")));
}

// The comparison, which the fact concerns, is not the instruction that the failure names.
TEST_F(FactsTest, AFactOfAnotherInstructionIsNamedInFailureAndPass) {
  const auto judge = [&](const std::string& flags) {
    return RunHlocts(absl::StrCat(
        "judge ", Write("where.hlo", R"(HloModule t
ENTRY e { x = f32[2] parameter(0) z = f32[] constant(0) i = f32[] constant(inf)
  zs = f32[2] broadcast(z), dimensions={} is = f32[2] broadcast(i), dimensions={}
  p = pred[2] compare(x, zs), direction=GT e = f32[2] exponential(x)
  ROOT r = f32[2] select(p, e, is) })"),
        " --inputs=", Write("where.txt", "f32[2] {1e-39, 1}\n"),
        " --outputs=", Write("where_out.txt", "f32[2] {inf, 2.7182817}\n"), " ", flags));
  };
  const Ran failure = judge("");
  EXPECT_EQ(failure.status, 1);
  EXPECT_THAT(failure.out, HasSubstr("permitted if the engine declares the fact compare.flush"));
  for (const char* facts : {"--fact=compare.flush", "--facts-of=xla_cpu"}) {
    const Ran pass = judge(facts);
    EXPECT_EQ(pass.status, 0) << pass.out;
    EXPECT_THAT(pass.out, HasSubstr("only because the engine declares the fact compare.flush"));
  }
  EXPECT_THAT(judge("--fact=compare.flush --json").out,
              HasSubstr("\"departures\":[\"compare.flush\"]"));
  EXPECT_THAT(judge("--fact=compare.flush --explain").out,
              HasSubstr("and by:      another step that may go either way"));
  EXPECT_THAT(Judge("--outputs=" + folder_ + "/far.txt --facts-of=tpu_v2_v5e").out,
              HasSubstr("the fact ulps.exponential.f32"));
  EXPECT_THAT(Judge("--outputs=" + folder_ + "/near.txt --facts-of=tpu_v2_v5e").out,
              testing::Not(HasSubstr("only because")));
}

TEST_F(FactsTest, DeclaredFactsNarrowSets) {
  const std::string near = "--outputs=" + folder_ + "/near.txt ";
  EXPECT_EQ(Judge(near).status, 0);
  EXPECT_EQ(Judge(near + "--fact=ulps.exponential.f32=1").status, 1);
}

TEST_F(FactsTest, FactsAndTargetsAreListed) {
  Ran ran = RunHlocts("backends --facts");
  EXPECT_EQ(ran.status, 0) << ran.out;
  for (const char* text : {"excess.16bit", "dot.partials=16bit:N", "tpu_v6e: TPU v6e", "(JAX,"})
    EXPECT_THAT(ran.out, HasSubstr(text));
}

TEST_F(FactsTest, TheFactsOfAnEngineAreListed) {
  const Ran ran = RunHlocts("backends --facts --backend=reference");
  EXPECT_THAT(ran.out, HasSubstr("reference declares these facts:\n  convert.saturate"));
  EXPECT_THAT(ran.out, HasSubstr("not declared, so its sets do not assume them: reduce.height=N"));
  const Ran more = RunHlocts("backends --facts --backend='reference?facts=dot.sums=f32'");
  EXPECT_LT(more.out.find("  dot.sums=f32 "), more.out.find("not declared"));
  EXPECT_THAT(RunHlocts("backends --facts --backend='reference?facts=ulps.exponential.f32=9'").out,
              AllOf(HasSubstr("  ulps.exponential.f32=9   results of OP on TYPE are within N ulps"),
                    HasSubstr(", ulps.OP.TYPE=N (for other operations), absolute.OP.TYPE=X, ")));
  EXPECT_THAT(RunHlocts("backends --facts --backend='reference?facts='").out,
              HasSubstr("declares no facts"));
  EXPECT_EQ(RunHlocts("backends --facts --backend=nonsense").status, 3) << "its facts are unknown";
}

TEST_F(FactsTest, WhatIsUnknownIsListed) {
  Ran ran = Judge("--sets --facts-of=abacus");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("xla_gpu"));
  EXPECT_NE(Judge("--sets --fact=fast").status, 0);
}

}  // namespace
}  // namespace hlocts::tools
