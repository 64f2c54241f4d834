// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/legal_noise/noise_hook.h"

#include <cmath>

#include "absl/container/flat_hash_set.h"
#include "backends/selftest/elements.h"
#include "generators/input_recipes.h"
#include "reference/recognized.h"
#include "reference/scalar_function.h"
#include "reference/world_interface.h"
#include "spec/ir/module.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::backends {
namespace {

// Reads some of the operand's subnormals as zeros.
void FlushOperand(Literal& operand, NoiseState& state) {
  if (!IsArrayType(operand.element_type()) || !IsFloat(NumberType(operand))) return;
  const double least = FormatOf(NumberType(operand)).min_normal();
  for (int64_t i = 0; i < NumberCount(operand); ++i) {
    double value = ReadNumber(operand, i);
    if (value != 0 && std::fabs(value) < least && state.Once(2)) {
      WriteNumber(operand, i, std::copysign(0.0, value));
    }
  }
}

// Gives equal operands equal values: a number is flushed in both or in neither (lemma 30).
void ReadEqualOperandsAlike(const Instruction& instruction, absl::Span<Literal> operands) {
  for (size_t k = 1; k < operands.size(); ++k) {
    for (size_t j = 0; j < k; ++j) {
      const bool same = &instruction.operand(static_cast<int64_t>(k)) ==
                        &instruction.operand(static_cast<int64_t>(j));
      if (same) operands[k] = operands[j];
    }
  }
}

Rule RuleOfInstruction(const Instruction& instruction, Profile profile, const TargetFacts& facts) {
  if (instruction.operand_count() == 0 ||
      !IsArrayType(instruction.operand(0).shape().element_type())) {
    return {};
  }
  PrimitiveType type = instruction.operand(0).shape().element_type();
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kConvert) {
    const Rule rule = ConvertRule(type, instruction.shape().element_type(), profile);
    return ConvertWithFacts(rule, type, profile, facts);
  }
  Rule rule = RuleFor(opcode, type, profile, facts);
  if (const auto* demanded = instruction.Get<RawText>(Attr::kResultAccuracy)) {
    HonourResultAccuracy(demanded->text, type, profile, RuleFor(opcode, type, Profile::kDefault),
                         rule);
  }
  return rule;
}

bool ComparesInTotalOrder(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    if (instruction->WordOr(Attr::kType, "") == "TOTALORDER") return true;
  }
  return false;
}
// Returns true if the reduction or sort reads its elements as numbers, as sums, products, extrema
// and orderings do. Other computations may only move values.
bool ReducesNumbers(const Instruction& instruction) {
  const Computation* body = instruction.CalledComputation(Attr::kToApply);
  if (body == nullptr) return false;
  if (instruction.opcode() == Opcode::kSort)  // only keys are read; a payload is only moved
    return instruction.operand_count() == 1 && !ComparesInTotalOrder(*body);
  if (!ops::IsFold(instruction.opcode())) return false;
  switch (reference::Recognize(*body)) {
    case reference::RecognizedReducer::kAdd:
    case reference::RecognizedReducer::kMultiply:
    case reference::RecognizedReducer::kMinimum:
    case reference::RecognizedReducer::kMaximum:
      return true;
    case reference::RecognizedReducer::kAnd:
    case reference::RecognizedReducer::kOr:
    case reference::RecognizedReducer::kXor:
    case reference::RecognizedReducer::kNone:
      return false;
  }
  HLOCTS_UNREACHABLE();
}

bool TypedReadsNumbers(ops::TypedOperation operation, const Instruction& instruction) {
  switch (operation) {
    case ops::TypedOperation::kConvert:
    case ops::TypedOperation::kClamp:
    case ops::TypedOperation::kReducePrecision:
      return true;
    case ops::TypedOperation::kCompare:  // total order compares bits
      return instruction.WordOr(Attr::kType, "") != "TOTALORDER";
    case ops::TypedOperation::kSelect:
    case ops::TypedOperation::kBitcastConvert:
    case ops::TypedOperation::kStochasticConvert:
      return false;
  }
  HLOCTS_UNREACHABLE();
}

// Returns false for operations that only move elements.
bool ReadsNumbers(const Instruction& instruction) {
  switch (RowOf(instruction.opcode()).family) {
    case Family::kElementwiseUnary:
    case Family::kElementwiseBinary:
    case Family::kContraction:
      return true;
    case Family::kElementwiseOther:
      return TypedReadsNumbers(*ops::TypedOperationOf(instruction.opcode()), instruction);
    case Family::kReduction:
    case Family::kOrdering:
      return ReducesNumbers(instruction);
    default:
      return false;
  }
}

// Draws the sign of each NaN of a recomputed result, since processors differ in it. A NaN that has
// the bits of an operand's NaN keeps them, because in every profile an element to which nothing is
// added keeps its bits.
void SignNans(NoiseJob& job) {
  const PrimitiveType type = NumberType(job.result);
  if (!IsFloat(type)) return;
  absl::flat_hash_set<uint64_t> given;
  for (const Literal& operand : job.operands) {
    if (!IsArrayType(operand.element_type()) || NumberType(operand) != type) continue;
    for (int64_t i = 0; i < NumberCount(operand); ++i) {
      if (std::isnan(ReadNumber(operand, i))) given.insert(generators::ElementBits(operand, i));
    }
  }
  for (int64_t i = 0; i < NumberCount(job.result); ++i) {
    if (!std::isnan(ReadNumber(job.result, i))) continue;
    if (given.contains(generators::ElementBits(job.result, i))) continue;
    WriteNumber(job.result, i, job.state.Once(2) ? NAN : -NAN);
  }
}

}  // namespace

NoiseState& NoiseHook::StateOf(const reference::EvalContext& context) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = states_.find(&context);
  if (found != states_.end()) return found->second;
  const reference::DeviceEnvironment* world = context.options().world;
  uint64_t device = world == nullptr ? 0
                                     : static_cast<uint64_t>(world->replica_id()) * 1024 +
                                           static_cast<uint64_t>(world->partition_id());
  return states_.emplace(&context, NoiseState(generators::SplitMix64(seed_).Next() ^ device))
      .first->second;
}

absl::Status NoiseHook::BeforeInstruction(reference::EvalContext& context,
                                          const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  PassShadowValues(StateOf(context), instruction);
  Rule rule = RuleOfInstruction(instruction, profile_, facts_);
  if (!rule.Allows(kFlushOperand) || !ReadsNumbers(instruction)) return absl::OkStatus();
  NoiseState& state = StateOf(context);
  if (state.Once(2)) {
    for (Literal& operand : operands) FlushOperand(operand, state);
    ReadEqualOperandsAlike(instruction, operands);
  }
  return absl::OkStatus();
}

absl::Status NoiseHook::AfterInstruction(reference::EvalContext& context,
                                         const Instruction& instruction,
                                         absl::Span<const Literal> operands, Literal& result) {
  NoiseState& state = StateOf(context);
  NoiseJob job{context,
               instruction,
               operands,
               result,
               state,
               profile_,
               RuleOfInstruction(instruction, profile_, facts_),
               facts_,
               typical_};
  for (const Literal& operand : operands) {
    if (operand.shape().IsTuple() || operand.has_runtime_sizes()) return absl::OkStatus();
  }
  if (result.has_runtime_sizes() || NoisyBatchNorm(job)) return absl::OkStatus();
  if (!IsArrayType(result.element_type())) return absl::OkStatus();
  if (!facts_.values_once) UseShadowValues(job);
  const bool whole = NoisyPartition(job, partitions_) || NoisyReduction(job) ||
                     NoisyLinearAlgebra(job) || NoisyFft(job) || NoisyComplex(job) ||
                     NoisyReciprocal(job);
  if (whole) {
    SignNans(job);
  } else {
    NoisyElements(job);
  }
  NoisyFreedoms(job);
  return absl::OkStatus();
}

}  // namespace hlocts::backends
