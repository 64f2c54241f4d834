// SPDX-License-Identifier: Apache-2.0
// Shape rules of reduce-window and of select-and-scatter, which places windows in the same way.
#include "spec/infer/contraction.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/infer/rules.h"
#include "spec/infer/window_util.h"

namespace hlocts {
namespace {

// Returns the shape of one result of a window over `operand`.
absl::StatusOr<Shape> WindowedShape(const Instruction& op, const Shape& operand,
                                    absl::string_view rule) {
  static const Window* const kNoWindow = new Window();
  const Window* window = op.Get<Window>(Attr::kWindow);
  const std::vector<WindowDimension>& windows = (window ? window : kNoWindow)->dimensions;
  HLOCTS_EXPECT(static_cast<int64_t>(windows.size()) == operand.rank(), rule,
                absl::StrCat("a window of rank ", operand.rank()), absl::StrCat(windows.size()));
  HLOCTS_RETURN_IF_ERROR(ExpectWindow(rule, windows));
  Shape result(operand.element_type(), {});
  for (int64_t d = 0; d < operand.rank(); ++d) {
    int64_t base = operand.dimension(d);
    AppendSize(result, base == kUnboundedSize ? base : WindowOutputSize(base, windows[d]),
               operand.is_dynamic_dimension(d));
  }
  return result;
}

}  // namespace

absl::StatusOr<Shape> InferReduce(const Instruction& reduce, Signatures& signatures) {
  HLOCTS_EXPECT(reduce.operand_count() % 2 == 0, "reduce.2", "N operands and N init values",
                absl::StrCat(reduce.operand_count(), " operands in all"));
  int64_t count = reduce.operand_count() / 2;
  const Shape& first = reduce.operand(0).shape();
  const std::vector<int64_t>& dimensions = reduce.IntList(Attr::kDimensions);
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("reduce.7", "dimensions", dimensions, first.rank()));
  std::vector<int64_t> kept = DimensionsExcept(first.rank(), dimensions);
  HLOCTS_ASSIGN_OR_RETURN(std::vector<PrimitiveType> types,
                          ReducerTypes("reduce.5", reduce, Attr::kToApply, count, signatures));
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = reduce.operand(i).shape();
    HLOCTS_RETURN_IF_ERROR(
        ExpectFolded({"reduce.3", "reduce.10", "reduce.5", "reduce.4"}, reduce, i, types));
    Shape result(operand.element_type(), {});  // reduce.15, .16
    for (int64_t d : kept) AppendDimension(result, operand, d);
    results.push_back(std::move(result));
  }
  return OneOrTuple(std::move(results));
}

absl::StatusOr<Shape> InferReduceWindow(const Instruction& op, Signatures& signatures) {
  HLOCTS_EXPECT(op.operand_count() % 2 == 0, "reduce_window.6", "N operands and N init values",
                absl::StrCat(op.operand_count(), " operands in all"));
  int64_t count = op.operand_count() / 2;
  HLOCTS_ASSIGN_OR_RETURN(std::vector<PrimitiveType> types,
                          ReducerTypes("reduce_window.9", op, Attr::kToApply, count, signatures));
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) {
    HLOCTS_RETURN_IF_ERROR(
        ExpectFolded({"reduce_window.7", "reduce_window.18", "reduce_window.9", "reduce_window.8"},
                     op, i, types));
    HLOCTS_ASSIGN_OR_RETURN(Shape result,
                            WindowedShape(op, op.operand(i).shape(), "reduce_window.11"));
    results.push_back(std::move(result));
  }
  return OneOrTuple(std::move(results));
}

absl::StatusOr<Shape> InferSelectAndScatter(const Instruction& op, Signatures& signatures) {
  const Shape& operand = op.operand(0).shape();
  Shape scalar = Shape::Scalar(operand.element_type());
  HLOCTS_ASSIGN_OR_RETURN(const Computation* select, Called(op, Attr::kSelect));
  HLOCTS_ASSIGN_OR_RETURN(const Computation* scatter, Called(op, Attr::kScatter));
  HLOCTS_RETURN_IF_ERROR(ExpectSignature("select_and_scatter.18", *select, {scalar, scalar},
                                         Shape::Scalar(PrimitiveType::kPred), signatures));
  HLOCTS_RETURN_IF_ERROR(
      ExpectSignature("select_and_scatter.24", *scatter, {scalar, scalar}, scalar, signatures));
  HLOCTS_ASSIGN_OR_RETURN(Shape source, WindowedShape(op, operand, "select_and_scatter.19"));
  HLOCTS_RETURN_IF_ERROR(
      ExpectCompatible("select_and_scatter.14", "source", source, op.operand(1).shape()));
  HLOCTS_RETURN_IF_ERROR(
      ExpectCompatible("select_and_scatter.23", "init_value", scalar, op.operand(2).shape()));
  return operand.WithoutLayout();
}

}  // namespace hlocts
