// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/init_values.h"

#include <algorithm>

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
      return true;  // idempotent: several insertions equal one
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

namespace {

// Returns the least number of insertions k for which the set sums(k) is not a single value.
// Requires that sums(exact) is a single value and sums(rounded) is not.
template <class Sums>
int64_t FirstRounded(const Sums& sums, int64_t exact, int64_t rounded) {
  while (rounded - exact > 1) {
    const int64_t middle = exact + (rounded - exact) / 2;
    (sums(middle).IsPoint() ? exact : rounded) = middle;
  }
  return rounded;
}

// Joins the results for all numbers of insertions of an init that is not an identity (lemma 11).
AcceptanceSet WithInsertions(SetInterpreter& interpreter, const SetContext& context,
                             PrimitiveType type, RecognizedReducer reducer,
                             std::vector<AcceptanceSet> terms, const AcceptanceSet& init,
                             int64_t insertions_max) {
  constexpr int64_t kCap = 64;
  AcceptanceSet joined;
  // An engine that treats init as an identity may drop it, if there are terms (ruling 0019).
  const bool may_drop = interpreter.profile() != Profile::kStrict && !terms.empty();
  if (may_drop) joined = CombineTerms(interpreter, context, type, reducer, terms);
  const auto inserted = [&, own = terms.size()](int64_t k) {
    terms.resize(own + static_cast<size_t>(k), init);
    return CombineTerms(interpreter, context, type, reducer, terms);
  };
  AcceptanceSet one;
  for (int64_t k = 1; k <= std::min(insertions_max, kCap); ++k) {
    one = inserted(k);
    joined = k == 1 && !may_drop ? one : Join(joined, one);
    // xor depends only on the parity of k.
    if (reducer == RecognizedReducer::kXor && k == 2) break;
  }
  if (insertions_max > kCap && reducer != RecognizedReducer::kXor) {
    bool linear = reducer == RecognizedReducer::kAdd && !joined.unspecified();
    if (!linear) return AcceptanceSet::Unspecified(WideningCause::kInit, context.origin);
    const AcceptanceSet last = inserted(insertions_max);
    if (one.IsPoint() && !last.IsPoint()) {
      joined = Join(joined, inserted(FirstRounded(inserted, kCap, insertions_max)));
    }
    joined = Join(joined, last);
  }
  if (!joined.IsPoint() && insertions_max > 1) {
    joined.cause = WideningCause::kInit;
    joined.origin = context.origin;
  }
  return joined;
}

}  // namespace

AcceptanceSet ReducedElement(const ReductionOperands& r, RecognizedReducer reducer,
                             const SetContext& context, std::vector<AcceptanceSet>& terms,
                             const AcceptanceSet& init, int64_t padded) {
  const PrimitiveType type = r.operand.element_type();
  const auto combined = [&] { return CombineTerms(r.interpreter, context, type, reducer, terms); };
  if (Idempotent(reducer)) {
    const bool may_drop = MayDropInit(r) && !terms.empty() && !IsNeutral(reducer, init, type);
    AcceptanceSet without;
    if (may_drop) without = combined();
    terms.push_back(init);
    const AcceptanceSet set = combined();
    return may_drop ? Join(set, without) : set;
  }
  if (IsIdentity(reducer, init, type) && !terms.empty()) {
    const AcceptanceSet set = combined();
    // A single -0 stays -0, or becomes +0 if an init value of +0 is added.
    if (terms.size() != 1 || !set.finite() || set.lo != 0 || set.hi != 0) return set;
    terms.push_back(init);
    return Join(set, combined());
  }
  const int64_t most = static_cast<int64_t>(terms.size()) + padded + 1;
  return WithInsertions(r.interpreter, context, type, reducer, terms, init, most);
}

}  // namespace hlocts::reference
