// SPDX-License-Identifier: Apache-2.0
// Legal noise: a second executor that uses what the profile permits wherever it can. What is
// permitted it knows from the rules of spec/accuracy; how it is done (flushing, contraction, orders
// of sums, other roundings) it does itself, without asking the sets that judge it.
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

// Values that travel beside those of instructions.
using Twins = absl::flat_hash_map<const Instruction*, Literal>;

// One device's state.
struct NoiseState {
  explicit NoiseState(uint64_t seed) : random(seed) {}
  generators::SplitMix64 random;
  // As f64, also through moves: exact products, for contraction (of f64: the two factors), and
  // results before their rounding.
  Twins products, exact;

  bool Once(uint64_t in) { return random.Below(in) == 0; }
};

class NoiseHook : public reference::EvalHook {
 public:
  // `facts`: what the engine declares, and then makes use of. `typical`: additions that all err to
  // one side, or keep fewer bits than their type, are left out. `partitions`: sums are also cut
  // over up to so many devices.
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

// One instruction and what may be done with it.
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
// noise_shadow_values.cc: skips roundings of operands, and keeps what this result was before its
// own.
void UseTwins(NoiseJob& job);
// Hands the twins of the operands of a call or fusion to the parameters of what it calls.
void PassTwins(NoiseState& state, const Instruction& instruction);
// By other algorithms. True when the operation is theirs.
bool NoisyBatchNorm(NoiseJob& job);
bool NoisyLinearAlgebra(NoiseJob& job);
bool NoisyFft(NoiseJob& job);
// Products, quotients, moduli and signs by other formulas.
bool NoisyComplex(NoiseJob& job);
// noise_reciprocal.cc: quotients by one number as products with its reciprocal.
bool NoisyReciprocal(NoiseJob& job);
// What the documents leave open altogether.
void NoisyFreedoms(NoiseJob& job);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_SELFTEST_LEGAL_NOISE_NOISE_HOOK_H_
