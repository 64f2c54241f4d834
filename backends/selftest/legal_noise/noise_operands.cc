// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/legal_noise/noise_operands.h"

#include <cstring>

#include "reference/number_system.h"

namespace hlocts::backends {

// Rounds to nearest; infinities and NaN are kept.
void RoundToTf32(Literal& operand) {
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    float value = operand.data<float>()[i];
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if ((bits & 0x7f800000) == 0x7f800000) continue;
    bits = (bits + 0xfff + ((bits >> 13) & 1)) & ~uint32_t{0x1fff};
    std::memcpy(&operand.mutable_data<float>()[i], &bits, 4);
  }
}

void RoundToBf16(Literal& operand) {
  operand = reference::ToSystem(reference::FromSystem(operand, PrimitiveType::kBF16),
                                PrimitiveType::kF32);
}

RoundOperand RoundingOf(absl::string_view algorithm) {
  if (algorithm == "dot_tf32_tf32_f32") return RoundToTf32;
  if (algorithm == "dot_bf16_bf16_f32") return RoundToBf16;
  return nullptr;
}

namespace {

// The rounding that is allowed for f32 operands whose precision is not HIGHEST.
RoundOperand GrantedRounding(const NoiseJob& job) {
  if (job.profile == Profile::kStrict) return nullptr;
  const TargetFacts& facts = job.facts;
  if (facts.dot_f32 == DotPasses::kBf16x1 && job.state.Once(2)) return RoundToBf16;
  const bool tf32 = facts.dot_tf32 || facts.dot_f32 == DotPasses::kTf32;
  return tf32 || job.rule.Allows(kSplitDot) ? RoundToTf32 : nullptr;
}

}  // namespace

void RoundOperands(NoiseJob& job, Literal& lhs, Literal& rhs) {
  if (job.operands[0].element_type() != PrimitiveType::kF32) return;
  if (RoundOperand round = RoundingOf(job.instruction.WordOr(Attr::kAlgorithm, ""))) {
    round(lhs);
    round(rhs);
    return;
  }
  RoundOperand round = GrantedRounding(job);
  if (round == nullptr || !job.state.Once(2)) return;
  const auto* precisions = job.instruction.Get<std::vector<std::string>>(Attr::kOperandPrecision);
  // HIGH requires three passes of bf16; a single rounding to bf16 is less precise.
  auto kept = [&](size_t i) {
    if (precisions == nullptr || i >= precisions->size()) return false;
    return (*precisions)[i] == "highest" || (round == RoundToBf16 && (*precisions)[i] == "high");
  };
  if (!kept(0)) round(lhs);
  if (!kept(1)) round(rhs);
}

int PassesOf(absl::string_view algorithm) {
  if (algorithm == "dot_bf16_bf16_f32_x3") return 3;
  if (algorithm == "dot_bf16_bf16_f32_x6") return 6;
  return algorithm == "dot_bf16_bf16_f32_x9" ? 9 : 0;
}

std::vector<Literal> SplitInThree(const Literal& operand) {
  std::vector<Literal> parts;
  Literal rest = operand;
  for (int k = 0; k < 3; ++k) {
    Literal part = rest;
    RoundToBf16(part);
    for (int64_t i = 0; i < rest.element_count(); ++i) {
      rest.mutable_data<float>()[i] -= part.data<float>()[i];
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace hlocts::backends
