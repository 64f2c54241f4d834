// SPDX-License-Identifier: Apache-2.0
// Legal noise: a second executor that uses the permissions of the profile wherever it can. The
// rules of spec/accuracy define these permissions. The executor's methods (flushing, contraction,
// orders of sums, other roundings) share no code with the sets that judge it.
//
// A failure of this engine is a defect of the judge or of this engine. `typical=1` omits sums whose
// errors all have the same sign or that keep fewer bits than their type; `unusual` (lemma 32) is
// calibrated with it. To add a permission, use it here and add a test to noise_test.cc that shows
// its effect.
#pragma once

#include <map>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "backends/selftest/legal_noise/noise_sum.h"
#include "reference/eval_hook.h"
#include "spec/accuracy/rules.h"
#include "spec/ir/instruction.h"

namespace hlocts::backends {

// Shadow values of instructions: their values before rounding.
using ShadowValues = absl::flat_hash_map<const Instruction*, Literal>;

// The state of one device.
struct NoiseState {
  explicit NoiseState(uint64_t seed) : random(seed) {}
  generators::SplitMix64 random;
  // Unrounded values in f64, which data movement preserves: `products` for contraction (for f64,
  // the two factors), and `exact` for results before their rounding.
  ShadowValues products, exact;

  bool Once(uint64_t in) { return random.Below(in) == 0; }
};

class NoiseHook : public reference::EvalHook {
 public:
  // The noise uses the freedoms of `facts`, which the engine declares. If `typical`, no sum rounds
  // all its additions in one direction, and no accumulator is narrower than the type. Sums are also
  // split over up to `partitions` devices.
  NoiseHook(uint64_t seed, Profile profile, TargetFacts facts = {}, bool typical = false,
            int64_t partitions = 1)
      : seed_(seed),
        profile_(profile),
        facts_(std::move(facts)),
        typical_(typical),
        partitions_(partitions) {}

  absl::Status BeforeInstruction(reference::EvalContext& context, const Instruction& instruction,
                                 absl::Span<Literal> operands) override;
  absl::Status AfterInstruction(reference::EvalContext& context, const Instruction& instruction,
                                absl::Span<const Literal> operands, Literal& result) override;

 private:
  NoiseState& StateOf(const reference::EvalContext& context);

  const uint64_t seed_;
  const Profile profile_;
  const TargetFacts facts_;
  const bool typical_;
  const int64_t partitions_;
  std::mutex mutex_;
  std::map<const reference::EvalContext*, NoiseState> states_;
};

// One instruction and its permissions.
struct NoiseJob {
  reference::EvalContext& context;
  const Instruction& instruction;
  absl::Span<const Literal> operands;
  Literal& result;
  NoiseState& state;
  Profile profile;
  Rule rule;
  const TargetFacts& facts;
  bool typical = false;
  FactorReading left, right;  // of the operands of a contraction

  Opcode opcode() const { return instruction.opcode(); }
  generators::SplitMix64& random() const { return state.random; }
  PrimitiveType type() const { return result.element_type(); }
};

// Recomputes dot, convolution, reduce, reduce-window and scatter of real floats in another legal
// way (noise_reductions.cc). Returns true if it did.
bool NoisyReduction(NoiseJob& job);
// Like NoisyReduction, but in parts, one for each device (noise_partition.cc).
bool NoisyPartition(NoiseJob& job, int64_t partitions);
// Uses the elementwise permissions (noise_elements.cc).
void NoisyElements(NoiseJob& job);
// Reads operands without their rounding, and stores this result's unrounded value
// (noise_shadow_values.cc).
void UseShadowValues(NoiseJob& job);
// Passes the shadow values of the operands of a call or fusion to the parameters of its callee.
void PassShadowValues(NoiseState& state, const Instruction& instruction);
// Each function recomputes an operation by another algorithm, and returns true if it did.
bool NoisyBatchNorm(NoiseJob& job);
bool NoisyLinearAlgebra(NoiseJob& job);
bool NoisyFft(NoiseJob& job);
// Recomputes products, quotients, moduli and signs by other formulas.
bool NoisyComplex(NoiseJob& job);
// Computes quotients with a scalar divisor as products with its reciprocal (noise_elements.cc).
bool NoisyReciprocal(NoiseJob& job);
// Replaces results that the documents leave unspecified by arbitrary values.
void NoisyFreedoms(NoiseJob& job);

}  // namespace hlocts::backends
