// SPDX-License-Identifier: Apache-2.0
// Finds comparators that are equivalent to comparing ranks, so that a radix sort can be used.
#include <optional>
#include <utility>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

// One element of an operand. If `zeros` or `nans`, all zeros or all NaNs have been made equal.
struct Ranked {
  int32_t parameter;
  bool zeros = false, nans = false;
};

std::optional<hl::Value> ConstantOf(const plan::Graph& body, plan::ValueId value) {
  const plan::Node& node = body.producer(value);
  if (!node.IsConstant()) return std::nullopt;
  return hl::Load(TypeNumber(body.type(value).type), body.constants[node.constant].raw_data(), 0);
}

std::optional<Ranked> RankedOf(const plan::Graph& body, plan::ValueId value);

// Recognizes a select(test, constant, element) that replaces zeros by +0 or NaNs by a positive NaN.
// JAX applies it to elements before it compares them by the total order.
std::optional<Ranked> MadeAlike(const plan::Graph& body, const plan::Node& select) {
  const plan::Node& test = body.producer(select.operands[0]);
  std::optional<Ranked> element = RankedOf(body, select.operands[2]);
  const std::optional<hl::Value> constant = ConstantOf(body, select.operands[1]);
  if (!element || !constant || test.opcode != Opcode::kCompare) return std::nullopt;
  const std::optional<Ranked> tested = RankedOf(body, test.operands[0]);
  if (!tested || tested->parameter != element->parameter) return std::nullopt;
  const int type = TypeNumber(body.type(select.operands[2]).type);
  const hl::Format format = hl::FormatOf(type);
  if (hl::ClassOf(type) < hl::kClassFloat || format.special != hl::kIeee) return std::nullopt;
  if (test.source->WordOr(Attr::kType, "") == "TOTALORDER") return std::nullopt;
  const absl::string_view direction = test.source->WordOr(Attr::kDirection, "");
  const hl::u64 bits = hl::ToBits(type, *constant);
  if (direction == "NE" && test.operands[0] == test.operands[1]) {
    element->nans = true;
    const bool positive = (bits & hl::SignCode(format)) == 0;
    return positive && hl::IsNanCode(format, bits) ? element : std::nullopt;
  }
  const std::optional<hl::Value> zero = ConstantOf(body, test.operands[1]);
  if (direction != "EQ" || !zero) return std::nullopt;
  element->zeros = true;
  const bool with_zero = (hl::ToBits(type, *zero) & ~hl::SignCode(format)) == 0;
  return with_zero && bits == 0 ? element : std::nullopt;
}

std::optional<Ranked> RankedOf(const plan::Graph& body, plan::ValueId value) {
  const plan::Node& node = body.producer(value);
  if (node.IsParameter()) return Ranked{node.parameter};
  return node.opcode == Opcode::kSelect ? MadeAlike(body, node) : std::nullopt;
}

// A comparison of two elements of one array.
struct Comparison {
  SortRank rank;
  bool total = false, is_float = false;
  absl::string_view direction;
};
std::optional<Comparison> ComparisonOf(const plan::Graph& body, plan::ValueId value,
                                       const SortJob& job) {
  const plan::Node& node = body.producer(value);
  if (node.opcode != Opcode::kCompare) return std::nullopt;
  const std::optional<Ranked> a = RankedOf(body, node.operands[0]),
                              b = RankedOf(body, node.operands[1]);
  if (!a || !b || a->parameter / 2 != b->parameter / 2 || a->parameter == b->parameter ||
      a->zeros != b->zeros || a->nans != b->nans) {
    return std::nullopt;
  }
  Comparison result;
  hl::SortKeyArgs& keys = result.rank.keys;
  result.rank.array = a->parameter / 2;
  keys.type = job.args.types[result.rank.array];
  if (hl::ClassOf(keys.type) == hl::kClassComplex) return std::nullopt;
  result.total = node.source->WordOr(Attr::kType, "") == "TOTALORDER";
  result.is_float = hl::ClassOf(keys.type) >= hl::kClassFloat;
  result.direction = node.source->WordOr(Attr::kDirection, "");
  keys.descending = (result.direction == "GT") != (a->parameter % 2 == 1) ? 1 : 0;
  keys.zeros_are_equal = !result.total || a->zeros ? 1 : 0;
  keys.nans_are_equal = a->nans ? 1 : 0;
  return result;
}

// Returns true if `equal` holds for exactly those pairs of elements that `order` leaves unordered.
bool IsEqualityOf(const Comparison& equal, const Comparison& order) {
  const hl::SortKeyArgs &a = equal.rank.keys, &b = order.rank.keys;
  return equal.direction == "EQ" && equal.rank.array == order.rank.array &&
         equal.total == order.total && a.zeros_are_equal == b.zeros_are_equal &&
         a.nans_are_equal == b.nans_are_equal;
}

// Returns the operands of a commutative operation. `first` is true for the first one returned.
template <class F>
std::optional<std::pair<plan::ValueId, plan::ValueId>> Split(const plan::Node& node, Opcode opcode,
                                                             const F& first) {
  if (node.opcode != opcode) return std::nullopt;
  for (int k = 0; k < 2; ++k) {
    if (first(node.operands[k])) return std::pair(node.operands[k], node.operands[1 - k]);
  }
  return std::nullopt;
}

// Appends the comparisons in or(order, and(equality, rest)), which JAX uses for several keys.
bool AddRanks(const plan::Graph& body, plan::ValueId value, const SortJob& job,
              std::vector<Comparison>& found) {
  const auto order = [&](plan::ValueId one) {
    const auto c = ComparisonOf(body, one, job);
    return c.has_value() && (c->direction == "LT" || c->direction == "GT");
  };
  if (order(value)) {
    found.push_back(*ComparisonOf(body, value, job));
    return true;
  }
  const auto whole = Split(body.producer(value), Opcode::kOr, order);
  if (!whole) return false;
  found.push_back(*ComparisonOf(body, whole->first, job));
  const auto equality = [&](plan::ValueId one) {
    const auto c = ComparisonOf(body, one, job);
    return c.has_value() && IsEqualityOf(*c, found.back());
  };
  const auto rest = Split(body.producer(whole->second), Opcode::kAnd, equality);
  return rest && AddRanks(body, rest->second, job, found);
}

}  // namespace

// Finds the ranks that the body compares. An IEEE comparison gives a NaN no rank: a stable sort may
// have to leave a NaN in place, and if an element's key is NaN, its later keys are ignored. The
// ranks of such comparisons are valid only if no key is a NaN.
void FindRanks(const plan::Graph& body, bool stable, SortJob& job) {
  std::vector<Comparison> found;
  if (!AddRanks(body, body.results[0], job, found)) return;
  for (Comparison& one : found) {
    one.rank.without_nan = (stable || found.size() > 1) && !one.total && one.is_float;
    job.ranks.push_back(one.rank);
  }
}

}  // namespace hlocts::cuda
