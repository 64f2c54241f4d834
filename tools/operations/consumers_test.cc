// SPDX-License-Identifier: Apache-2.0
// Tests that every missing entry has a reason, and that every reason is for a missing entry.
#include "tools/operations/consumers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_split.h"

namespace hlocts::tools {
namespace {

const std::vector<Consumer>& Consumers() {
  static const auto* const kConsumers = [] {
    auto consumers = AllConsumers(HLOCTS_SOURCE_DIR);
    EXPECT_TRUE(consumers.ok()) << consumers.status();
    return new std::vector<Consumer>(consumers.ok() ? *std::move(consumers)
                                                    : std::vector<Consumer>());
  }();
  return *kConsumers;
}

TEST(Operations, EachHasAnEntryOrAReason) {
  for (const Consumer& consumer : Consumers()) {
    for (Opcode opcode : AllOpcodes()) {
      const bool has = consumer.has[static_cast<size_t>(opcode)];
      EXPECT_TRUE(has || !ReasonOf(opcode, consumer.name).empty())
          << OpcodeName(opcode) << ": " << consumer.name << " (" << consumer.what
          << ") does not know it, and spec/ops/exempt.def has no line that says why";
    }
  }
}

TEST(Operations, ReasonsNameHolesThatAreThere) {
  for (const Exemption& line : AllExemptions()) {
    EXPECT_FALSE(line.reason.empty()) << OpcodeName(line.opcode);
    for (absl::string_view name : absl::StrSplit(line.consumers, ' ')) {
      const auto consumer = std::find_if(Consumers().begin(), Consumers().end(),
                                         [&](const Consumer& c) { return c.name == name; });
      const bool absent = consumer == Consumers().end();  // of an engine that is not built
      ASSERT_TRUE(!absent || name == "cpu" || name == "cuda") << "spec/ops/exempt.def: " << name;
      if (absent) continue;
      EXPECT_FALSE(consumer->has[static_cast<size_t>(line.opcode)])
          << OpcodeName(line.opcode) << ": " << name
          << " knows it: take the name out of its line in spec/ops/exempt.def";
    }
  }
}

TEST(Operations, EveryConsumerKnowsSomeAndNotEachOneAll) {
  ASSERT_GE(Consumers().size(), 7u);  // without cpu and cuda, which may not be built
  for (const Consumer& consumer : Consumers())
    EXPECT_GT(consumer.has.count(), 60u) << consumer.name;
}

}  // namespace
}  // namespace hlocts::tools
