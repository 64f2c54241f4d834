// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "backends/passes/crash_text.h"
#include "backends/passes/pass_blame.h"
#include "spec/files/file_io.h"
#include "spec/files/literals_file.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DumpNameTest, SaysModulePipelineAndPass) {
  auto dump = ParseDumpName(
      "module_0003.jit_f.x.0012.simplification.after_reshape-mover.before_constant_folding.txt");
  ASSERT_TRUE(dump);
  EXPECT_EQ(dump->kind, DumpKind::kPass);
  EXPECT_EQ(dump->module_number, 3);
  EXPECT_EQ(dump->module_name, "jit_f.x");
  EXPECT_EQ(dump->number, 12);
  EXPECT_EQ(dump->pipeline, "simplification");
  EXPECT_EQ(dump->after, "reshape-mover");
  EXPECT_EQ(dump->before, "constant_folding");
  dump = ParseDumpName("module_0000.m.0020.copy-insertion.after_adding_copies.txt");
  ASSERT_TRUE(dump);
  EXPECT_EQ(dump->pipeline, "copy-insertion");
  EXPECT_EQ(dump->after, "adding_copies");
  EXPECT_EQ(dump->before, "");
}

TEST(DumpNameTest, KnowsTheTextsAtBothEndsAndNothingElse) {
  EXPECT_EQ(ParseDumpName("module_0000.m.before_optimizations.txt")->kind, DumpKind::kBefore);
  EXPECT_EQ(ParseDumpName("module_0000.m.cpu_after_optimizations.txt")->kind, DumpKind::kAfter);
  EXPECT_EQ(ParseDumpName("module_0000.m.sm_90_gpu_after_optimizations.txt")->kind,
            DumpKind::kAfter);
  for (const char* other : {"module_0000.m.cpu_after_optimizations-buffer-assignment.txt",
                            "module_0000.m.debug_options", "module_0000.m.ir-with-opt.ll",
                            "module_x.m.before_optimizations.txt", "notes.txt", "",
                            "module_0000.m.0001.after_a.before_b.txt"}) {
    EXPECT_FALSE(ParseDumpName(other)) << other;
  }
}

// The dumps of a compilation, written by hand: passes a, b and c on an add of two parameters.
constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[2] %s
})";
const std::string kAdd = absl::StrFormat(kText, "add(x, y)");
const std::string kSwapped = absl::StrFormat(kText, "add(y, x)");
const std::string kWrong = absl::StrFormat(kText, "subtract(x, y)");
const std::string kLibrary =
    absl::StrFormat(kText, "custom-call(x, y), custom_call_target=\"lib\"");

struct Dumps {
  std::string given, after_a, after_b, after_c, last;
};

class BlameTest : public ::testing::Test {
 protected:
  void Write(const char* name, const std::string& text) {
    if (text.empty()) return;
    ASSERT_TRUE(WriteFile(absl::StrCat(folder_.path(), "/module_0001.m.", name), text).ok());
  }

  PassBlame Blame(const Dumps& dumps, bool has_values = true, const std::string& given = kAdd,
                  const std::vector<std::string>& leaves = {"f32[2] {1, 2}", "f32[2] {3, 5}"},
                  const std::string& found = "") {
    Write("before_optimizations.txt", dumps.given);
    Write("0001.p.after_pipeline-start.before_a.txt", dumps.given);
    Write("0002.p.after_a.before_b.txt", dumps.after_a);
    Write("0003.p.after_b.before_c.txt", dumps.after_b);
    Write("0004.p.after_c.before_pipeline-end.txt", dumps.after_c);
    Write("cpu_after_optimizations.txt", dumps.last);
    PassBlame blame;
    auto modules = ReadDumpFolder(folder_.path());
    EXPECT_TRUE(modules.ok()) << modules.status();
    if (has_values || modules->back().complete) {
      auto module = *ParseModule(given);
      ExecuteRequest request;
      request.arguments.resize(1);
      for (const std::string& leaf : leaves) request.arguments[0].push_back(*ParseLeaf(leaf));
      Differ differ(*module, request, DiffOptions());
      Ran ran;
      if (!found.empty()) ran.outcome.result.outputs = {{*ParseLeaf(found)}};
      blame.stages = *JudgeStages({module.get(), &request, {}},
                                  *StagesOf(folder_.path(), modules->back()), differ, ran);
    }
    Conclude(modules->back(), has_values, blame);
    return blame;
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make("hlocts-passes-test");
};

TEST_F(BlameTest, AnEditedStageIsNamed) {
  PassBlame blame = Blame({kAdd, kSwapped, kWrong, kWrong, kWrong});
  EXPECT_EQ(blame.failing_phase, FailurePhase::kPass);
  EXPECT_EQ(blame.pass, "b");
  EXPECT_EQ(blame.pipeline, "p");
  ASSERT_EQ(blame.stages.size(), 3u);
  EXPECT_EQ(blame.stages[1].verdict.kind, Outcome::kPass);
  EXPECT_THAT(blame.stages[2].verdict.reason, HasSubstr("accepted 4, found -2"));
}

// The reference keeps the subnormal. An engine that flushes it subtracts.
const std::string kFlushed = R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  t = f32[2] constant({1e-40, 1e-40})
  z = f32[2] subtract(t, t)
  u = f32[2] add(t, t)
  p = pred[2] compare(u, z), direction=EQ
  s = f32[2] subtract(x, y)
  a = f32[2] add(x, y)
  ROOT r = f32[2] select(p, s, a)
})";
const Dumps kFlushedDumps = {kAdd, kAdd, kFlushed, kFlushed, kFlushed};

TEST_F(BlameTest, ATextThatPermitsTheWrongOutputsIsNamed) {
  const std::vector<std::string> leaves = {"f32[2] {1, 2}", "f32[2] {3, 5}"};
  PassBlame blame = Blame(kFlushedDumps, true, kAdd, leaves, "f32[2] {-2, -3}");
  EXPECT_EQ(AnswerText(blame), "pass b");
  EXPECT_THAT(blame.stages.back().verdict.reason, HasSubstr("accept the wrong outputs"));
  blame = Blame(kFlushedDumps, true, kAdd, leaves, "f32[2] {5, 5}");
  EXPECT_EQ(blame.failing_phase, FailurePhase::kCodeGeneration);
}

// A rotation over two devices: each sends its first element to the other device, or to itself.
constexpr char kRotation[] = R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[3] parameter(0), sharding={devices=[2]<=[2]}
  a = f32[2] slice(x), slice={[1:3]}
  b = f32[1] slice(x), slice={[0:1]}
  ROOT r = f32[3] concatenate(a, b), dimensions={0}, sharding={devices=[2]<=[2]}
})";
constexpr char kExchange[] = R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[2] parameter(0), sharding={devices=[2]<=[2]}
  a = f32[1] slice(x), slice={[1:2]}
  b = f32[1] slice(x), slice={[0:1]}
  c = f32[1] collective-permute(b), channel_id=1, source_target_pairs={%s}
  p = u32[] partition-id()
  z = u32[] constant(0)
  is_first = pred[] compare(p, z), direction=EQ
  first = f32[2] concatenate(a, c), dimensions={0}
  second = f32[2] concatenate(c, c), dimensions={0}
  ROOT r = f32[2] select(is_first, first, second), sharding={devices=[2]<=[2]}
})";

TEST_F(BlameTest, StagesBehindThePartitionerAreEvaluatedOnAllDevices) {
  const std::string right = absl::StrFormat(kExchange, "{0,1},{1,0}");
  const std::string wrong = absl::StrFormat(kExchange, "{0,0},{1,1}");
  const std::string given = kRotation;
  PassBlame blame = Blame({given, right, wrong, wrong, wrong}, true, given, {"f32[3] {1, 2, 3}"});
  EXPECT_EQ(blame.failing_phase, FailurePhase::kPass);
  EXPECT_EQ(blame.pass, "b");
  ASSERT_EQ(blame.stages.size(), 3u);
  EXPECT_EQ(blame.stages[1].verdict.kind, Outcome::kPass) << blame.stages[1].verdict.reason;
  EXPECT_THAT(blame.stages[2].verdict.reason, HasSubstr("accepted 3, found 1"));
}

TEST_F(BlameTest, APassIsNotNamedForMissingDumpsBeforeIt) {
  PassBlame blame = Blame({kAdd, "", kWrong, kWrong, kWrong});
  EXPECT_EQ(AnswerText(blame), "after the start of pipeline p");
  EXPECT_TRUE(blame.suspects.empty());
  EXPECT_THAT(blame.reason, HasSubstr("next dump is module_0001.m.0003.p.after_b.before_c.txt, "));
}

TEST_F(BlameTest, OfSelectedPassesOnlyThoseThatFollowTheirOwnStartAreNamed) {
  Write("before_optimizations.txt", kAdd);
  Write("debug_options", "xla_dump_to: \"d\"\nxla_dump_hlo_pass_re: \"dce|copies\"\n");
  Write("0000.p.after_pipeline-start.before_dce.txt", kSwapped);
  Write("0001.p.after_dce.before_d.txt", kAdd);
  Write("0002.p.after_f.before_dce.txt", kSwapped);
  Write("0003.copies.after_one_step.txt", kAdd);
  Write("0004.p.after_dce.before_copies.txt", kSwapped);
  Write("0005.copies.after_one_step.txt", kAdd);
  Write("0006.copies.after_next_step.txt", kSwapped);
  Write("cpu_after_optimizations.txt", kAdd);
  const std::vector<Stage> stages =
      *StagesOf(folder_.path(), ReadDumpFolder(folder_.path())->back());
  std::vector<std::string> missing;
  for (const Stage& stage : stages)
    if (stage.since) missing.push_back(absl::StrCat(stage.since->after, " to ", stage.after));
  EXPECT_THAT(missing, ElementsAre(" to pipeline-start", "dce to f", "f to one_step",
                                   "next_step to the last pass"));
}

TEST_F(BlameTest, ModulesOfProcessesThatShareADirectoryAreApart) {
  Write("before_optimizations.txt", kAdd);
  ASSERT_TRUE(WriteFile(folder_.path() + "/module_0001.n.before_optimizations.txt", kWrong).ok());
  const auto modules = *ReadDumpFolder(folder_.path());
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[1].name, "n");
  EXPECT_EQ(modules[1].files.size(), 1u);
}

TEST_F(BlameTest, TheStartOfAPipelineIsNoPass) {
  PassBlame blame;
  blame.verdict.error.message = "shapes differ\n\nFailed after pipeline-start";
  Conclude({}, /*has_values=*/false, blame);
  EXPECT_EQ(AnswerText(blame), "before the passes");
}

TEST_F(BlameTest, WithoutDumpsOfPassesNoneIsNamed) {
  Write("before_optimizations.txt", kAdd);
  Write("cpu_after_optimizations.txt", kWrong);
  Stage last = StagesOf(folder_.path(), ReadDumpFolder(folder_.path())->back())->back();
  PassBlame blame;
  blame.stages.resize(2);
  blame.stages[0].verdict.kind = Outcome::kPass;
  blame.stages[1].stage = last;
  blame.stages[1].verdict.kind = Outcome::kFail;
  Conclude({}, /*has_values=*/true, blame);
  EXPECT_EQ(AnswerText(blame), "a pass");
  EXPECT_TRUE(blame.suspects.empty());
  blame.suspects = {"dce", "cse"};
  EXPECT_EQ(AnswerText(blame), "one of the suspects");
}

TEST_F(BlameTest, APassThatRunsAPipelineMadeWhatIsSeenAtItsStart) {
  Write("before_optimizations.txt", kAdd);
  Write("0001.outer.after_pipeline-start.before_a.txt", kAdd);
  Write("0002.inner.after_pipeline-start.before_b.txt", kWrong);
  Write("0003.inner.after_b.before_pipeline-end.txt", kWrong);
  Write("0004.outer.after_a.before_pipeline-end.txt", kSwapped);
  const std::vector<Stage> stages =
      *StagesOf(folder_.path(), ReadDumpFolder(folder_.path())->back());
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_EQ(stages[1].after, "a");
  EXPECT_EQ(stages[1].pipeline, "outer");
  EXPECT_EQ(StageName({"f", "pipeline-start", "outer", ""}), "before pipeline outer");
}

struct Case {
  Dumps dumps;
  bool has_values;
  std::string answer, suspects;
};

TEST_F(BlameTest, TheAnswerFollowsFromTheDumps) {
  for (const auto& [dumps, has_values, answer, suspects] : std::vector<Case>{
           {{kAdd, kSwapped, "", "", ""}, false, "after pass a", "b"},  // the dumps end
           {{kAdd, kAdd, kSwapped, kSwapped, kSwapped}, true, "code generation", ""},
           {{kAdd, kAdd, kAdd, kAdd, kAdd}, false, "code generation", ""},
           {{kWrong, kWrong, kWrong, kWrong, kWrong}, true, "before the passes", ""},
           {{kAdd, kSwapped, kWrong, kWrong, kWrong}, false, "pass b", ""},
           {{kAdd, kSwapped, kLibrary, kLibrary, kLibrary}, true, "after pass a", "b"},
           {{kAdd, kSwapped, kLibrary, kLibrary, kLibrary}, false, "after pass a", "b"},
           {{kAdd, kSwapped, kLibrary, kWrong, kWrong}, true, "after pass a", "b, c"}}) {
    const PassBlame blame = Blame(dumps, has_values);
    EXPECT_EQ(AnswerText(blame), answer);
    EXPECT_EQ(SuspectsText(blame.suspects), suspects);
    EXPECT_THAT(blame.reason, HasSubstr(dumps.after_b == kLibrary ? "lib" : ""));
  }
}

EngineError Said(const char* words) {
  EngineError error;
  error.message = words;
  return error;
}

TEST(CrashTextTest, VerifierAndStackNamePasses) {
  EXPECT_EQ(
      PassNamedByVerifier(Said("shapes differ:\n%a = u16[]\n\nFailed after scatter_simplifier")),
      "scatter_simplifier");
  EXPECT_EQ(PassNamedByVerifier(Said("shapes differ")), "");
  EXPECT_THAT(PassesNamedByStack(Said("rng_expander.cc:57] Check failed: x\n"
                                      "@ 0x7f  xla::OpExpanderPass::RunImpl()\n"
                                      "@ 0x7f  xla::ReshapeMover::RunImpl()\n"
                                      "@ 0x7f  xla::PjRtCpuClient::CompileAndLoad()")),
              ElementsAre("rng-expander", "rng_expander", "reshape-mover", "reshape_mover"));
  EXPECT_THAT(PassesNamedByStack(Said("xla::AlgebraicSimplifierVisitor::HandlePad()")),
              ElementsAre("algsimp"));
  EXPECT_TRUE(PassesNamedByStack(Said("killed by signal 11")).empty());
  EXPECT_EQ(SuspectsText({"rng-expander", "rng_expander", "a_b"}), "rng-expander, a_b");
}

// An engine with a planted fault: it runs the module `runs` instead of the one it gets, and reports
// `tells` as the module from which it generated code.
struct Planted {
  std::string runs, tells;
};

class PlantedExecutable : public Executable {
 public:
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    return runs->Execute(request);
  }
  absl::StatusOr<std::string> OptimizedModule() override {
    if (tells.empty()) return Executable::OptimizedModule();
    return SerializeModule(**ParseModule(tells));
  }
  std::unique_ptr<Executable> runs;
  std::string tells;
};

class PlantedBackend : public Backend {
 public:
  explicit PlantedBackend(Planted planted) : planted_(std::move(planted)) {}
  BackendInfo info() override { return {}; }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module&,
                                                   const LoadOptions& options) override {
    auto planted = std::make_unique<PlantedExecutable>();
    planted->tells = planted_.tells;
    HLOCTS_ASSIGN_OR_RETURN(planted->runs, reference_->Load(**ParseModule(planted_.runs), options));
    return planted;
  }

 private:
  Planted planted_;
  std::unique_ptr<Backend> reference_ = *MakeBackend("reference");
};

PassBlame BlamePlanted(const Planted& planted, const std::string& dumps = "") {
  auto module = *ParseModule(kAdd);
  ExecuteRequest request;
  request.arguments = {{*ParseLeaf("f32[2] {1, 2}"), *ParseLeaf("f32[2] {3, 5}")}};
  BlameSubject subject{.module = module.get(), .request = &request};
  const EngineFactory engine = [&]() -> absl::StatusOr<std::unique_ptr<Backend>> {
    return std::make_unique<PlantedBackend>(planted);
  };
  return dumps.empty() ? *BlameInOneStep(subject, engine) : *BlamePass(subject, engine, dumps);
}

TEST(OneStepTest, OptimizedModuleSeparatesPassesFromCodegen) {
  PassBlame pass = BlamePlanted({kWrong, kWrong});
  EXPECT_EQ(pass.failing_phase, FailurePhase::kPass);
  EXPECT_EQ(pass.pass, "");
  ASSERT_EQ(pass.stages.size(), 1u);
  EXPECT_THAT(pass.stages[0].verdict.reason, HasSubstr("accepted 4, found -2"));
  EXPECT_EQ(BlamePlanted({kWrong, kSwapped}).failing_phase, FailurePhase::kCodeGeneration);
  // A missing module is reported.
  PassBlame library = BlamePlanted({kWrong, kLibrary});
  EXPECT_EQ(library.failing_phase, FailurePhase::kUnknown);
  EXPECT_THAT(library.reason, HasSubstr("lib"));
  PassBlame silent = BlamePlanted({kWrong, ""});
  EXPECT_EQ(silent.failing_phase, FailurePhase::kUnknown);
  EXPECT_THAT(silent.reason, HasSubstr("does not return"));
  EXPECT_THAT(BlamePlanted({kAdd, kWrong}).reason, HasSubstr("does not fail"));
}

TEST_F(BlameTest, EngineWithoutDumpsUsesOneStepBlame) {
  PassBlame blame = BlamePlanted({kWrong, kWrong}, folder_.path());
  EXPECT_EQ(blame.failing_phase, FailurePhase::kPass);
  EXPECT_THAT(blame.reason, HasSubstr("no dumps"));
}

TEST_F(BlameTest, APassThatFailsAlsoWithoutItIsNamedOnlyIfItsTextIsWrong) {
  Blame({kAdd, kAdd, kWrong, kWrong, kWrong});  // writes the dumps
  EXPECT_EQ(AnswerText(BlamePlanted({kWrong, ""}, folder_.path())), "pass b");
  Blame(kFlushedDumps);
  const PassBlame blame = BlamePlanted({kWrong, ""}, folder_.path());
  EXPECT_EQ(AnswerText(blame), "code generation");
  EXPECT_THAT(blame.reason, HasSubstr("after b accept the outputs, but the failure remains"));
  EXPECT_THAT(BlamePlanted({kWrong, kFlushed}).reason, HasSubstr("the sets of this module"));
}

TEST_F(BlameTest, AnEmptyFolderIsAnError) {
  EXPECT_TRUE(absl::IsNotFound(ReadDumpFolder(folder_.path()).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadDumpFolder("/no/such/folder").status()));
}

}  // namespace
}  // namespace hlocts::backends
