// SPDX-License-Identifier: Apache-2.0
// Computes products of complex numbers in any order.
#include <algorithm>
#include <cmath>

#include "reference/judge/sums/reductions.h"
#include "spec/judge/bounds.h"

namespace hlocts::reference {
namespace {

// A product of exact complex numbers in any order. Each multiplication has an error below 4 units
// of the magnitude. A flush loses at most the least normal number times the other factors.
class ComplexProduct {
 public:
  explicit ComplexProduct(const FloatFacts& facts) : facts_(facts) {}

  // Returns false if the factor is not a pair of finite values.
  bool Multiply(const AcceptanceSet& re, const AcceptanceSet& im) {
    if (!re.IsPoint() || !im.IsPoint() || !re.finite() || !im.finite()) return false;
    long double a = re_ * re.lo - im_ * im.lo;
    im_ = re_ * im.lo + im_ * re.lo;
    re_ = a;
    double magnitude = std::hypot(re.lo, im.lo);
    magnitude_ *= magnitude;
    largest_ *= std::max(magnitude, 1.0);
    for (double x : {re.lo, im.lo}) {
      normal_ = normal_ && (x == 0 || std::fabs(x) >= facts_.min_normal);
    }
    integral_ = integral_ && re.lo == std::rint(re.lo) && im.lo == std::rint(im.lo);
    ++count_;
    return true;
  }

  void Finish(const SetContext& context, std::vector<AcceptanceSet>& sets) const {
    double unit = std::ldexp(1.0, -facts_.p);
    bool exact = (count_ <= 1 && normal_) || (integral_ && largest_ * 2 * unit <= 1);
    double relative = std::expm1(static_cast<double>(count_) *
                                 std::log1p(context.bounds->ComplexProductUnits() * unit));
    double radius = magnitude_ * relative + context.bounds->ComplexProductFlushes() *
                                                static_cast<double>(count_) * facts_.min_normal *
                                                largest_;
    if (!(largest_ * 2 * (1 + relative) < facts_.max)) {
      sets.insert(sets.end(), 2,
                  AcceptanceSet::Unspecified(WideningCause::kOverflow, context.origin));
      return;
    }
    for (long double part : {re_, im_}) {
      double middle = static_cast<double>(part), spread = exact ? 0 : NextUp(radius);
      AcceptanceSet s = AcceptanceSet::Interval(facts_.RoundDown(middle - spread),
                                                facts_.RoundUp(middle + spread));
      if (!exact) s.cause = WideningCause::kProduct;
      s.origin = context.origin;
      sets.push_back(s);
    }
  }

 private:
  const FloatFacts& facts_;
  long double re_ = 1, im_ = 0;
  double magnitude_ = 1, largest_ = 1;
  bool integral_ = true, normal_ = true;
  int64_t count_ = 0;
};

}  // namespace

absl::StatusOr<SetArray> ComplexProducts(const ReductionOperands& r, const SetContext& context) {
  const AcceptanceSet re = r.init.At(0, 0), im = r.init.At(0, 1);
  bool identity = re.IsPoint() && im.IsPoint() && re.finite() && re.lo == 1 && IsZero(im);
  if (!identity || !r.operand.runtime_sizes.empty()) {
    return UnspecifiedResult(r.interpreter, r.instruction, r.shape, WideningCause::kUnknown).array;
  }
  const std::vector<int64_t>& sizes = r.operand.shape().dimensions();
  HLOCTS_ASSIGN_OR_RETURN(
      const ReductionTerms lists,
      TermsOf(r.instruction, sizes, sizes, r.interpreter.runner().options().memory_bytes_max));
  std::vector<AcceptanceSet> sets;
  for (const auto& terms : lists.terms) {
    ComplexProduct product(FactsOf(ComponentType(r.operand.element_type())));
    bool finite = true;
    for (int64_t i : terms) {
      finite = finite && product.Multiply(r.operand.At(i, 0), r.operand.At(i, 1));
    }
    if (finite) {
      product.Finish(context, sets);
    } else {
      sets.insert(sets.end(), 2,
                  AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin));
    }
  }
  SetArray result(r.shape, std::move(sets));
  result.origin = context.origin;
  return result;
}

}  // namespace hlocts::reference
