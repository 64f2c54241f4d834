// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reference/judge/centred/open_element.h"
#include "spec/ops/groups.h"

namespace hlocts::reference {
namespace {

// The relative error of a function computed in f64.
constexpr double kComputed = 0x1p-50;

bool IsRounded(Opcode opcode) { return ops::IsFieldOperation(opcode) || opcode == Opcode::kSqrt; }
bool IsCopied(Opcode opcode) {
  return ops::IsSignChange(opcode) || ops::IsExtremum(opcode) ||
         ops::IsOneOf(opcode, {Opcode::kConvert, Opcode::kClamp});
}
bool IsLipschitz(Opcode opcode) {
  return IsCopied(opcode) ||
         ops::IsOneOf(opcode, {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply});
}

// Returns the largest difference of f(x) and f(y), where x and y are operands that two readers in
// one execution may see. It is enough to try x at the corners of the box: the slopes of products
// and quotients depend on x and increase with its magnitude.
double SpreadBy(const SlopeRow& row, const Box* boxes) {
  double most = 0;
  for (int corner = 0; corner < 1 << row.operands; ++corner) {
    Box from[3];
    Slope slopes[3];
    double spread = 0;
    for (int k = 0; k < row.operands; ++k) {
      from[k] = boxes[k];
      from[k].at = corner >> k & 1 ? boxes[k].hi : boxes[k].lo;
      spread += boxes[k].spread;
    }
    if (spread == 0) return 0;
    if (!row.slopes(from, slopes)) return HUGE_VAL;
    spread = 0;
    for (int k = 0; k < row.operands; ++k) {
      const double size = std::fabs(slopes[k].middle) + slopes[k].radius;
      if (size > 0 && boxes[k].spread > 0) spread += size * boxes[k].spread;
    }
    most = std::max(most, spread);
  }
  return most;
}

}  // namespace

bool PrepareElementwise(const Preparing& p, const Elementwise& op, int64_t i) {
  Node& node = p.node;
  const int count = op.row->operands;
  Box boxes[3];
  double at[3];
  bool silent = true;
  for (int k = 0; k < count; ++k) {
    const Node& operand = p.Operand(k);
    const int64_t j = ElementOf(operand.set, i);
    silent = silent && AddsNoError(operand, j);
    boxes[k] = operand.boxes[j];
    at[k] = boxes[k].at;
    if (!p.points) continue;
    if (IsDiscontinuity(boxes[k])) return false;
    boxes[k] = Widened(boxes[k]);
  }
  // Slopes do not bound a jump from a subnormal number to zero.
  if (p.points && p.interpreter.profile() != Profile::kStrict && !IsLipschitz(op.row->opcode)) {
    for (int k = 0; k < count; ++k) {
      if (at[k] != 0 && std::fabs(at[k]) < kNearLeast * op.context.operand->min_normal)
        return false;
    }
  }
  Slope* slopes = node.slopes.data() + i * count;
  if (!op.row->slopes(boxes, slopes)) return false;
  for (int k = 0; k < count; ++k) {
    if (!IsUsable(p.Operand(k), ElementOf(p.Operand(k).set, i), slopes[k])) return false;
  }
  const double value = op.row->value(at);
  const Box before = node.boxes[i];
  if (!Open(p, i, value)) return false;
  const double argument = std::max(std::fabs(boxes[0].lo), std::fabs(boxes[0].hi));
  const double noise = StoreNoise(op.context, node.boxes[i], argument);
  if (!std::isfinite(noise)) {
    node.boxes[i] = before;
    return false;
  }
  const double own = IsCopied(op.row->opcode)    ? 0
                     : IsRounded(op.row->opcode) ? kRounded
                                                 : kComputed;
  SetNoise(p, i, 0, noise + std::fabs(value) * own + kLeast);
  if (!p.points) SetSpread(p, i, SpreadBy(*op.row, boxes));
  Square squares = 0;
  for (int k = 0; k < count; ++k) squares += SquareOf(Steepest(slopes[k]) * boxes[k].deviation);
  SetDeviation(p, i, squares);
  if (silent) node.states[i] = Node::kClosed;
  return true;
}

}  // namespace hlocts::reference
