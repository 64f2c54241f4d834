// SPDX-License-Identifier: Apache-2.0
#include "generators/shardings.h"

#include <gtest/gtest.h>

#include <set>

#include "generators/module_generator.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::generators {
namespace {

// Checks one annotation. Returns true if all its tiles have the same size.
bool CheckSharding(const Sharding& sharding, const Shape& array, int64_t devices) {
  if (sharding.type == Sharding::Type::kReplicated) return true;
  const auto& dimensions = sharding.tile_assignment_dimensions;
  int64_t product = 1, iota = 1;
  for (const int64_t count : dimensions) product *= count;
  for (const int64_t size : sharding.iota_reshape_dims) iota *= size;
  EXPECT_EQ(product, devices);
  EXPECT_EQ(iota, devices);
  EXPECT_EQ(static_cast<int64_t>(dimensions.size()),
            array.rank() + sharding.replicate_on_last_tile_dim);
  bool even = true;
  for (int64_t d = 0; d < array.rank(); ++d) even = even && array.dimension(d) % dimensions[d] == 0;
  return even;
}

TEST(ShardingsTest, AnnotatedModulesAreValidAndSurviveTheirText) {
  constexpr int kModules = 1000;
  int sharded = 0, uneven = 0, inner = 0;
  std::set<size_t> axes;
  for (int number = 0; number < kModules; ++number) {
    Generated made = GenerateNumbered(1, number, {});
    if (!made.broken_rule.empty()) continue;
    const std::string before = PrintModule(*made.module);
    const int64_t devices = int64_t{2} << number % 3;
    SeedSource choose(2, number);
    if (!AddShardings(choose, devices, *made.module).ok()) {
      EXPECT_EQ(PrintModule(*made.module), before);
      continue;
    }
    ++sharded;
    ASSERT_TRUE(VerifyModule(*made.module).ok()) << number;
    ASSERT_TRUE(IsSharded(*made.module));
    bool even = true;
    const Module& module = *made.module;
    for (const auto& instruction : module.entry()->instructions()) {
      const auto* sharding = instruction->Get<Sharding>(Attr::kSharding);
      if (sharding == nullptr) continue;
      inner += !instruction->IsParameter() && instruction.get() != module.entry()->root();
      axes.insert(sharding->iota_reshape_dims.size());
      const std::vector<Shape> leaves = LeafShapes(instruction->shape());
      if (sharding->type != Sharding::Type::kTuple) {
        even = CheckSharding(*sharding, leaves[0], devices) && even;
        continue;
      }
      ASSERT_EQ(sharding->tuple_shardings.size(), leaves.size());
      for (size_t i = 0; i < leaves.size(); ++i)
        even = CheckSharding(sharding->tuple_shardings[i], leaves[i], devices) && even;
    }
    uneven += !even;
    const std::string text = PrintModule(module);
    auto parsed = ParseModule(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status() << text;
    EXPECT_EQ(PrintModule(**parsed), text);
    EXPECT_EQ(PrintModule(*WithoutShardings(module)), before);
  }
  EXPECT_GT(sharded, kModules / 2);
  EXPECT_GT(uneven, sharded / 10);
  EXPECT_LT(uneven, sharded / 3);
  EXPECT_GT(inner, sharded / 2);
  EXPECT_EQ(axes, (std::set<size_t>{0, 1, 2, 3}));
}

TEST(ShardingsTest, OnlyAProgramOfOneDeviceIsPartitioned) {
  constexpr char kPerDevice[] =
      "HloModule m\nENTRY e {\n  p = u32[] partition-id()\n  ROOT r = u32[1] reshape(p)\n}\n";
  auto module = ParseModule(kPerDevice);
  ASSERT_TRUE(module.ok());
  EXPECT_TRUE(absl::IsUnimplemented(Shard(4, 1, **module)));
  EXPECT_EQ((*module)->num_partitions, 1);
}

TEST(ShardingsTest, AnnotationsThatAreThereStay) {
  constexpr char kText[] =
      "HloModule m\nENTRY e {\n  ROOT p = u32[8] parameter(0), sharding={devices=[4]<=[4]}\n}\n";
  auto module = ParseModule(kText);
  ASSERT_TRUE(module.ok());
  EXPECT_FALSE(IsSharded(**module));
  EXPECT_TRUE(absl::IsInvalidArgument(Shard(2, 1, **module)));
  ASSERT_TRUE(Shard(4, 1, **module).ok());
  EXPECT_TRUE(IsSharded(**module));
  EXPECT_EQ(ArgumentPartitions(**module), 1);
  EXPECT_EQ((*module)->entry()->root()->Get<Sharding>(Attr::kSharding)->tile_assignment_dimensions,
            std::vector<int64_t>{4});
}

}  // namespace
}  // namespace hlocts::generators
