// SPDX-License-Identifier: Apache-2.0
#include "spec/cut/places.h"
#include "spec/ops/op_table.h"

namespace hlocts {
namespace {

struct PlaceRow {
  AccuracyRule rule;
  Place place;
  bool joint;  // elements cannot be judged one by one
};
constexpr PlaceRow kPlaces[] = {
    {AccuracyRule::kExact, Place::kFree, false},
    {AccuracyRule::kCompare, Place::kCounts, false},
    {AccuracyRule::kSignBit, Place::kCounts, false},
    {AccuracyRule::kRoundToIntegral, Place::kCounts, false},
    {AccuracyRule::kMinMax, Place::kCounts, false},
    {AccuracyRule::kRemainder, Place::kCounts, false},
    {AccuracyRule::kAddSubtract, Place::kCounts, false},
    {AccuracyRule::kMultiply, Place::kCounts, false},
    {AccuracyRule::kDivide, Place::kCounts, false},
    {AccuracyRule::kSquareRoot, Place::kCounts, false},
    {AccuracyRule::kFunction, Place::kCutAfter, false},
    {AccuracyRule::kPower, Place::kCutAfter, false},
    {AccuracyRule::kConvert, Place::kCounts, false},
    {AccuracyRule::kReducePrecision, Place::kCounts, false},
    {AccuracyRule::kStochasticConvert, Place::kAlone, true},
    {AccuracyRule::kReduction, Place::kCutAfter, false},
    {AccuracyRule::kSelectAndScatter, Place::kAlone, false},
    {AccuracyRule::kScatter, Place::kAlone, false},
    {AccuracyRule::kContraction, Place::kCutAfter, false},
    {AccuracyRule::kOrdering, Place::kAlone, true},
    {AccuracyRule::kBatchNorm, Place::kAlone, false},
    {AccuracyRule::kFft, Place::kAlone, true},
    {AccuracyRule::kCholesky, Place::kAlone, true},
    {AccuracyRule::kTriangularSolve, Place::kAlone, true},
    {AccuracyRule::kRandom, Place::kAlone, true},
    {AccuracyRule::kRandomBits, Place::kAlone, true},
    {AccuracyRule::kCalled, Place::kAlone, false},
    {AccuracyRule::kCollectiveReduction, Place::kCutAfter, false},
    {AccuracyRule::kUnknown, Place::kAlone, true},
};

const PlaceRow& PlaceOf(AccuracyRule rule) {
  for (const PlaceRow& row : kPlaces) {
    if (row.rule == rule) return row;
  }
  return kPlaces[0];
}

bool HoldsFloats(const Shape& shape) {
  bool found = false;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    found = found || IsFloat(leaf.element_type()) || IsComplex(leaf.element_type());
  });
  return found;
}

bool IsJoint(const Instruction& instruction) {
  if (PlaceOf(RowOf(instruction.opcode()).accuracy).joint) return true;
  for (const Computation* called : instruction.called_computations()) {
    for (const auto& inner : called->instructions()) {
      if (IsJoint(*inner)) return true;
    }
  }
  return false;
}

}  // namespace

Place PlaceOf(const Instruction& instruction, const CutOptions& options) {
  const PlaceRow& row = PlaceOf(RowOf(instruction.opcode()).accuracy);
  if (options.operations == CutOptions::kOnlyAtJointValues) {
    return IsJoint(instruction) ? Place::kAlone : Place::kFree;
  }
  if (row.place == Place::kAlone) return row.place;
  bool floats = HoldsFloats(instruction.shape());
  for (const Instruction* operand : instruction.operands()) {
    floats = floats || HoldsFloats(operand->shape());
  }
  return floats ? row.place : Place::kFree;
}

}  // namespace hlocts
