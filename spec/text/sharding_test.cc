// SPDX-License-Identifier: Apache-2.0
// Tests shardings of every form: the tile of each device, and shardings that are an error.
#include "spec/ir/sharding.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/text/named_sharding.h"
#include "spec/text/parser.h"

namespace hlocts {
namespace {

using ::testing::HasSubstr;

std::string GridText(const absl::StatusOr<TileGrid>& grid) {
  if (!grid.ok()) return std::string(grid.status().message());
  std::string text = absl::StrCat(absl::StrJoin(grid->counts, "x"), ":");
  for (const std::vector<int64_t>& index : grid->indices) {
    absl::StrAppend(&text, " ", absl::StrJoin(index, ","));
  }
  return text;
}

struct Row {
  const char* sharding;
  int64_t rank, devices;
  const char* grid;  // number of tiles, and the tile of each device
};
constexpr Row kRows[] = {
    {"{replicated}", 2, 2, "1x1: 0,0 0,0"},
    {"{maximal device=1}", 1, 2, "1: 0 0"},
    {"{manual}", 1, 2, "1: 0 0"},
    {"{devices=[4]0,2,1,3}", 1, 4, "4: 0 2 1 3"},
    {"{devices=[2,2]<=[4]}", 2, 4, "2x2: 0,0 0,1 1,0 1,1"},
    {"{devices=[2,2]<=[2,2]T(1,0)}", 2, 4, "2x2: 0,0 1,0 0,1 1,1"},
    {"{devices=[2,4]<=[4,2]T(1,0)}", 2, 8, "2x4: 0,0 1,0 0,1 1,1 0,2 1,2 0,3 1,3"},
    {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}", 2, 4, "2x1: 0,0 0,0 1,0 1,0"},
    {"{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", 1, 4, "2: 0 1 0 1"},
    {"{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}", 1, 4, "1: 0 0 0 0"},
    {"{devices=[2,2]<=[4] last_tile_dims={manual}}", 1, 4, "2: 0 0 1 1"},
    {"{mesh['x'=2,'y'=2], [{'y'}, {'x'}]}", 2, 4, "2x2: 0,0 1,0 0,1 1,1"},
    {"{mesh['x'=2,'y'=2], [{'y', 'x'}]}", 1, 4, "4: 0 2 1 3"},
    {"{mesh['x'=2,'y'=2], [{'y', ?}, {?}], replicated={'x'}}", 2, 4, "2x1: 0,0 1,0 0,0 1,0"},
    {"{mesh['x'=4], [{'x':(2)2}]}", 1, 4, "2: 0 1 0 1"},
    {"{mesh['x'=4], [{'x':(1)2}], manual={'x':(2)2}}", 1, 4, "2: 0 0 1 1"},
    {"{mesh['x'=4], device_ids=(3,1,0,2), [{'x'}]}", 1, 4, "4: 2 1 3 0"},
    {"{mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)), [{'x'}, {'y'}]}", 2, 4, "2x2: 0,0 1,0 0,1 1,1"},
    {"{mesh['x'=2], replicated}", 1, 2, "1: 0 0"},
    {"{mesh['x'=2], manual}", 1, 2, "1: 0 0"},
    {"{mesh[], replicated}", 1, 2, "1: 0 0"},
    {"{single_device[device_id=1]}", 1, 2, "1: 0 0"},
    {"{mesh[x=2,y=2], [{x}, {y}], metadata={op_name=\"a\"}}", 2, 4, "2x2: 0,0 0,1 1,0 1,1"},
    {"{devices=[2]<=[2]}", 1, 4,
     "sharding: expected a tile assignment of 1 dimensions and 0 subgroups that has each of 4 "
     "devices once, found 1 dimensions and 2 devices"},
    {"{devices=[2]0,0}", 1, 2,
     "sharding: expected a tile assignment of 1 dimensions and 0 subgroups that has each of 2 "
     "devices once, found 1 dimensions and 2 devices"},
    {"{{replicated}, {replicated}}", 1, 2,
     "sharding: expected the sharding of one array, found that of a tuple"},
};

TEST(ShardingTest, EveryFormGivesEachDeviceItsTile) {
  for (const Row& row : kRows) {
    auto sharding = ParseSharding(row.sharding);
    ASSERT_TRUE(sharding.ok()) << row.sharding << ": " << sharding.status();
    EXPECT_EQ(GridText(TileGridOf(*sharding, row.rank, row.devices)), row.grid) << row.sharding;
  }
}

TEST(ShardingTest, MistakenMeshesAreRefused) {
  for (const auto& [text, message] : std::vector<std::pair<const char*, const char*>>{
           {"{mesh['x'=2], [{'z'}]}", "no axis z"},
           {"{mesh['x'=2], [{'x'}, {'x'}]}", "used twice"},
           {"{mesh['x'=4], [{'x':(1)3}]}", "expected a part of axis"},
           {"{mesh['x'=4], [{'x':(1)4}, {'x':(2)2}]}", "used twice"},
           {"{mesh['x'=2], device_ids=(0,0), [{'x'}]}", "each of 2 devices"},
           {"{mesh['x'=0], [{}]}", "has no devices"},
           {"{mesh['x'=1048576,'y'=1048576], [{'x'}]}", "at most"},
           {"{mesh['x'=2], [{'x'}], sharded={'x'}}", "expected replicated"}}) {
    EXPECT_THAT(std::string(ParseSharding(text).status().message()), HasSubstr(message)) << text;
  }
}

TEST(ShardingTest, PaddingIsAtTheEnd) {
  const TileGrid grid = *TileGridOf(*ParseSharding("{devices=[4]<=[4]}"), 1, 4);
  const auto text = [&](int64_t size, int64_t device) {
    const ShardTile tile = ShardOf(grid, Shape(PrimitiveType::kF32, {size}), device);
    return absl::StrCat(tile.offsets[0], "+", tile.valid[0], "/", tile.sizes[0]);
  };
  EXPECT_EQ(text(8, 3), "6+2/2");
  EXPECT_EQ(text(7, 3), "6+1/2");
  EXPECT_EQ(text(5, 2), "4+1/2");
  EXPECT_EQ(text(5, 3), "5+0/2");  // all padding
  EXPECT_EQ(text(3, 3), "3+0/1");  // more tiles than elements
  EXPECT_EQ(text(0, 1), "0+0/0");
  EXPECT_TRUE(IsUneven(*ParseSharding("{devices=[4]<=[4]}"), Shape(PrimitiveType::kF32, {7})));
  EXPECT_FALSE(IsUneven(*ParseSharding("{devices=[4]<=[4]}"), Shape(PrimitiveType::kF32, {8})));
}

TEST(ShardingTest, UnreducedIsSeenInEveryForm) {
  for (const char* text :
       {"{unreduced}", "{{replicated}, {unreduced}}", "{mesh['x'=2], unreduced}",
        "{devices=[2,2]<=[4] last_tile_dims={unreduced}}", "{mesh['x'=2], [{}], unreduced={'x'}}",
        "{mesh['x'=2], [{}], unreduced=max{'x'}}"}) {
    EXPECT_TRUE(IsUnreduced(*ParseSharding(text))) << text;
  }
  EXPECT_FALSE(IsUnreduced(*ParseSharding("{devices=[2,2]<=[4] last_tile_dims={manual}}")));
}

TEST(ShardingTest, ShardysAttributesAreRead) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto meshes,
      ParseMeshTable("{mesh = #sdy.mesh<[\"a\"=2, \"b\"=2]>, m1 = #sdy.mesh<[\"x\"=2], "
                     "device_ids=[1, 0]>}"));
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto all,
      ParseShardyShardings(
          "#sdy.sharding_per_value<[<@mesh, [{\\\"b\\\", ?}, {}p1], replicated={\\\"a\\\"}>, <@m1, "
          "[{\\\"x\\\"}]>, <mesh<[\\\"c\\\"=2]>, [{\\\"c\\\"}]>]>",
          meshes));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(GridText(TileGridOf(all[0], {0, 1})), "2x1: 0,0 1,0 0,0 1,0");
  EXPECT_EQ(GridText(TileGridOf(all[0], {0})), "1x1: 0,0 0,0 0,0 0,0");  // manual over a only
  EXPECT_EQ(GridText(TileGridOf(all[1], {0})), "2: 1 0");
  EXPECT_EQ(GridText(TileGridOf(all[2], {0})), "2: 0 1");
  EXPECT_FALSE(ParseShardyShardings("#sdy.sharding<@none, [{}]>", meshes).ok());
  EXPECT_EQ(*ParseManualAxes("#sdy<manual_axes{\"a\", \"b\"}>"),
            (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace hlocts
