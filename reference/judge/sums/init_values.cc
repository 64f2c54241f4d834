// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/init_values.h"

namespace hlocts::reference {

bool Idempotent(RecognizedReducer reducer) {
  return reducer == RecognizedReducer::kMinimum || reducer == RecognizedReducer::kMaximum ||
         reducer == RecognizedReducer::kAnd || reducer == RecognizedReducer::kOr;
}

bool IsIdentity(RecognizedReducer reducer, const AcceptanceSet& init, PrimitiveType type) {
  if (init.unspecified()) return false;
  switch (reducer) {
    case RecognizedReducer::kAdd:
    case RecognizedReducer::kXor:
      return IsZero(init);
    case RecognizedReducer::kMultiply:
      return init.integer() ? init.ilo == 1 && init.ihi == 1
                            : init.IsPoint() && init.finite() && init.lo == 1;
    default:
      return true;  // idempotent: any number of insertions is one
  }
}

bool IsNeutral(RecognizedReducer reducer, const AcceptanceSet& init, PrimitiveType type) {
  const bool least = reducer == RecognizedReducer::kMaximum || reducer == RecognizedReducer::kOr;
  if (!Idempotent(reducer) || init.unspecified()) return false;
  if (init.integer()) {
    const bool is_signed = IsSigned(type);
    const int digits = type == PrimitiveType::kPred ? 1 : BitWidth(type) - (is_signed ? 1 : 0);
    const Int128 largest = (Int128{1} << digits) - 1;
    const Int128 smallest = is_signed ? -largest - 1 : 0;
    if (init.ilo != init.ihi) return false;
    if (reducer == RecognizedReducer::kOr) return init.ilo == 0;
    if (reducer == RecognizedReducer::kAnd) return init.ilo == (is_signed ? Int128{-1} : largest);
    return init.ilo == (least ? smallest : largest);
  }
  return init.IsPoint() && init.Has(least ? AcceptanceSet::kNegInf : AcceptanceSet::kPosInf);
}

}  // namespace hlocts::reference
