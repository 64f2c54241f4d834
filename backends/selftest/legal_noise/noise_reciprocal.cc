// SPDX-License-Identifier: Apache-2.0
// Division by one number as a multiplication by its reciprocal, which is rounded to the type (lemma
// 16).
#include <cmath>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_hook.h"

namespace hlocts::backends {

bool NoisyReciprocal(NoiseJob& job) {
  const bool divides = job.opcode() == Opcode::kDivide && job.rule.rule_class == RuleClass::kUlp;
  if (!divides || !IsRealFloat(job.result) || BitWidth(job.type()) < 16) return false;
  if (BitWidth(job.type()) > 32 || job.result.element_count() == 0) return false;
  const Instruction& divisor = job.instruction.operand(1);
  const bool splat =
      divisor.opcode() == Opcode::kBroadcast && divisor.operand(0).shape().rank() == 0;
  if (!splat || !job.state.Once(2)) return false;
  const FloatFormat& format = FormatOf(job.type());
  const double reciprocal = RoundTo(job.type(), 1 / ReadNumber(job.operands[1], 0));
  if (!std::isfinite(reciprocal) || std::fabs(reciprocal) < format.min_normal()) return false;
  Literal exact(Shape(PrimitiveType::kF64, job.result.shape().dimensions()));
  for (int64_t i = 0; i < exact.element_count(); ++i) {
    const double product = ReadNumber(job.operands[0], i) * reciprocal;
    exact.mutable_data<double>()[i] = product;
    const double stored = RoundTo(job.type(), product);
    // At the ends of the range, a quotient and a product may differ by more than is allowed.
    const bool ordinary =
        std::fabs(stored) > 2 * format.min_normal() && std::fabs(stored) < format.max_finite() / 2;
    if (ordinary) {
      WriteNumber(job.result, i, stored);
    } else {
      exact.mutable_data<double>()[i] = ReadNumber(job.result, i);
    }
  }
  job.state.exact[&job.instruction] = exact;
  job.state.products[&job.instruction] = std::move(exact);
  return true;
}

}  // namespace hlocts::backends
