// SPDX-License-Identifier: Apache-2.0
// Makes the implicit broadcasting of the document "Broadcasting" explicit.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/builder/builder.h"
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

std::vector<int64_t> Identity(int64_t rank) {
  std::vector<int64_t> dimensions(rank);
  for (int64_t d = 0; d < rank; ++d) dimensions[d] = d;
  return dimensions;
}

// Returns true if the sizes are equal or one of them is 1 (broadcasting.44, .45).
bool CompatibleSizes(int64_t a, int64_t b) { return a == b || a == 1 || b == 1; }

// Returns the size that is not 1. This is the maximum, as in the document, except that 0 and 1
// yield 0 (ruling 0067).
int64_t CommonSize(int64_t a, int64_t b) { return a == 1 ? b : a; }

void CopyDimension(const Shape& from, int64_t dimension, Shape& to, int64_t target) {
  to.set_dimension(target, from.dimension(dimension));
  to.set_dynamic_dimension(target, from.is_dynamic_dimension(dimension));
}

struct BrokenRule {
  absl::string_view rule;
  std::string expected, found;
};

// Checks the broadcast_dimensions of an operand of lower rank (broadcasting.16, .36 to .41).
std::optional<BrokenRule> CheckDimensions(const Shape& low, const Shape& high,
                                          absl::Span<const int64_t> dimensions) {
  if (dimensions.empty()) {
    return BrokenRule{"broadcasting.12", "broadcast_dimensions for different numbers of dimensions",
                      absl::StrCat(low.ToString(false), " and ", high.ToString(false))};
  }
  if (static_cast<int64_t>(dimensions.size()) != low.rank()) {
    return BrokenRule{
        "elementwise_binary.35",
        absl::StrCat(low.rank(), " broadcast_dimensions, one for each of ", low.ToString(false)),
        ListText(dimensions)};
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= high.rank()) {
      return BrokenRule{"elementwise_binary.36",
                        absl::StrCat("broadcast_dimensions in [0, ", high.rank(), ")"),
                        ListText(dimensions)};
    }
    if (i > 0 && dimensions[i - 1] >= dimensions[i]) {
      return BrokenRule{"broadcasting.39", "strictly increasing broadcast_dimensions",
                        ListText(dimensions)};
    }
    int64_t size = low.dimension(i), matched = high.dimension(dimensions[i]);
    if (!CompatibleSizes(size, matched)) {
      return BrokenRule{"broadcasting.32",
                        absl::StrCat("size ", matched, " or 1, to match dimension ", dimensions[i],
                                     " of ", high.ToString(false)),
                        absl::StrCat(size)};
    }
  }
  return std::nullopt;
}

std::optional<BrokenRule> CheckEqualRanks(const Shape& lhs, const Shape& rhs,
                                          absl::Span<const int64_t> dimensions) {
  if (!dimensions.empty() && dimensions != absl::MakeConstSpan(Identity(lhs.rank()))) {
    return BrokenRule{"elementwise_binary.34",
                      "no broadcast_dimensions for equal numbers of dimensions",
                      ListText(dimensions)};
  }
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (!CompatibleSizes(lhs.dimension(d), rhs.dimension(d))) {
      return BrokenRule{"broadcasting.42",
                        absl::StrCat("sizes that are equal or 1 in dimension ", d),
                        absl::StrCat(lhs.ToString(false), " and ", rhs.ToString(false))};
    }
  }
  return std::nullopt;
}

}  // namespace

Value Builder::BroadcastTo(Value operand, const Shape& target, Sizes dimensions) {
  if (!Usable({operand})) return {};
  const Shape& shape = operand.shape();
  Shape wanted = target.WithElementType(shape.element_type()).WithoutLayout();
  if (shape.rank() == wanted.rank() && shape.dimensions() == wanted.dimensions()) return operand;
  // Drops dimensions of size 1 that grow; the broadcast adds them at their new size.
  std::vector<int64_t> kept_sizes, kept_dimensions;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) == 1 && wanted.dimension(dimensions[d]) != 1) continue;
    kept_sizes.push_back(shape.dimension(d));
    kept_dimensions.push_back(dimensions[d]);
  }
  if (kept_sizes.size() != shape.dimensions().size()) {
    Shape kept(shape.element_type(), kept_sizes);
    for (size_t i = 0, d = 0; i < kept_dimensions.size(); ++i, ++d) {
      while (dimensions[d] != kept_dimensions[i]) ++d;
      if (shape.is_dynamic_dimension(d)) kept.set_dynamic_dimension(i, true);
    }
    operand = Emit(Opcode::kReshape, {operand}, {}, kept);
  }
  return Emit(Opcode::kBroadcast, {operand}, {{Attr::kDimensions, kept_dimensions}}, wanted);
}

std::optional<std::pair<Value, Value>> Builder::BroadcastOperands(absl::string_view operation,
                                                                  Value lhs, Value rhs,
                                                                  Sizes broadcast_dimensions) {
  if (!Usable({lhs, rhs})) return std::nullopt;
  const bool swapped = lhs.shape().rank() > rhs.shape().rank();
  const Shape low = swapped ? rhs.shape() : lhs.shape();
  const Shape high = swapped ? lhs.shape() : rhs.shape();
  if (!low.IsArray() || !high.IsArray()) {
    FailRule(operation, "elementwise_binary.20", "arrays",
             absl::StrCat(lhs.shape().ToString(false), " and ", rhs.shape().ToString(false)));
    return std::nullopt;
  }
  std::vector<int64_t> mapping(broadcast_dimensions.begin(), broadcast_dimensions.end());
  std::optional<BrokenRule> broken;
  if (low.rank() == high.rank()) {
    broken = CheckEqualRanks(lhs.shape(), rhs.shape(), broadcast_dimensions);
    mapping = Identity(low.rank());
  } else if (low.rank() > 0 || !broadcast_dimensions.empty()) {  // .13: scalars need none
    broken = CheckDimensions(low, high, broadcast_dimensions);
  }
  if (broken) {
    FailRule(operation, broken->rule, broken->expected, broken->found);
    return std::nullopt;
  }
  // broadcasting.53: first the mapping raises the lower-rank operand to the higher rank, then sizes
  // of 1 grow in both operands.
  Shape common = high.WithoutLayout();
  for (size_t i = 0; i < mapping.size(); ++i) {
    int64_t size = CommonSize(low.dimension(i), high.dimension(mapping[i]));
    if (size != high.dimension(mapping[i])) CopyDimension(low, i, common, mapping[i]);
    if (low.is_dynamic_dimension(i) && low.dimension(i) == size) {
      common.set_dynamic_dimension(mapping[i], true);
    }
  }
  std::vector<int64_t> identity = Identity(high.rank());
  Value new_lhs = BroadcastTo(lhs, common, swapped ? identity : mapping);
  Value new_rhs = BroadcastTo(rhs, common, swapped ? mapping : identity);
  if (!new_lhs.ok() || !new_rhs.ok()) return std::nullopt;
  return std::make_pair(new_lhs, new_rhs);
}

Value Builder::Binary(absl::string_view operation, Opcode opcode, Value lhs, Value rhs,
                      Sizes broadcast_dimensions, Attributes attributes) {
  auto operands = BroadcastOperands(operation, lhs, rhs, broadcast_dimensions);
  if (!operands) return {};
  return Emit(opcode, {operands->first, operands->second}, std::move(attributes));
}

}  // namespace hlocts
