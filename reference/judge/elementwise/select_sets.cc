// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/elementwise/select_sets.h"

#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/moved_joint.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

// Keeps the joint predicate of a masked array: for the triangle of a factor, or for the whole
// factor (JAX selects the results of a factorization, or NaNs if it failed).
void CarryJoints(const SetArray& mask, const SetArray& on_true, const SetArray& on_false,
                 SetArray& result) {
  if (!mask.exact()) return;
  const bool scalar = mask.shape().rank() == 0;
  for (const SetArray* arm : {&on_true, &on_false}) {
    if (arm->joint == nullptr || arm->shape().dimensions() != result.shape().dimensions()) continue;
    std::vector<int64_t> from(result.element_count(), -1);
    for (int64_t i = 0; i < result.element_count(); ++i) {
      const bool first = mask.literal().raw_data()[scalar ? 0 : i] != 0;
      if (first == (arm == &on_true)) from[i] = i;
    }
    PropagateJoint(*arm, from, result);
  }
}

}  // namespace

SetArray SelectArrays(const SetArray& pred, const SetArray& on_true, const SetArray& on_false,
                      const Shape& shape, uint32_t origin) {
  std::vector<AcceptanceSet> sets;
  ChoiceMap map;
  int components = on_true.components();
  sets.reserve(shape.ElementCount() * components);
  bool scalar = pred.shape().rank() == 0;
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    AcceptanceSet p = pred.At(scalar ? 0 : i);
    bool may_true = p.unspecified() || p.ihi == 1, may_false = p.unspecified() || p.ilo == 0;
    for (int c = 0; c < components; ++c) {
      const int64_t at = i * components + c;
      const SetArray& arm = may_true ? on_true : on_false;
      std::vector<AcceptanceSet> choices;
      if (may_true && may_false) {
        AcceptanceSet joined = Join(on_true.At(i, c), on_false.At(i, c));
        if (joined.cause == WideningCause::kPoint && !joined.IsPoint()) {
          joined.cause = WideningCause::kJump;
          joined.origin = p.origin != 0 ? p.origin : origin;
        }
        sets.push_back(joined);
        const bool more = on_true.choices != nullptr || on_false.choices != nullptr;
        if (more || HaveGapBetween(on_true.At(i, c), on_false.At(i, c))) {
          choices = ChoicesOfBothOperands(on_true, on_false, at);
        }
      } else {
        sets.push_back(arm.At(i, c));
        if (arm.choices != nullptr) choices = ChoicesAt(arm, at);
      }
      if (choices.size() > 1) map.Put(at, std::move(choices));
    }
  }
  SetArray result(shape, std::move(sets));
  result.origin = origin;
  SetChoices(std::move(map), result);
  result = Compress(std::move(result));
  CarryJoints(pred, on_true, on_false, result);
  return result;
}

}  // namespace hlocts::reference
