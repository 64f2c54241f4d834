// SPDX-License-Identifier: Apache-2.0
// Defines the values that the sets of the three batch-norm instructions share (lemma 26).
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "reference/judge/interpreter/handlers.h"
#include "spec/judge/bounds.h"

namespace hlocts::reference {

// A real number with a bound of its error.
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
  double quotient = 1;   // the error of a quotient in units of u
  double deviation = 0;  // the error of 1 / sqrt(variance + epsilon)
  double read = 0;       // operands below this may be read as zeros

  // Returns the value that element i may be read as, or NaN if it may be a NaN or an infinity.
  Approximate NumberAt(const SetValue& operand, int64_t i) const;
  double count() const { return static_cast<double>(layout.per_feature()); }
  // Returns the largest error of reading the operand as zero.
  double Lost(const Approximate& operand) const {
    const bool small = std::fabs(operand.value) - operand.error < read;
    return small ? std::min(operand.most(), read) : 0;
  }
  // Returns true if an intermediate value may be an infinity; later values may then be anything.
  bool Overflows(std::initializer_list<long double> magnitudes) const {
    return std::any_of(magnitudes.begin(), magnitudes.end(), [&](long double magnitude) {
      return !(magnitude * (1 + slack()) < context.result->max);
    });
  }
  double slack() const {  // relative error of the sums of batch-norm-grad
    const Bounds& bounds = *context.bounds;
    // The bound includes n + 6 units for a quotient by the count (lemma 26); the excess is added.
    const double covered = count() + bounds.GradRoundings() - 10;
    return (bounds.GradRoundingsPerTerm() * count() + bounds.GradRoundings() +
            bounds.GradDeviations() * deviation + std::max(quotient - covered, 0.0)) *
           u;
  }
};

BatchNorm MakeBatchNorm(SetInterpreter& interpreter, const Instruction& instruction,
                        const SetArray& operand);

// Returns the numbers within the error, rounded once.
AcceptanceSet RoundedWithin(const Approximate& x, const SetContext& context);

// Returns the results of training or grad: an array like the operand and two arrays by feature.
SetValue BatchNormResults(const Shape& shape, std::vector<AcceptanceSet> elements,
                          std::vector<AcceptanceSet> first, std::vector<AcceptanceSet> second);

bool AnyRuntimeSizes(absl::Span<const SetValue> operands);

}  // namespace hlocts::reference
