// SPDX-License-Identifier: Apache-2.0
// Shape rules of dot (DotGeneral) and of the newer ragged-dot and scaled-dot.
#include <algorithm>

#include "spec/infer/contraction.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

absl::Status CheckPairs(const Shape& lhs, const Shape& rhs, const std::vector<int64_t>& in_lhs,
                        const std::vector<int64_t>& in_rhs, absl::string_view what,
                        absl::string_view rule) {
  HLOCTS_EXPECT(in_lhs.size() == in_rhs.size(), rule,
                absl::StrCat("as many ", what, " dimensions of rhs as of lhs"),
                absl::StrCat(ListText(in_lhs), " and ", ListText(in_rhs)));
  for (size_t i = 0; i < in_lhs.size(); ++i) {
    HLOCTS_EXPECT(CompatibleSize(lhs.dimension(in_lhs[i]), rhs.dimension(in_rhs[i])), rule,
                  absl::StrCat(what, " dimensions of equal sizes"),
                  absl::StrCat(lhs.dimension(in_lhs[i]), " and ", rhs.dimension(in_rhs[i])));
  }
  return absl::OkStatus();
}

std::vector<int64_t> Concatenated(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

absl::Status CheckDimensionNumbers(const DotDimensionNumbers& numbers, const Shape& lhs,
                                   const Shape& rhs) {
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimensions("dot_general.4", "batch and contracting dimensions of lhs",
                       Concatenated(numbers.lhs_batch, numbers.lhs_contracting), lhs.rank()));
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimensions("dot_general.4", "batch and contracting dimensions of rhs",
                       Concatenated(numbers.rhs_batch, numbers.rhs_contracting), rhs.rank()));
  HLOCTS_RETURN_IF_ERROR(CheckPairs(lhs, rhs, numbers.lhs_contracting, numbers.rhs_contracting,
                                    "contracting", "dot_general.12"));
  return CheckPairs(lhs, rhs, numbers.lhs_batch, numbers.rhs_batch, "batch", "dot_general.16");
}

// Returns the result shape of dot_general.22: batch, then free lhs, then free rhs dimensions.
Shape DotShape(const DotDimensionNumbers& numbers, const Shape& lhs, const Shape& rhs,
               PrimitiveType type) {
  Shape result(type, {});
  for (int64_t d : numbers.lhs_batch) AppendDimension(result, lhs, d);
  for (int64_t d :
       DimensionsExcept(lhs.rank(), Concatenated(numbers.lhs_batch, numbers.lhs_contracting))) {
    AppendDimension(result, lhs, d);
  }
  for (int64_t d :
       DimensionsExcept(rhs.rank(), Concatenated(numbers.rhs_batch, numbers.rhs_contracting))) {
    AppendDimension(result, rhs, d);
  }
  return result;
}

}  // namespace

absl::StatusOr<PrimitiveType> ContractionType(absl::string_view operand_rule, const Shape& lhs,
                                              const Shape& rhs, const Shape& result) {
  PrimitiveType a = lhs.element_type(), b = rhs.element_type(), to = result.element_type();
  bool operands_fit = a == b || (IsFloat(a) && IsFloat(b)) || (IsInteger(a) && IsInteger(b));
  HLOCTS_EXPECT(rhs.IsArray() && operands_fit, operand_rule,
                absl::StrCat("rhs of type ", TypeText(a)), ShapeText(rhs));
  PrimitiveType wider = BitWidth(b) > BitWidth(a) ? b : a;
  if (to == PrimitiveType::kInvalid || to == wider) return wider;
  // Current text may state another result type. The type of an integer sum is never narrowed.
  bool fits = (IsFloat(a) && IsFloat(to)) || (IsComplex(a) && IsComplex(to)) ||
              (IsInteger(a) && IsFloat(to)) ||
              (IsInteger(a) && IsInteger(to) && BitWidth(to) >= BitWidth(wider));
  HLOCTS_EXPECT(fits, "hlo.preferred_element_type",
                absl::StrCat("a result of type ", TypeText(wider), " or wider"), ShapeText(result));
  return to;
}

absl::StatusOr<Shape> InferDot(const Instruction& dot, Signatures&) {
  const Shape &lhs = dot.operand(0).shape(), &rhs = dot.operand(1).shape();
  HLOCTS_ASSIGN_OR_RETURN(PrimitiveType type,
                          ContractionType("dot_general.3", lhs, rhs, dot.shape()));
  DotDimensionNumbers numbers = DotDimensionsOf(dot);
  HLOCTS_RETURN_IF_ERROR(CheckDimensionNumbers(numbers, lhs, rhs));
  return DotShape(numbers, lhs, rhs, type);
}

absl::StatusOr<Shape> InferRaggedDot(const Instruction& dot, Signatures&) {
  constexpr absl::string_view kRule = "hlo.ragged_dot";
  const Shape &lhs = dot.operand(0).shape(), &rhs = dot.operand(1).shape();
  const Shape& group_sizes = dot.operand(2).shape();
  HLOCTS_ASSIGN_OR_RETURN(PrimitiveType type, ContractionType(kRule, lhs, rhs, dot.shape()));
  HLOCTS_EXPECT(IsInteger(group_sizes.element_type()), kRule, "group sizes of integer type",
                ShapeText(group_sizes));
  DotDimensionNumbers numbers = DotDimensionsOf(dot);
  HLOCTS_RETURN_IF_ERROR(CheckDimensionNumbers(numbers, lhs, rhs));
  const std::vector<int64_t>& ragged = dot.IntList(Attr::kLhsRaggedDims);
  const std::vector<int64_t>& groups = dot.IntList(Attr::kRhsGroupDims);
  HLOCTS_EXPECT(ragged.size() == 1, kRule, "one ragged dimension of lhs", ListText(ragged));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions(kRule, "lhs_ragged_dims", ragged, lhs.rank()));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions(kRule, "rhs_group_dims", groups, rhs.rank()));
  auto has = [&](const std::vector<int64_t>& list) {
    return std::find(list.begin(), list.end(), ragged[0]) != list.end();
  };
  // A ragged contracting dimension yields one result per group, in a new first dimension.
  bool contracting = has(numbers.lhs_contracting), batch = has(numbers.lhs_batch);
  HLOCTS_EXPECT(groups.size() == (contracting || batch ? 0u : 1u), kRule,
                contracting || batch ? "no group dimension" : "one group dimension of rhs",
                ListText(groups));
  HLOCTS_EXPECT(group_sizes.rank() > 0, kRule, "group sizes of at least one dimension",
                ShapeText(group_sizes));
  if (groups.empty()) {
    Shape result(type, {});
    if (contracting) AppendDimension(result, group_sizes, -1);
    Shape rest = DotShape(numbers, lhs, rhs, type);
    for (int64_t d = 0; d < rest.rank(); ++d) AppendDimension(result, rest, d);
    return result;
  }
  DotDimensionNumbers free = numbers;
  free.rhs_contracting.push_back(groups[0]);  // the group dimension is not in the result
  return DotShape(free, lhs, rhs, type);
}

absl::StatusOr<Shape> InferScaledDot(const Instruction& dot, Signatures&) {
  const Shape &lhs = dot.operand(0).shape(), &rhs = dot.operand(1).shape();
  HLOCTS_ASSIGN_OR_RETURN(PrimitiveType type,
                          ContractionType("hlo.scaled_dot", lhs, rhs, dot.shape()));
  for (int64_t i : {2, 3}) {
    const Shape &scale = dot.operand(i).shape(), &scaled = dot.operand(i - 2).shape();
    bool none = scale.IsScalar();
    HLOCTS_EXPECT(scale.IsArray() && (none || scale.rank() == scaled.rank()), "hlo.scaled_dot",
                  absl::StrCat("scales of rank ", scaled.rank()), ShapeText(scale));
    for (int64_t d = 0; d < scale.rank(); ++d) {
      const int64_t scales = scale.dimension(d), size = scaled.dimension(d);
      HLOCTS_EXPECT(scales > 0 ? size % scales == 0 : size == 0, "hlo.scaled_dot",
                    absl::StrCat("sizes that divide those of ", ShapeText(scaled)),
                    ShapeText(scale));
    }
  }
  DotDimensionNumbers numbers = DotDimensionsOf(dot);
  HLOCTS_RETURN_IF_ERROR(CheckDimensionNumbers(numbers, lhs, rhs));
  return DotShape(numbers, lhs, rhs, type);
}

}  // namespace hlocts
