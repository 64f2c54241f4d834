// SPDX-License-Identifier: Apache-2.0
// Legal noise: a second executor that uses the permissions of the profile wherever it can. The
// rules of spec/accuracy say what is permitted; the means (flushing, contraction, orders of sums,
// other roundings) are its own and independent of the sets that judge it.
//
// A failure of this engine is a defect of the judge or of this engine. `typical=1` omits sums whose
// errors all have one sign or that keep fewer bits than their type; `unusual` (RULES 32) is
// calibrated with it. New permission: its use here and a row of noise_test.cc that shows it.
#ifndef HLOCTS_BACKENDS_SELFTEST_LEGAL_NOISE_NOISE_HOOK_H_
#define HLOCTS_BACKENDS_SELFTEST_LEGAL_NOISE_NOISE_HOOK_H_

#include <map>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "backends/selftest/legal_noise/noise_sum.h"
#include "reference/eval_hook.h"
#include "spec/accuracy/rules.h"
#include "spec/ir/instruction.h"

namespace hlocts::backends {

// Shadow values of instructions.
using Twins = absl::flat_hash_map<const Instruction*, Literal>;

// One device's state.
struct NoiseState {
  explicit NoiseState(uint64_t seed) : random(seed) {}
  generators::SplitMix64 random;
  // As f64, also through moves: exact products, for contraction (for f64: the two factors), and
  // results before their rounding.
  Twins products, exact;

  bool Once(uint64_t in) { return random.Below(in) == 0; }
};

class NoiseHook : public reference::EvalHook {
 public:
  // `facts`: declared by the engine and then used. `typical`: omits additions whose errors all have
  // one sign, or that keep fewer bits than their type. `partitions`: sums are also cut over up to
  // so many devices.
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

  Opcode opcode() const { return instruction.opcode(); }
  generators::SplitMix64& random() const { return state.random; }
  PrimitiveType type() const { return result.element_type(); }
};

// noise_reductions.cc: recomputes dot, convolution, reduce, reduce-window and scatter of real
// floats in another legal way. True when it has.
bool NoisyReduction(NoiseJob& job);
// noise_partition.cc: the same in parts, one a device. True when it has.
bool NoisyPartition(NoiseJob& job, int64_t partitions);
// noise_elements.cc: element-wise permissions.
void NoisyElements(NoiseJob& job);
// noise_shadow_values.cc: skips roundings of operands, and keeps this result as it was before its
// own rounding.
void UseTwins(NoiseJob& job);
// Passes the shadow values of the operands of a call or fusion to the parameters of its callee.
void PassTwins(NoiseState& state, const Instruction& instruction);
// Other algorithms. True when the operation is one of theirs.
bool NoisyBatchNorm(NoiseJob& job);
bool NoisyLinearAlgebra(NoiseJob& job);
bool NoisyFft(NoiseJob& job);
// Products, quotients, moduli and signs by other formulas.
bool NoisyComplex(NoiseJob& job);
// noise_reciprocal.cc: quotients by one number as products with its reciprocal.
bool NoisyReciprocal(NoiseJob& job);
// Applies the freedoms where the documents leave the value open altogether.
void NoisyFreedoms(NoiseJob& job);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_SELFTEST_LEGAL_NOISE_NOISE_HOOK_H_
