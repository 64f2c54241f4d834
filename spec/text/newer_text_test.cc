// SPDX-License-Identifier: Apache-2.0
// Tests forms that only later releases print, and their conversion to the forms of the Module.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

struct NewerLine {
  const char *read, *printed;
};

// In text of jaxlib 0.12.0 and later, a compare has order= instead of type=, and a topk may have
// is_stable=true (top_k.11 requires stability).
constexpr NewerLine kLines[] = {
    {"%o = pred[4]{0} compare(%a, %a), direction=LT, order=TOTAL",
     "%o = pred[4]{0} compare(%a, %a), direction=LT, type=TOTALORDER"},
    {"%o = pred[4]{0} compare(%a, %a), order=PARTIAL, direction=LT",
     "%o = pred[4]{0} compare(%a, %a), direction=LT"},
    {"%o = pred[] compare(%i, %i), direction=NE, order=TOTAL",
     "%o = pred[] compare(%i, %i), direction=NE"},
    {"%o = (f32[2]{0}, s32[2]{0}) topk(%a), k=2, largest=true, is_stable=true",
     "%o = (f32[2]{0}, s32[2]{0}) topk(%a), k=2, largest=true, is_stable=true"},
};

TEST(NewerTextTest, IsReadAsWhatItMeans) {
  for (const NewerLine& line : kLines) {
    const auto module =
        ParseModule(absl::StrCat("HloModule m\nENTRY e {\n %a = f32[4]{0} parameter(0)\n"
                                 " %i = s32[] parameter(1)\n ROOT ",
                                 line.read, "\n}\n"));
    ASSERT_TRUE(module.ok()) << line.read << ": " << module.status();
    const std::string text = PrintModule(**module, PrintOptions::Default());
    EXPECT_TRUE(absl::StrContains(text, line.printed)) << line.read << " became " << text;
  }
}

using Groups = std::vector<std::vector<int64_t>>;

// Reads groups. Returns the error message, or "" if there is no error.
std::string Read(absl::string_view text, Groups* groups, std::string* printed = nullptr) {
  absl::StatusOr<ReplicaGroups> read = ParseReplicaGroups(text);
  if (!read.ok()) return std::string(read.status().message());
  *groups = read->groups;
  if (printed != nullptr) *printed = PrintReplicaGroups(*read);
  return "";
}

struct MeshRow {
  const char* text;
  Groups groups;
  const char* printed = nullptr;  // if it differs from `text`
};

// The axes in braces span a group, in their order. The other axes select the group.
TEST(NewerTextTest, GroupsOfAMeshAreExpanded) {
  const MeshRow rows[] = {
      {"mesh['x'=2,'y'=2] {'x'}", {{0, 2}, {1, 3}}},
      {"mesh['x'=2,'y'=2] {'y','x'}", {{0, 2, 1, 3}}},
      {"mesh['x'=2,'y'=2] {}", {{0}, {1}, {2}, {3}}},
      // A number is the number of an axis unless an axis has that name.
      {"mesh['x'=2,'y'=2] {'0'}", {{0, 2}, {1, 3}}, "mesh['x'=2,'y'=2] {'x'}"},
      {"mesh['1'=2,'y'=2] {'1'}", {{0, 2}, {1, 3}}},
      // Parts of an axis, in different orders.
      {"mesh['x'=4] {'x':(1)2}", {{0, 2}, {1, 3}}},
      {"mesh['x'=4] {'x':(2)2}", {{0, 1}, {2, 3}}},
      {"mesh['x'=8] {'x':(4)2,'x':(1)2}", {{0, 4, 1, 5}, {2, 6, 3, 7}}},
      {"mesh['x'=2,'y'=4] {'y':(2)2,'x'}", {{0, 4, 1, 5}, {2, 6, 3, 7}}},
      {"mesh['x'=12] {'x':(2)3}", {{0, 2, 4}, {1, 3, 5}, {6, 8, 10}, {7, 9, 11}}},
      // Devices in another order.
      {"mesh['x'=2,'y'=2], device_ids=(0,2,1,3) {'x'}", {{0, 1}, {2, 3}}},
      {"mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'x'}",
       {{0, 1}, {2, 3}},
       "mesh['x'=2,'y'=2], device_ids=(0,2,1,3) {'x'}"},
      // Names in the spelling of other releases.
      {"mesh[x=2,y=2] {y}", {{0, 1}, {2, 3}}, "mesh['x'=2,'y'=2] {'y'}"},
      {"mesh[\"a b\"=2] {\"a b\"}", {{0, 1}}, "mesh['a b'=2] {'a b'}"},
  };
  for (const MeshRow& row : rows) {
    Groups groups;
    std::string printed;
    EXPECT_EQ(Read(row.text, &groups, &printed), "") << row.text;
    EXPECT_EQ(groups, row.groups) << row.text;
    EXPECT_EQ(printed, row.printed == nullptr ? row.text : row.printed);
  }
}

// Groups that cannot be expanded must yield an error with their text. They must not be ignored.
TEST(NewerTextTest, OtherFormsOfGroupsAreRefused) {
  const std::pair<const char*, const char*> rows[] = {
      {"mesh['x'=2,'y'=2] {'bogus'}", "expected an axis of the mesh, found 'bogus'"},
      {"mesh['x'=2,'y'=2] {'2'}", "found '2'"},
      {"mesh['x'=2,'y'=2] {'x','x'}", "do not overlap, found 'x'"},
      {"mesh['x'=8] {'x':(1)4,'x':(2)2}", "do not overlap, found 'x':(2)2"},
      {"mesh['x'=6] {'x':(1)4}", "parts that divide the 6 devices"},
      {"mesh['x'=6] {'x':(2)2}", "found 'x':(2)2"},
      {"mesh['x'=4] {'x':(0)2}", "found 'x':(0)2"},
      {"mesh['x'=4] {'x':(1)0}", "expected a positive size, found 0"},
      {"mesh['x'=4] {'x':(4611686018427387904)4}", "parts that divide"},
      {"mesh['x'=2,'x'=2] {'x'}", "distinct names"},
      {"mesh['x'=0] {'x'}", "at least one device along axis 'x'"},
      {"mesh['x'=1024,'y'=1025] {'x'}", "a mesh of at most 1048576 devices"},
      {"mesh['x'=2,'y'=2], device_ids=(0,2,1) {'x'}", "device_ids with each of 0 to 3 once"},
      {"mesh['x'=2], device_ids=(1,1) {'x'}", "found (1,1)"},
      {"mesh['x'=2], devices=(0,1) {'x'}", "device_ids"},
      {"mesh['x'=2]", "'{'"},
      {"mesh[] {}", "axes of the mesh"},
      {"mesh['x=2] {}", "the end of the name of an axis"},
      {"maximal_mesh[device_id=0] {}", "groups of ids, [groups,size]<=[...] or mesh[...]"},
      {"@mesh {'x'}", "groups of ids"},
      {"[2,3]<=[4]", "[groups,size] of 4 devices, found [2,3]"},
      {"[2,2]<=[2,2]T(0,0)", "a permutation"},
  };
  for (const auto& [text, message] : rows) {
    Groups groups;
    EXPECT_TRUE(absl::StrContains(Read(text, &groups), message))
        << text << ": " << Read(text, &groups);
  }
}

TEST(NewerTextTest, UnknownAttributesOfAModuleAreRefused) {
  const auto text = [](absl::string_view attribute) {
    return absl::StrCat("HloModule m, ", attribute,
                        "\nENTRY e {\n ROOT a = f32[] parameter(0)\n}\n");
  };
  EXPECT_TRUE(ParseModule(text("allow_spmd_sharding_propagation_to_output={true}")).ok());
  const auto refused = ParseModule(text("replica_cuont=4"));
  EXPECT_TRUE(absl::StrContains(refused.status().message(), "found replica_cuont"))
      << refused.status();
}

}  // namespace
}  // namespace hlocts
