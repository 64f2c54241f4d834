// SPDX-License-Identifier: Apache-2.0
// What the sets of the three batch norms have in common (RULES 26).
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_BATCH_NORM_VALUES_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_BATCH_NORM_VALUES_H_

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "reference/judge/interpreter/handlers.h"
#include "spec/judge/bounds.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

// A real with a bound of its error.
struct Approximate {
  double value = 0, error = 0;

  double most() const { return std::fabs(value) + error; }
};

struct Layout3 {  // the operand as [outer, feature, inner]
  int64_t outer = 1, features = 1, inner = 1;
  int64_t per_feature() const { return outer * inner; }
  int64_t At(int64_t f, int64_t k) const { return (k / inner * features + f) * inner + k % inner; }
};

struct BatchNorm {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  SetContext context;
  Layout3 layout;
  double epsilon = 0;
  double u = 0;
  double flush = 0;
  double quotient = 1;   // units that a quotient is off by
  double deviation = 0;  // and 1 / sqrt(variance + epsilon)
  double read = 0;       // operands below it may be read as zeros

  // The value that element i may be read as; NaN if it may be no number.
  Approximate NumberAt(const SetValue& operand, int64_t i) const;
  double count() const { return static_cast<double>(layout.per_feature()); }
  // The most that is lost by reading it as zero.
  double Lost(const Approximate& operand) const {
    const bool small = std::fabs(operand.value) - operand.error < read;
    return small ? std::min(operand.most(), read) : 0;
  }
  // An intermediate value of that magnitude may be an infinity, and all that follows anything.
  bool Overflows(std::initializer_list<long double> magnitudes) const {
    return std::any_of(magnitudes.begin(), magnitudes.end(), [&](long double magnitude) {
      return !(magnitude * (1 + slack()) < context.result->max);
    });
  }
  double slack() const {  // of the sums of batch-norm-grad
    const Bounds& bounds = *context.bounds;
    // With one term more than half of GradRoundings is left for the quotient by the count.
    const double room = count() + bounds.GradRoundings() - 10;
    return (bounds.GradRoundingsPerTerm() * count() + bounds.GradRoundings() +
            bounds.GradDeviations() * deviation + std::max(quotient - room, 0.0)) *
           u;
  }
};

BatchNorm MakeBatchNorm(SetInterpreter& interpreter, const Instruction& instruction,
                        const SetArray& operand);

// The numbers within the error, rounded once.
AcceptanceSet RoundedWithin(const Approximate& x, const SetContext& context);

// The three results of training and of the gradient: one of the operand's shape, two by feature.
SetValue BatchNormResults(const Shape& shape, std::vector<AcceptanceSet> elements,
                          std::vector<AcceptanceSet> first, std::vector<AcceptanceSet> second);

// Returns true if some operand has a run-time size.
bool AnyRuntimeSizes(absl::Span<const SetValue> operands);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_BATCH_NORM_VALUES_H_
