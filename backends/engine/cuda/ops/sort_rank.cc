// SPDX-License-Identifier: Apache-2.0
// Which comparators rank: then a radix sort of keys gives their order.
#include <optional>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

// One element of an operand, perhaps with all zeros made one, and all NaNs.
struct Ranked {
  int32_t parameter;
  bool zeros = false, nans = false;
};

std::optional<hl::Value> ConstantOf(const plan::Graph& body, plan::ValueId value) {
  const plan::Node& node = body.producer(value);
  if (node.opcode != Opcode::kConstant) return std::nullopt;
  return hl::Load(TypeNumber(body.type(value).type), body.constants[node.constant].raw_data(), 0);
}

std::optional<Ranked> RankedOf(const plan::Graph& body, plan::ValueId value);

// select(test, constant, element): the zeros as +0, the NaNs as a positive one. JAX compares such
// elements by the total order.
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
  if (node.opcode == Opcode::kParameter) return Ranked{node.parameter};
  return node.opcode == Opcode::kSelect ? MadeAlike(body, node) : std::nullopt;
}

}  // namespace

// compare(first, second) of the first array's two elements, in either order. A NaN that an IEEE
// comparison finds equal to all it meets has no rank: then a stable sort may have to leave it in
// place.
void FindRank(const plan::Graph& body, bool stable, SortJob& job) {
  const plan::Node& node = body.producer(body.results[0]);
  const int type = job.args.types[0];
  if (node.opcode != Opcode::kCompare || hl::ClassOf(type) == hl::kClassComplex) return;
  const std::optional<Ranked> a = RankedOf(body, node.operands[0]),
                              b = RankedOf(body, node.operands[1]);
  if (!a || !b || a->parameter + b->parameter != 1) return;
  if (a->zeros != b->zeros || a->nans != b->nans) return;
  const absl::string_view direction = node.source->WordOr(Attr::kDirection, "");
  if (direction != "LT" && direction != "GT") return;
  const bool total = node.source->WordOr(Attr::kType, "") == "TOTALORDER";
  const bool is_float = hl::ClassOf(type) >= hl::kClassFloat;
  job.ranked = true;
  job.ranked_without_nan = stable && !total && is_float;
  job.keys.type = type;
  job.keys.descending = (direction == "GT") != (a->parameter == 1) ? 1 : 0;
  job.keys.zeros_are_equal = !total || a->zeros ? 1 : 0;
  job.keys.nans_are_equal = a->nans ? 1 : 0;
}

}  // namespace hlocts::cuda
