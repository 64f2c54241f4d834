// SPDX-License-Identifier: Apache-2.0
// Tests the behaviour that is required of every engine.
//
// The test runs for each engine of ../backends.def and for the engines in HLOCTS_CONTRACT_ENGINES
// (`all`: every installed release), without exemptions. It checks values only if the engine must
// return data unchanged. Broken engines must yield a verdict within the caller's time limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>

#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "backends/worker/worker_client.h"
#include "backends/worker/worker_server.h"
#include "generators/arguments.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::Not;

std::vector<std::string> EngineNames() {
  std::vector<std::string> names = ListedBackends();
  const char* more = std::getenv("HLOCTS_CONTRACT_ENGINES");
  if (!more) return names;
  if (std::string(more) != "all") return absl::StrSplit(more, ',', absl::SkipEmpty());
  auto list = LoadEngineList();
  for (int i = 0; list.ok() && i < list->engine_size(); ++i) {
    if (list->engine(i).reach() != engines::BUILD && CheckUsable(list->engine(i)).ok())
      names.push_back(list->engine(i).name());
  }
  return names;
}

std::unique_ptr<Module> Parsed(const std::string& text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

std::unique_ptr<Module> Identity(const std::string& shape) {
  return Parsed("HloModule identity\nENTRY e { ROOT x = " + shape + " parameter(0) }");
}

std::vector<Literal> ArgumentsOf(const Module& module) {
  return generators::GenerateArguments(ArgumentLeafShapes(module), 1);
}

class ContractTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto made = MakeBackend(GetParam());
    if (absl::IsUnavailable(made.status())) GTEST_SKIP() << made.status().message();
    ASSERT_TRUE(made.ok()) << made.status();
    engine_ = *std::move(made);
    info_ = engine_->info();
    if (!info_.available) GTEST_SKIP() << info_.error.Text();
  }
  RunOutcome Run(const Module& module, LoadOptions options = {}) {
    ExecuteRequest request;
    for (int64_t d = 0; d < options.replicas * options.partitions; ++d)
      request.arguments.push_back(ArgumentsOf(module));
    return RunModule(*engine_, module, options, request);
  }
  // Expects that the module returns its arguments in this order, bit for bit, or is unsupported.
  void ExpectArgumentsBack(const Module& module, const std::vector<size_t>& order,
                           const std::string& what) {
    RunOutcome outcome = Run(module);
    if (outcome.failure == Outcome::kUnsupported) return;
    // An external engine may reject a type or crash on it. That is a verdict, after which the
    // engine must still work.
    const bool refused =
        outcome.failure == Outcome::kCrash || outcome.failure == Outcome::kRejected;
    if (refused && IsThirdParty(GetParam())) return ExpectWorks();
    ASSERT_TRUE(outcome.has_values()) << what << ": " << outcome.error.Text();
    std::vector<Literal> arguments = ArgumentsOf(module);
    ASSERT_EQ(outcome.result.outputs.size(), 1u) << what;
    ASSERT_EQ(outcome.result.outputs[0].size(), order.size()) << what;
    for (size_t o = 0; o < order.size(); ++o) {
      EXPECT_TRUE(outcome.result.outputs[0][o].BitwiseEqual(arguments[order[o]]))
          << what << ", output " << o;
    }
  }
  void ExpectWorks() {
    auto module = Identity("f32[4]");
    RunOutcome outcome = Run(*module);
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    EXPECT_TRUE(outcome.result.outputs[0][0].BitwiseEqual(ArgumentsOf(*module)[0]));
  }
  std::unique_ptr<Backend> engine_;
  BackendInfo info_;
};

TEST_P(ContractTest, ReportsNameAndVersion) {
  EXPECT_FALSE(info_.name.empty());
  EXPECT_FALSE(info_.version.empty());
  auto list = LoadEngineList();
  ASSERT_TRUE(list.ok());
  const engines::Engine* release = FindEngine(*list, GetParam());
  if (!release || release->reach() == engines::BUILD) return;
  for (const std::string& option : release->option())
    EXPECT_THAT(info_.version, ::testing::HasSubstr(option)) << "each verdict says how it ran";
}

TEST_P(ContractTest, EveryElementTypeComesBackOrIsNotThere) {
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsArrayType(type)) continue;
    const std::string shape = absl::StrCat(PrimitiveTypeName(type), "[3,5]");
    ExpectArgumentsBack(*Identity(shape), {0}, shape);
  }
  ExpectWorks();
}

TEST_P(ContractTest, LayoutsMoveNoElement) {
  for (const char* shape : {"f32[3,5]{0,1}", "s32[2,3,4]{0,2,1}", "pred[2,3]{0,1}"})
    ExpectArgumentsBack(*Identity(shape), {0}, shape);
}

TEST_P(ContractTest, ArraysOfNoElementsAndOfOne) {
  for (const char* shape : {"f32[0]", "f32[2,0,3]", "f32[]", "pred[]", "s64[1,1]"})
    ExpectArgumentsBack(*Identity(shape), {0}, shape);
}

TEST_P(ContractTest, LargeArrays) { ExpectArgumentsBack(*Identity("f32[512,513]"), {0}, "1 MiB"); }

TEST_P(ContractTest, TuplesAreLeavesInOrder) {
  ExpectArgumentsBack(*Parsed(R"(HloModule tuples
ENTRY e {
  a = f32[2] parameter(0)
  b = s32[3] parameter(1)
  ROOT t = (s32[3], f32[2], s32[3]) tuple(b, a, b)
})"),
                      {1, 0, 1}, "a flat tuple");
}

TEST_P(ContractTest, WhatIsKeptIsNotConsumed) {
  auto module = Parsed(R"(HloModule donated, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e {
  a = s32[64] parameter(0)
  b = s32[64] parameter(1)
  ROOT r = s32[64] add(a, b)
})");
  for (bool donate : {true, false}) {
    ExecuteRequest request;
    request.arguments.push_back(ArgumentsOf(*module));
    if (donate) request.donated_leaves = {0};
    RunOutcome outcome = RunModule(*engine_, *module, {}, request);
    if (outcome.failure == Outcome::kUnsupported) continue;
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    const std::vector<Literal> arguments = ArgumentsOf(*module);
    for (int i = 0; i < 64; ++i) {
      const uint32_t sum = static_cast<uint32_t>(arguments[0].data<int32_t>()[i]) +
                           static_cast<uint32_t>(arguments[1].data<int32_t>()[i]);
      ASSERT_EQ(static_cast<uint32_t>(outcome.result.outputs[0][0].data<int32_t>()[i]), sum);
    }
    for (const ArgumentState& state : outcome.result.arguments) {
      if (state.leaf == 1 || !donate) {
        EXPECT_FALSE(state.consumed) << "leaf " << state.leaf << " was not donated";
      }
    }
  }
}

TEST_P(ContractTest, SeveralDevicesOrUnsupported) {
  auto module = Identity("f32[4]");
  LoadOptions two;
  two.replicas = 2;
  RunOutcome outcome = Run(*module, two);
  if (outcome.failure == Outcome::kUnsupported) return;
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  ASSERT_EQ(outcome.result.outputs.size(), 2u);
  for (const auto& device : outcome.result.outputs)
    EXPECT_TRUE(device[0].BitwiseEqual(ArgumentsOf(*module)[0]));
}

TEST_P(ContractTest, ARefusalLeavesItAbleToWork) {
  auto broken = Parsed(R"(HloModule broken
ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[2,2] parameter(1)
  ROOT d = f32[3,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  RunOutcome outcome = Run(*broken);
  // The suite of invalid modules reports a failure if the engine accepts the module or crashes.
  // This test only requires an answer.
  EXPECT_THAT(outcome.failure, Not(AnyOf(Eq(Outcome::kTimeout), Eq(Outcome::kError))))
      << outcome.error.Text();
  ExpectWorks();
}

TEST_P(ContractTest, CancelledRunReturns) {
  LoadOptions options;
  options.stop = [] { return true; };
  EXPECT_FALSE(Run(*Identity("f32[4]"), options).has_values());
  ExpectWorks();
}

INSTANTIATE_TEST_SUITE_P(Engines, ContractTest, ::testing::ValuesIn(EngineNames()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

// An engine that answers hello wrongly or not at all must soon be unavailable.
TEST(BrokenEngineTest, NoHelloIsNoEngine) {
  const double usual = StartSecondsMax();
  SetStartSecondsMax(0.5);
  for (const char* command : {"sleep 1000", "cat /dev/zero", "echo hello", "exit 3", "kill -9 $$",
                              "cat >/dev/null; sleep 1000", "head -c 100000000 /dev/urandom"}) {
    auto engine = MakeBackend(absl::StrCat("broken=exec:", command));
    ASSERT_TRUE(engine.ok());
    EXPECT_FALSE((*engine)->info().available) << command;
    EXPECT_FALSE((*engine)->info().error.Text().empty()) << command;
  }
  SetStartSecondsMax(usual);
}

struct Broken {
  const char* module;
  std::optional<Outcome> failure;
};

// The engine answers hello, and then misbehaves in the way that the module's name selects.
TEST(BrokenEngineTest, EachBreachIsTheOutcomeOfItsModule) {
  auto engine = MakeBackend("broken=exec:exec " HLOCTS_BINARY_DIR "/misbehaving_engine foreign");
  ASSERT_TRUE(engine.ok());
  LoadOptions options;
  options.memory_bytes_max = int64_t{1} << 28;
  const Broken cases[] = {
      {"abort", Outcome::kCrash},   {"exit", Outcome::kCrash},
      {"hang", Outcome::kTimeout},  {"hang_load", Outcome::kTimeout},
      {"rubbish", Outcome::kCrash}, {"no_reply_message", Outcome::kCrash},
      {"memory", Outcome::kCrash},  {"ten_gigabytes", Outcome::kCrash},
      {"fine", std::nullopt},
  };
  for (const Broken& broken : cases) {
    auto module = Parsed(
        absl::StrCat("HloModule ", broken.module, "\nENTRY e { ROOT x = f32[4] parameter(0) }"));
    ExecuteRequest request;
    request.arguments.push_back(ArgumentsOf(*module));
    // Only an engine that hangs gets the short limit; the others need time on a loaded machine.
    options.timeout_seconds = broken.failure == Outcome::kTimeout ? 0.5 : 120;
    RunOutcome outcome = RunModule(**engine, *module, options, request);
    EXPECT_EQ(outcome.failure, broken.failure) << broken.module << ": " << outcome.error.Text();
  }
}

TEST(BrokenEngineTest, ATimeoutSaysThatMemoryWasExhausted) {
  auto engine = MakeBackend("broken=exec:exec " HLOCTS_BINARY_DIR "/misbehaving_engine foreign");
  ASSERT_TRUE(engine.ok());
  const auto message = [&](const std::string& name, double seconds, int64_t bytes) {
    auto module =
        Parsed(absl::StrCat("HloModule ", name, "\nENTRY e { ROOT x = f32[4] parameter(0) }"));
    ExecuteRequest request;
    request.arguments.push_back(ArgumentsOf(*module));
    LoadOptions options;
    options.timeout_seconds = seconds;
    options.memory_bytes_max = bytes;
    return RunModule(**engine, *module, options, request).error.message;
  };
  constexpr int64_t kLimit = int64_t{1} << 28;
  EXPECT_THAT(message("hang", 0.5, kLimit), ::testing::EndsWith(" s and was killed"));
  EXPECT_THAT(message("no_memory", 0.5, kLimit),
              ::testing::HasSubstr("; it wrote that an allocation failed"));
  EXPECT_EQ(message("much_memory", 120, 8 * kLimit), "");
  EXPECT_THAT(message("hang", 0.5, kLimit),
              ::testing::HasSubstr("; its memory had exceeded its limit of "));
}

}  // namespace
}  // namespace hlocts::backends

// Serves as the worker program of external engines, which is otherwise hlocts.
int main(int argc, char** argv) {
  setenv("HLOCTS_XLA_LIBRARY", HLOCTS_BINARY_DIR "/libhlocts_xla.so", /*overwrite=*/0);
  constexpr absl::string_view kFlag = "--backend=";
  if (argc == 3 && std::string(argv[1]) == "worker") {
    int output = hlocts::backends::ReserveStandardOutput();
    auto engine = hlocts::backends::MakeInProcessBackend(argv[2] + kFlag.size());
    if (!engine.ok()) return 1;
    return hlocts::backends::ServeWorker(**engine, STDIN_FILENO, output).ok() ? 0 : 1;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
