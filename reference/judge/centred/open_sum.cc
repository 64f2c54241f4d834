// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reference/judge/centred/open_element.h"

namespace hlocts::reference {

bool OpenSum(const Preparing& p, const SetContext& context, int64_t i) {
  Node& node = p.node;
  const bool products = node.kind == NodeKind::kProducts;
  double error = node.sum_errors[i];
  if (!std::isfinite(error) && !p.points) return false;
  double value = 0, magnitude = 0;
  bool silent = true;
  const int64_t begin = node.terms.first[i], end = node.terms.first[i + 1];
  for (int64_t t = begin; t < end; ++t) {
    const int64_t l = node.terms.lhs[t];
    if (p.Operand(0).states[l] == Node::kBroken) return false;
    silent = silent && IsSilent(p.Operand(0), l);
    double term = p.Operand(0).boxes[l].at;
    if (products) {
      const int64_t r = node.terms.rhs[t];
      if (p.Operand(1).states[r] == Node::kBroken) return false;
      silent = silent && IsSilent(p.Operand(1), r);
      term *= p.Operand(1).boxes[r].at;
    }
    value += term;
    magnitude += std::fabs(term);
  }
  const Box before = node.boxes[i];
  if (!Open(p, i, value)) return false;
  const double stored = StoreNoise(context, node.boxes[i], 0);
  if (!std::isfinite(stored)) {
    node.boxes[i] = before;
    return false;
  }
  const double count = static_cast<double>(end - begin);
  // Contractions of narrow types add in f32; a product may be rounded besides.
  const int precision = products ? std::max(p.facts.p, 24) : p.facts.p;
  const bool flushes = p.interpreter.profile() != Profile::kStrict;
  const double underflow = count * (flushes ? p.facts.min_normal : p.facts.tiny);
  if (p.points) error = std::sqrt(2 * count) * std::ldexp(magnitude, -precision) + underflow;
  SetNoise(p, i, error + (count + 2) * 0x1p-52 * magnitude + kLeast, stored);
  SetSpread(p, i, HUGE_VAL);
  if (silent) node.states[i] = Node::kClosed;
  return true;
}

bool OpenPick(const Preparing& p, int64_t i) {
  Node& node = p.node;
  const int64_t begin = node.terms.first[i], end = node.terms.first[i + 1];
  std::vector<Box> boxes;
  double value = node.terms.largest ? -HUGE_VAL : HUGE_VAL;
  const Node& operand = p.Operand(0);
  for (int64_t t = begin; t < end; ++t) {
    const int64_t j = node.terms.lhs[t];
    boxes.push_back(operand.boxes[j]);
    value =
        node.terms.largest ? std::max(value, boxes.back().at) : std::min(value, boxes.back().at);
  }
  absl::Span<Slope> slopes(node.slopes.data() + begin, boxes.size());
  SelectionSlopes(node.terms.largest, boxes, slopes);
  for (int64_t t = begin; t < end; ++t) {
    if (!IsUsable(operand, node.terms.lhs[t], slopes[t - begin])) return false;
  }
  if (!Open(p, i, value)) return false;
  AddFlush(p, i);
  SetSpread(p, i, HUGE_VAL);
  return true;
}

}  // namespace hlocts::reference
