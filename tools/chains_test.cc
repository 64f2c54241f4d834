// SPDX-License-Identifier: Apache-2.0
// The first-order worst case that detection curves are held against.
#include "tools/selfcheck/chains.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/backend_list.h"
#include "generators/arguments.h"
#include "spec/judge/joint.h"

namespace hlocts::tools {
namespace {

backends::ExecuteRequest RandomArguments(const Module& module, uint64_t seed) {
  backends::ExecuteRequest request;
  request.arguments.push_back(generators::GenerateArguments(
      backends::ArgumentLeafShapes(module), seed, generators::ArgumentStyle::kRandom));
  return request;
}

TEST(ChainsTest, TheReferenceIsWithinTheFirstOrder) {
  auto reference = backends::MakeInProcessBackend("reference");
  generators::SplitMix64 random(3);
  for (int i = 0; i < 40; ++i) {
    const ChainKind kind = i % 2 == 0 ? ChainKind::kElementwise : ChainKind::kMixed;
    const Chain chain = Chain::Random(PrimitiveType::kF32, kind, 5, random);
    auto module = chain.ToModule();
    const backends::ExecuteRequest request = RandomArguments(*module, random.Next());
    const auto outcome = backends::RunModule(**reference, *module, {}, request);
    ASSERT_EQ(outcome.kind, backends::OutcomeKind::kValues);
    const FirstOrder exact(chain, request.arguments[0]);
    const Literal& found = outcome.result.outputs[0][0];
    for (int64_t at = 0; at < 16; ++at) {
      const double value = exact.ResultOf(at);
      // The second order of a worst case is a small part of it; exact results have none.
      EXPECT_LE(std::fabs(RealAt(found, at) - value), 1.01 * exact.Worst(at) + 1e-30)
          << "module " << i << ", element " << at;
    }
  }
}

TEST(ChainsTest, OneStepIsOffByItsOwnAndNoMore) {
  generators::SplitMix64 random(5);
  for (int i = 0; i < 10; ++i) {
    const Chain chain = Chain::Random(PrimitiveType::kF32, ChainKind::kElementwise, 1, random);
    auto module = chain.ToModule();
    const FirstOrder exact(chain, RandomArguments(*module, random.Next()).arguments[0]);
    EXPECT_EQ(exact.Worst(7), exact.Own(0, 7));
  }
}

}  // namespace
}  // namespace hlocts::tools
