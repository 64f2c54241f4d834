// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/tiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "backends/adapters/pjrt/partitioned_form.h"
#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/proto/hlo.pb.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tiling Read(const std::string& sharding, int64_t rank, int64_t devices) {
  auto parsed = ParseSharding(sharding);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  auto tiling = TilingOf(*parsed, rank, devices);
  EXPECT_TRUE(tiling.ok()) << tiling.status();
  return tiling.ok() ? *tiling : Tiling();
}

TEST(TilingTest, EachDeviceHasTheTileThatTheAnnotationSays) {
  const Tiling rows = Read("{devices=[4,1]<=[4]}", 2, 4);
  EXPECT_THAT(rows.counts, ElementsAre(4, 1));
  EXPECT_THAT(rows.TileNumbers(), ElementsAre(0, 1, 2, 3));
  const Tiling listed = Read("{devices=[2,2]0,2,1,3}", 2, 4);
  EXPECT_THAT(listed.TileNumbers(), ElementsAre(0, 2, 1, 3));
  EXPECT_EQ(Read("{devices=[2,2]<=[2,2]T(1,0)}", 2, 4).TileNumbers(), listed.TileNumbers());
  EXPECT_THAT(Read("{devices=[2,2]<=[4] last_tile_dim_replicate}", 1, 4).TileNumbers(),
              ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(Read("{devices=[4]<=[4] last_tile_dim_replicate}", 0, 4).TileNumbers(),
              ElementsAre(0, 0, 0, 0))
      << "a scalar";
  EXPECT_THAT(Read("{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", 1, 4).TileNumbers(),
              ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(Read("{mesh['x'=2,'y'=2], [{'y'}]}", 1, 4).TileNumbers(), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(Read("{mesh['x'=2,'y'=2], [{'y','x'}]}", 1, 4).TileNumbers(),
              ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(Read("{maximal device=1}", 2, 2).counts, ElementsAre(1, 1));
  EXPECT_EQ(Read("{devices=[1,2]<=[2] last_tile_dims={manual}}", 1, 2).type_of_rest, "manual");
  EXPECT_FALSE(TilingOf(*ParseSharding("{devices=[4]<=[4]}"), 2, 4).ok());
  EXPECT_FALSE(TilingOf(*ParseSharding("{devices=[4]<=[4]}"), 1, 2).ok());
  EXPECT_FALSE(TilingOf(*ParseSharding("{devices=[2]0,0}"), 1, 2).ok());
}

TEST(TilingTest, TilesArePaddedWithPoisonAndPutTogetherAgain) {
  const Tiling tiling = Read("{devices=[4,1,2]<=[8] last_tile_dim_replicate}", 2, 8);
  for (const char* text :
       {"f32[5,2] {{1,2},{3,4},{5,6},{7,8},{9,10}}", "s4[5,1] {{1},{-2},{3},{-4},{5}}",
        "pred[5,1] {{1},{0},{1},{0},{1}}", "c64[0,3] {}"}) {
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto whole, ParseLiteralWithShape(text));
    std::vector<Literal> tiles;
    std::vector<const Literal*> pointers;
    for (int64_t d = 0; d < 8; ++d) tiles.push_back(TileOf(whole, tiling, d));
    for (const Literal& tile : tiles) pointers.push_back(&tile);
    Assembled made = Assemble(pointers, tiling, whole.shape());
    EXPECT_TRUE(made.equal);
    EXPECT_TRUE(made.array.BitwiseEqual(whole)) << text;
  }
  auto three = ParseLiteralWithShape("f32[3] {1, 2, 3}");
  const Literal last = TileOf(*three, Read("{devices=[4]<=[4]}", 1, 4), 3);
  EXPECT_EQ(last.shape().dimension(0), 1);
  EXPECT_TRUE(std::isnan(last.data<float>()[0])) << "nothing but poison";
}

TEST(TilingTest, CopiesThatDifferAreSeen) {
  const Tiling whole = Read("{replicated}", 1, 3);
  auto one = ParseLiteralWithShape("f32[2] {1, nan}"),
       two = ParseLiteralWithShape("f32[2] {4, -nan}");
  Assembled made = Assemble({&*one, &*two, &*one}, whole, one->shape());
  EXPECT_FALSE(made.equal);
  EXPECT_EQ(made.array.data<float>()[0], 1);
  EXPECT_EQ(made.other.data<float>()[0], 4);
  auto nan = ParseLiteralWithShape("f32[2] {1, -nan}");
  EXPECT_TRUE(Assemble({&*one, &*nan, &*one}, whole, one->shape()).equal);
}

TEST(PartitionedFormTest, ShardyGetsNamedAxesOfOneMesh) {
  auto module = ParseModule(
      "HloModule m, num_partitions=4\nENTRY e {\n"
      "  a = f32[4,4] parameter(0), sharding={devices=[2,2]<=[2,2]T(1,0)}\n"
      "  b = f32[4] parameter(1), sharding={devices=[4]0,3,1,2}\n"
      "  c = f32[4] parameter(2), sharding={replicated}\n"
      "  ROOT t = (f32[4,4], f32[4]) tuple(a, b), "
      "sharding={{devices=[2,1,2]<=[4] last_tile_dim_replicate}, {mesh['x'=2,'y'=2], "
      "[{'y'}]}}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto formed, PartitionedForm(**module, Partitioner::kShardy));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto proto, ModuleToProto(*formed));
  std::vector<std::string> axes;
  for (const auto& instruction : proto.computations(0).instructions()) {
    const auto& sharding = instruction.sharding();
    const int leaves = sharding.tuple_shardings_size();
    for (int i = 0; i < std::max(leaves, 1); ++i) {
      const auto& named = (leaves > 0 ? sharding.tuple_shardings(i) : sharding).named_sharding();
      std::string text;
      for (const auto& dimension : named.dim_shardings()) {
        absl::StrAppend(&text, "[");
        for (const auto& axis : dimension.axes()) absl::StrAppend(&text, axis.mesh_axis_index());
        absl::StrAppend(&text, "]");
      }
      axes.push_back(
          absl::StrCat(text, named.mesh().axes_size(), "/", named.mesh().device_ids_size()));
    }
  }
  // No common mesh has the device order of the second annotation, so it gets a separate mesh.
  EXPECT_THAT(axes, ElementsAre("[1][0]2/0", "[0]1/4", "[]2/0", "[0][]2/0", "[1]2/0"));
  auto gspmd = PartitionedForm(**module, Partitioner::kGspmd);
  ASSERT_TRUE(gspmd.ok());
  EXPECT_THAT(PrintModule(**gspmd), HasSubstr("devices=[2,2]0,2,1,3 last_tile_dim_replicate"));
}

TEST(PartitionedFormTest, ManualRegionsAreGivenToGspmdOnly) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module,
      ParseModule(
          "HloModule m, num_partitions=2\nENTRY e { a = f32[4] parameter(0) ROOT b = f32[2] "
          "custom-call(a), custom_call_target=\"SPMDFullToShardShape\", sharding={manual} }"));
  EXPECT_TRUE(NeedsPartitioner(*module, 2));
  EXPECT_FALSE(NeedsPartitioner(*module, 1));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto formed, PartitionedForm(*module, Partitioner::kGspmd));
  EXPECT_THAT(PrintModule(*formed), HasSubstr("parameter(0), sharding={replicated}"));
  EXPECT_TRUE(absl::IsUnimplemented(PartitionedForm(*module, Partitioner::kShardy).status()));
}

TEST(PartitionedFormTest, UnreducedIsNotGivenToAnyEngine) {
  auto module = ParseModule(
      "HloModule m, num_partitions=2\nENTRY e {\n  a = f32[4] parameter(0)\n"
      "  b = f32[4] negate(a), sharding={unreduced}\n  ROOT c = f32[4] negate(b)\n}\n");
  ASSERT_TRUE(module.ok());
  EXPECT_TRUE(absl::IsUnimplemented(PartitionedForm(**module, Partitioner::kGspmd).status()));
}

}  // namespace
}  // namespace hlocts::backends
