// SPDX-License-Identifier: Apache-2.0
// Runs and judges random modules on the engine: no module may fail, with any set of passes.
// HLOCTS_RANDOM_MODULES sets the number of modules, HLOCTS_RANDOM_SEED the first seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "generators/module_generator.h"
#include "spec/text/printer.h"

namespace hlocts::backends {
namespace {

int64_t Setting(const char* name, int64_t otherwise) {
  int64_t value = otherwise;
  const char* text = std::getenv(name);
  if (text != nullptr && !absl::SimpleAtoi(text, &value)) value = otherwise;
  return value;
}

bool IsBad(Outcome kind) {
  return kind == Outcome::kFail || kind == Outcome::kRejected || kind == Outcome::kCrash ||
         kind == Outcome::kTimeout;
}

TEST(RandomModulesTest, TheJudgeAcceptsEveryOutput) {
  const int64_t count = Setting("HLOCTS_RANDOM_MODULES", 400);
  const int64_t first = Setting("HLOCTS_RANDOM_SEED", 0);
  auto fused = MakeBackend("cpu?isolation=none");
  auto plain = MakeBackend("cpu?isolation=none&disable=all");
  auto grouped = MakeBackend("cpu?isolation=none&guard=true");
  ASSERT_TRUE(fused.ok() && plain.ok() && grouped.ok());
  int64_t judged = 0;
  for (int64_t number = first; number < first + count; ++number) {
    generators::GeneratorOptions options;
    options.instructions = 12;
    const generators::Generated generated =
        generators::GenerateNumbered(1, static_cast<uint64_t>(number), options);
    if (!generated.broken_rule.empty()) continue;
    ExecuteRequest request;
    request.arguments = {generated.arguments};
    Differ differ(*generated.module, request, {});
    Backend& backend = number % 4 == 3 ? **plain : number % 4 == 1 ? **grouped : **fused;
    const RunOutcome outcome = RunModule(backend, *generated.module, {}, request);
    if (outcome.failure == Outcome::kUnsupported) continue;
    if (!outcome.has_values()) {
      ADD_FAILURE() << number << ": " << OutcomeName(*outcome.failure) << ", "
                    << outcome.error.Text() << "\n"
                    << PrintModule(*generated.module);
      continue;
    }
    const reports::Verdict verdict =
        differ.JudgeOutputs(outcome.result.outputs, backend.info().facts);
    EXPECT_FALSE(IsBad(verdict.kind)) << number << ": " << verdict.reason << "\n"
                                      << PrintModule(*generated.module);
    ++judged;
  }
  EXPECT_GT(judged, count / 2);
}

}  // namespace
}  // namespace hlocts::backends
