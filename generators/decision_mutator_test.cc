// SPDX-License-Identifier: Apache-2.0
#include "generators/decision_mutator.h"

#include <gtest/gtest.h>

#include <set>

#include "spec/infer/verifier.h"
#include "spec/text/printer.h"

namespace hlocts::generators {
namespace {

std::string Bytes(uint64_t seed, size_t count) {
  SplitMix64 random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Below(256));
  return bytes;
}

std::string TextOf(absl::string_view bytes) {
  Generated generated = GenerateFromBytes(bytes, {});
  absl::Status valid = VerifyModule(*generated.module);
  EXPECT_TRUE(valid.ok()) << valid;
  return PrintModule(*generated.module);
}

TEST(DecisionMutatorTest, BordersAreInOrderAndInside) {
  std::string bytes = Bytes(1, 400);
  std::vector<size_t> borders = InstructionBoundaries(bytes);
  ASSERT_GT(borders.size(), 3u);
  EXPECT_GT(borders[0], 1u);
  EXPECT_TRUE(std::is_sorted(borders.begin(), borders.end()));
  EXPECT_LE(borders.back(), bytes.size());
  EXPECT_TRUE(InstructionBoundaries("").empty() || InstructionBoundaries("").back() == 0);
}

// Applies a sequence of mutations. Every module must be valid, and more than a quarter of the
// mutations must change the module.
TEST(DecisionMutatorTest, MutantsAreValidAndDiffer) {
  constexpr int kSteps = 600;
  std::string bytes = Bytes(2, 300);
  std::set<std::string> texts;
  int changed = 0;
  std::string text = TextOf(bytes);
  for (int step = 0; step < kSteps; ++step) {
    bytes = MutateDecisions(bytes, 600, static_cast<uint64_t>(step));
    ASSERT_LE(bytes.size(), 600u);
    std::string next = TextOf(bytes);
    changed += next != text;
    text = next;
    texts.insert(text);
  }
  // Other mutations change an unused decision, or a byte whose value modulo the bound is the same.
  EXPECT_GT(changed, kSteps / 4);
  EXPECT_GT(texts.size(), static_cast<size_t>(kSteps) / 4);
}

TEST(DecisionMutatorTest, CrossOverTakesFromBoth) {
  std::string a = Bytes(3, 300), b = Bytes(4, 300);
  int fresh = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    std::string child = CrossOverDecisions(a, b, 500, seed);
    ASSERT_LE(child.size(), 500u);
    std::string text = TextOf(child);
    fresh += text != TextOf(a) && text != TextOf(b);
  }
  EXPECT_GT(fresh, 60);
}

TEST(DecisionMutatorTest, CAbiIsTheSame) {
  std::string bytes = Bytes(5, 100), expected = MutateDecisions(bytes, 200, 9);
  std::vector<uint8_t> buffer(200);
  std::copy(bytes.begin(), bytes.end(), buffer.begin());
  size_t size = hlocts_mutate_decisions(buffer.data(), bytes.size(), buffer.size(), 9);
  EXPECT_EQ(std::string(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size)),
            expected);
}

}  // namespace
}  // namespace hlocts::generators
