// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "absl/strings/str_join.h"
#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

constexpr char kTen[] = "f32[3,3] {{0,1,2},{10,11,12},{20,21,22}}";

std::vector<std::string> GatherRun(const std::string& out, const std::string& attributes,
                                   const std::string& operand, const std::string& indices) {
  auto shape = [](const std::string& literal) { return literal.substr(0, literal.find(' ')); };
  return ResultOf(absl::StrCat("x = ", shape(operand), " parameter(0) i = ", shape(indices),
                               " parameter(1) ROOT g = ", out, " gather(x, i), ", attributes),
                  "", {operand, indices});
}

TEST(Gather, ABatchOfDynamicSlices) {
  EXPECT_EQ(GatherRun("f32[2,2,2]",
                      "offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, "
                      "index_vector_dim=1, slice_sizes={2,2}",
                      kTen, "s32[2,2] {{0,1},{1,0}}"),
            LeafTexts({"f32[2,2,2] {{{1,2},{11,12}},{{10,11},{20,21}}}"}));
}

TEST(Gather, StartsAreClampedWhateverTheIndexType) {
  const char* rows =
      "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
      "slice_sizes={1,3}";
  const auto clamped = LeafTexts({"f32[2,3] {{20,21,22},{0,1,2}}"});
  EXPECT_EQ(GatherRun("f32[2,3]", rows, kTen, "s32[2] {7,-9}"), clamped);
  EXPECT_EQ(GatherRun("f32[2,3]", rows, kTen, "s64[2] {9223372036854775807,-9223372036854775808}"),
            clamped);
  EXPECT_EQ(GatherRun("f32[2,3]", rows, kTen, "u64[2] {18446744073709551615,0}"), clamped);
  EXPECT_EQ(GatherRun("f32[2,3]", rows, kTen, "u8[2] {255,0}"), clamped);
  EXPECT_EQ(GatherRun("f32[2,3]", rows, kTen, "s8[2] {127,-128}"), clamped);
}

TEST(Gather, OffsetDimensionsMayStandFirstAndIndexVectorsAnywhere) {
  // Window [2,1] at (row, column), offset dimension first; index vectors lie along dimension 0.
  EXPECT_EQ(GatherRun("f32[2,2]",
                      "offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1,0}, "
                      "index_vector_dim=0, slice_sizes={2,1}",
                      kTen, "s32[2,2] {{2,0},{0,1}}"),
            LeafTexts({"f32[2,2] {{2,10},{12,20}}"}));
}

TEST(Gather, BatchingDimensionsPairOperandAndIndices) {
  EXPECT_EQ(
      GatherRun("f32[3,1]",
                "offset_dims={1}, collapsed_slice_dims={}, start_index_map={1}, "
                "operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, "
                "slice_sizes={1,1}",
                kTen, "s32[3,1] {{2},{0},{1}}"),
      LeafTexts({"f32[3,1] {{2},{10},{21}}"}));
}

constexpr char kReplace[] = "f { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }\n";
constexpr char kMinus[] =
    "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }\n";

std::vector<std::string> ScatterRun(absl::string_view called, const std::string& attributes,
                                    const std::string& operand, const std::string& indices,
                                    const std::string& updates) {
  auto shape = [](const std::string& literal) { return literal.substr(0, literal.find(' ')); };
  return ResultOf(absl::StrCat("x = ", shape(operand), " parameter(0) i = ", shape(indices),
                               " parameter(1) u = ", shape(updates), " parameter(2) ROOT s = ",
                               shape(operand), " scatter(x, i, u), ", attributes, ", to_apply=f"),
                  called, {operand, indices, updates});
}

TEST(Scatter, CurrentValueIsTheFirstArgumentAndDuplicatesAccumulate) {
  EXPECT_EQ(ScatterRun(kMinus,
                       "update_window_dims={1}, inserted_window_dims={0}, "
                       "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
                       kTen, "s32[3] {1,0,1}", "f32[3,3] {{1,2,3},{10,20,30},{100,200,300}}"),
            LeafTexts({"f32[3,3] {{-10,-19,-28},{-91,-191,-291},{20,21,22}}"}));
}

TEST(Scatter, OfWindowsPartlyOutsideTheInsideIsUpdated) {
  const char* windows =
      "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, "
      "index_vector_dim=1";
  EXPECT_EQ(ScatterRun(
                kReplace, windows, kTen, "s32[4,2] {{2,0},{-1,0},{0,2},{1,1}}",
                "f32[4,2,2] {{{91,92},{93,94}},{{91,92},{93,94}},{{91,92},{93,94}},{{1,2},{3,4}}}"),
            LeafTexts({"f32[3,3] {{93,94,91},{10,1,2},{91,3,4}}"}));
  EXPECT_EQ(ScatterRun(kReplace, windows, kTen, "u64[1,2] {{18446744073709551615,0}}",
                       "f32[1,2,2] {{{1,2},{3,4}}}"),
            LeafTexts({kTen}));
}

TEST(Scatter, WindowDimensionsNeedNotComeFirst) {
  // U[window, scatter]: column k of the updates is the window of index k (ruling 0012).
  EXPECT_EQ(ScatterRun(kReplace,
                       "update_window_dims={0}, inserted_window_dims={0}, "
                       "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
                       kTen, "s32[2] {2,0}", "f32[3,2] {{1,4},{2,5},{3,6}}"),
            LeafTexts({"f32[3,3] {{4,5,6},{10,11,12},{1,2,3}}"}));
}

TEST(Scatter, BatchingDimensions) {
  EXPECT_EQ(ScatterRun(kReplace,
                       "update_window_dims={}, inserted_window_dims={1}, "
                       "scatter_dims_to_operand_dims={1}, input_batching_dims={0}, "
                       "scatter_indices_batching_dims={0}, index_vector_dim=1",
                       kTen, "s32[3,1] {{2},{0},{3}}", "f32[3] {7,8,9}"),
            LeafTexts({"f32[3,3] {{0,1,7},{8,11,12},{20,21,22}}"}));
}

TEST(Scatter, VariadicUpdatesTogether) {
  const char* f =
      "f { a = f32[] parameter(0) c = s32[] parameter(1) b = f32[] parameter(2) d = s32[] "
      "parameter(3)\n"
      " p = f32[] add(a, b) q = s32[] convert(a) s = s32[] add(q, d) ROOT r = (f32[], s32[]) "
      "tuple(p, s) }\n";
  EXPECT_EQ(
      ResultOf(
          "x = f32[2] parameter(0) y = s32[2] parameter(1) i = s32[2] parameter(2) u = f32[2] "
          "parameter(3) v = s32[2] parameter(4) ROOT s = (f32[2], s32[2]) scatter(x, y, i, u, v), "
          "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
          "index_vector_dim=1, to_apply=f",
          f,
          {"f32[2] {1,2}", "s32[2] {5,6}", "s32[2] {1,1}", "f32[2] {10,20}", "s32[2] {100,200}"}),
      LeafTexts({"f32[2] {1,32}", "s32[2] {5,212}"}));
}

TEST(Scatter, NoIndicesLeaveTheOperand) {
  EXPECT_EQ(ScatterRun(kReplace,
                       "update_window_dims={1}, inserted_window_dims={0}, "
                       "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
                       kTen, "s32[0] {}", "f32[0,3] {}"),
            LeafTexts({kTen}));
}

}  // namespace
}  // namespace hlocts::reference
