// SPDX-License-Identifier: Apache-2.0
// Shape rule of scatter (spec/clauses/scatter.textproto); batching dimensions are newer
// (hlo.scatter).

#include "absl/algorithm/container.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

absl::Status CheckDimensionLists(const ScatterDimensionNumbers& numbers, int64_t operand_rank,
                                 int64_t updates_rank) {
  HLOCTS_RETURN_IF_ERROR(
      ExpectAscending("scatter.27", "update_window_dims", numbers.update_window_dims));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("scatter.29", "update_window_dims",
                                          numbers.update_window_dims, updates_rank));
  HLOCTS_RETURN_IF_ERROR(
      ExpectAscending("scatter.30", "inserted_window_dims", numbers.inserted_window_dims));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("scatter.32", "inserted_window_dims",
                                          numbers.inserted_window_dims, operand_rank));
  for (int64_t d : numbers.scatter_dims_to_operand_dims) {
    HLOCTS_RETURN_IF_ERROR(
        ExpectDimension("scatter.35", "scatter_dims_to_operand_dims", d, operand_rank));
  }
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("scatter.13", "scatter_dims_to_operand_dims",
                                          numbers.scatter_dims_to_operand_dims, operand_rank));
  HLOCTS_RETURN_IF_ERROR(
      ExpectAscending("hlo.scatter", "input_batching_dims", numbers.input_batching_dims));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("hlo.scatter", "input_batching_dims",
                                          numbers.input_batching_dims, operand_rank));
  for (int64_t d : numbers.input_batching_dims) {
    HLOCTS_EXPECT(!absl::c_linear_search(numbers.inserted_window_dims, d) &&
                      !absl::c_linear_search(numbers.scatter_dims_to_operand_dims, d),
                  "hlo.scatter", "input_batching_dims that are neither inserted nor mapped",
                  absl::StrCat(d));
  }
  return absl::OkStatus();
}

// Checks the shape of the updates. `window_dims` are the operand's window dims.
absl::Status CheckUpdates(const ScatterDimensionNumbers& numbers,
                          const std::vector<int64_t>& window_dims, const Shape& operand,
                          const Shape& indices, const Shape& updates) {
  int64_t window_count = static_cast<int64_t>(numbers.update_window_dims.size());
  HLOCTS_EXPECT(updates.rank() == window_count + indices.rank() - 1, "scatter.24",
                absl::StrCat("updates of rank ", window_count + indices.rank() - 1),
                ShapeText(updates));
  for (int64_t k = 0; k < window_count; ++k) {
    int64_t bound = operand.dimension(window_dims[k]);
    HLOCTS_EXPECT(
        bound == kUnboundedSize || updates.dimension(numbers.update_window_dims[k]) <= bound,
        "scatter.25",
        absl::StrCat("at most ", bound, " in dimension ", numbers.update_window_dims[k],
                     " of the updates"),
        ShapeText(updates));
  }
  int64_t from = 0;
  for (int64_t d : DimensionsExcept(updates.rank(), numbers.update_window_dims)) {
    if (from == numbers.index_vector_dim) ++from;
    HLOCTS_EXPECT(
        CompatibleSize(updates.dimension(d), indices.dimension(from)), "scatter.26",
        absl::StrCat("size ", indices.dimension(from), " in dimension ", d, " of the updates"),
        ShapeText(updates));
    ++from;
  }
  return absl::OkStatus();
}

absl::Status CheckDimensions(const Instruction& scatter, int64_t count) {
  const Shape& operand = scatter.operand(0).shape();
  const Shape& updates = scatter.operand(count + 1).shape();
  Shape indices = scatter.operand(count).shape();
  ScatterDimensionNumbers numbers = ScatterDimensionsOf(scatter);
  HLOCTS_EXPECT(IsInteger(indices.element_type()), "scatter.5", "scatter_indices of integer type",
                ShapeText(indices));
  HLOCTS_RETURN_IF_ERROR(ExpectDimension("scatter.22", "index_vector_dim", numbers.index_vector_dim,
                                         indices.rank() + 1));
  if (numbers.index_vector_dim == indices.rank()) AppendSize(indices, 1);
  HLOCTS_RETURN_IF_ERROR(CheckDimensionLists(numbers, operand.rank(), updates.rank()));
  HLOCTS_EXPECT(CompatibleSize(static_cast<int64_t>(numbers.scatter_dims_to_operand_dims.size()),
                               indices.dimension(numbers.index_vector_dim)),
                "scatter.34",
                absl::StrCat("scatter_dims_to_operand_dims with ",
                             indices.dimension(numbers.index_vector_dim), " entries"),
                ListText(numbers.scatter_dims_to_operand_dims));
  HLOCTS_RETURN_IF_ERROR(ExpectBatching(
      "hlo.scatter", "scatter_indices_batching_dims", operand, numbers.input_batching_dims, indices,
      numbers.scatter_indices_batching_dims, numbers.index_vector_dim));
  std::vector<int64_t> inserted = numbers.inserted_window_dims;
  inserted.insert(inserted.end(), numbers.input_batching_dims.begin(),
                  numbers.input_batching_dims.end());
  std::vector<int64_t> window_dims = DimensionsExcept(operand.rank(), inserted);
  HLOCTS_EXPECT(window_dims.size() == numbers.update_window_dims.size(), "scatter.33",
                absl::StrCat(window_dims.size(), " update_window_dims"),
                ListText(numbers.update_window_dims));
  return CheckUpdates(numbers, window_dims, operand, indices, updates);
}

}  // namespace

absl::StatusOr<Shape> InferScatter(const Instruction& scatter, Signatures& signatures) {
  int64_t operands = scatter.operand_count();
  HLOCTS_EXPECT(operands % 2 == 1, "scatter.2", "N operands, scatter_indices and N updates",
                absl::StrCat(operands, " operands in all"));
  int64_t count = operands / 2;
  const Shape &first = scatter.operand(0).shape(),
              &first_updates = scatter.operand(count + 1).shape();
  HLOCTS_ASSIGN_OR_RETURN(std::vector<PrimitiveType> types,
                          ReducerTypes("scatter.7", scatter, Attr::kToApply, count, signatures));
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = scatter.operand(i).shape();
    const Shape& updates = scatter.operand(count + 1 + i).shape();
    HLOCTS_RETURN_IF_ERROR(ExpectArray("scatter.3", absl::StrCat("operand ", i), operand));
    HLOCTS_EXPECT(CompatibleDimensions(first, operand), "scatter.18",
                  absl::StrCat("operands of dimensions ", ListText(first.dimensions())),
                  ShapeText(operand));
    HLOCTS_EXPECT(CompatibleDimensions(first_updates, updates), "scatter.19",
                  absl::StrCat("updates of dimensions ", ListText(first_updates.dimensions())),
                  ShapeText(updates));
    HLOCTS_EXPECT(updates.element_type() == operand.element_type(), "scatter.6",
                  absl::StrCat("updates of type ", TypeText(operand.element_type())),
                  ShapeText(updates));
    HLOCTS_EXPECT(types[i] == operand.element_type(), "scatter.7",
                  absl::StrCat("parameter ", i, " of the computation of type ",
                               TypeText(operand.element_type())),
                  TypeText(types[i]));
    results.push_back(operand.WithoutLayout());
  }
  HLOCTS_RETURN_IF_ERROR(CheckDimensions(scatter, count));
  return OneOrTuple(std::move(results));
}

}  // namespace hlocts
