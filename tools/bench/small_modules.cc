// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/small_modules.h"

#include "spec/ir/module.h"
#include "tools/bench/seed.h"

namespace hlocts::tools {
namespace {

constexpr int64_t kInstructionsMax = 20;

int64_t InstructionCount(const Module& module) {
  int64_t count = 0;
  for (const auto& computation : module.computations()) {
    count += static_cast<int64_t>(computation->instructions().size());
  }
  return count;
}

}  // namespace

std::optional<generators::Generated> SmallModule(uint64_t number, bool joint_operations) {
  generators::GeneratorOptions options;
  options.instructions = 8;
  options.joint_operations = joint_operations;
  generators::Generated generated = generators::GenerateNumbered(kBenchSeed, number, options);
  if (!generated.broken_rule.empty()) return std::nullopt;
  if (InstructionCount(*generated.module) > kInstructionsMax) return std::nullopt;
  return generated;
}

}  // namespace hlocts::tools
