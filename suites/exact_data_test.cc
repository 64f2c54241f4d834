// SPDX-License-Identifier: Apache-2.0
// Tests that structural operations on exact data (small integers) accept only one value per
// element: there is no tolerance.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "backends/differ/differ.h"
#include "spec/base/status_testing.h"
#include "spec/text/parser.h"
#include "suites/case.h"
#include "suites/case_request.h"

namespace hlocts::suites {
namespace {

struct Tally {
  int modules = 0;
  int64_t elements = 0;
};

// Checks that each output element accepts one value for exact data, and counts the elements.
void CheckCase(const Case& one, Tally& tally) {
  auto module = ParseModule(one.module_text);
  ASSERT_TRUE(module.ok()) << one.address;
  Case exact = one;
  exact.style = generators::ArgumentStyle::kExact;
  backends::DiffOptions options;
  options.load = LoadOptionsOf(exact, **module, options.load);
  auto request = MakeRequest(exact, **module, options.load);
  ASSERT_TRUE(request.ok()) << one.address << ": " << request.status();
  backends::Differ differ(**module, *request, options);
  auto accepted = differ.Acceptance(0);
  ASSERT_TRUE(accepted.ok()) << one.address << ": " << accepted.status();
  ++tally.modules;
  for (const LeafAcceptance& leaf : (*accepted)->leaves) {
    if (leaf.token) continue;
    tally.elements += leaf.set.element_count();
    for (int64_t i = 0; i < leaf.set.element_count(); ++i) {
      AcceptanceSet set = leaf.set.At(i);
      // A zero may be accepted with either sign.
      bool zero = set.finite() && !set.integer() && set.lo == 0 && set.hi == 0;
      ASSERT_TRUE(zero || Log2Count(set, leaf.set.element_type()) == 0)
          << one.address << ": element " << i << " may be "
          << SetText(set, leaf.set.element_type());
    }
  }
}

TEST(ExactDataTest, StructureIsZeroWidth) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto cases, LoadCases(HLOCTS_SOURCE_DIR "/suites/cases"));
  Tally tally;
  for (const Case& one : cases) {
    bool structural = absl::StartsWith(one.address, "movement/") ||
                      absl::StartsWith(one.address, "tuple/") ||
                      absl::StartsWith(one.address, "layout/") ||
                      absl::StartsWith(one.address, "indexing/gather") ||
                      absl::StartsWith(one.address, "indexing/dynamic") ||
                      absl::StartsWith(one.address, "contraction/") ||
                      absl::StartsWith(one.address, "broadcasting/");
    // Reject cases have no outputs. Cases with their own inputs test these inputs.
    if (!structural || !one.reject_rule.empty() || !one.style || one.tier > Tier::kSmoke) continue;
    CheckCase(one, tally);
  }
  std::printf("%d modules, %ld elements\n", tally.modules, static_cast<long>(tally.elements));
  EXPECT_GE(tally.modules, 60);
}

}  // namespace
}  // namespace hlocts::suites
