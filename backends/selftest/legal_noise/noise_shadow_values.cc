// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <optional>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "reference/dynamic_sizes.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"
#include "spec/ops/groups.h"

namespace hlocts::backends {
namespace {

constexpr int64_t kShadowElementsMax = 1 << 16;  // elements; larger values are not tracked

Literal Wide(const Literal& literal) {
  Literal copy(Shape(PrimitiveType::kF64, literal.shape().dimensions()));
  for (int64_t i = 0; i < literal.element_count(); ++i)
    WriteNumber(copy, i, ReadNumber(literal, i));
  return copy;
}

const Literal* ShadowValueOf(const ShadowValues& values, const NoiseJob& job, int64_t operand) {
  if (operand >= job.instruction.operand_count()) return nullptr;
  auto found = values.find(&job.instruction.operand(operand));
  if (found == values.end() || found->second.shape().IsTuple()) return nullptr;
  return found->second.element_count() == job.operands[operand].element_count() ? &found->second
                                                                                : nullptr;
}

// Evaluates the instruction on `operands`, with a result of type `type`.
std::optional<Literal> Evaluate(const NoiseJob& job, std::vector<Literal> operands,
                                PrimitiveType type = PrimitiveType::kF64) {
  Instruction wide(job.instruction.name(), job.opcode(),
                   job.instruction.shape().WithElementType(type));
  wide.mutable_attributes() = job.instruction.attributes();
  std::vector<std::unique_ptr<Instruction>> parameters;
  for (const Literal& operand : operands) {
    parameters.push_back(
        std::make_unique<Instruction>("operand", Opcode::kParameter, operand.shape()));
    wide.mutable_operands().push_back(parameters.back().get());
  }
  reference::Evaluator evaluator = reference::EvaluatorOf(job.opcode());
  auto result = evaluator != nullptr
                    ? evaluator(job.context, wide, absl::MakeSpan(operands))
                    : reference::EvaluateElementwise(wide, absl::MakeSpan(operands));
  if (!result.ok()) return std::nullopt;
  return *std::move(result);
}

// Returns true if the operation only moves values, which may be unrounded.
bool IsMove(Opcode opcode) {
  return ops::MovesElements(opcode) || ops::IsOneOf(opcode, {Opcode::kNegate, Opcode::kSelect});
}

void MoveShadowValues(NoiseJob& job, ShadowValues& values) {
  bool any = false;
  for (int64_t k = 0; k < job.instruction.operand_count(); ++k) {
    any = any || ShadowValueOf(values, job, k) != nullptr;
  }
  if (!any) return;
  std::vector<Literal> operands;
  for (size_t k = 0; k < job.operands.size(); ++k) {
    const Literal* value = ShadowValueOf(values, job, static_cast<int64_t>(k));
    const bool real = IsRealFloat(job.operands[k]);
    operands.push_back(value != nullptr ? *value : real ? Wide(job.operands[k]) : job.operands[k]);
  }
  if (auto moved = Evaluate(job, std::move(operands))) values[&job.instruction] = *std::move(moved);
}

// Skips the rounding of an operand that is a product, as contraction does.
void Contract(NoiseJob& job) {
  if (!ops::IsSum(job.opcode())) return;
  if (!job.rule.Allows(kContract) || job.type() == PrimitiveType::kF64) return;
  const Literal *x = ShadowValueOf(job.state.products, job, 0),
                *y = ShadowValueOf(job.state.products, job, 1);
  const double sign = job.opcode() == Opcode::kAdd ? 1 : -1;
  for (int64_t i = 0; i < job.result.element_count(); ++i) {
    double a = ReadNumber(job.operands[0], i), b = ReadNumber(job.operands[1], i);
    bool first = x != nullptr && (y == nullptr || job.state.Once(2));
    if (first && job.state.Once(2)) {
      a = x->data<double>()[i];
    } else if (!first && y != nullptr && job.state.Once(2)) {
      b = y->data<double>()[i];
    } else {
      continue;
    }
    WriteNumber(job.result, i, AddToOdd(a, sign * b));
  }
}

// Contracts f64, which has no wider shadow value: uses fma if an operand is itself a product.
void ContractF64(NoiseJob& job) {
  if (job.opcode() != Opcode::kAdd || job.type() != PrimitiveType::kF64) return;
  auto found = job.state.products.find(&job.instruction.operand(0));
  if (found == job.state.products.end() || !found->second.shape().IsTuple()) return;
  const std::vector<Literal>& factors = found->second.elements();
  for (int64_t i = 0; i < job.result.element_count(); ++i) {
    if (!job.rule.Allows(kContract) || !job.state.Once(2)) continue;
    WriteNumber(job.result, i,
                std::fma(ReadNumber(factors[0], i), ReadNumber(factors[1], i),
                         ReadNumber(job.operands[1], i)));
  }
}

// Returns true for an operation that may read the shadow values of its operands, and whose result
// gets a shadow value.
bool Rounds(const NoiseJob& job) {
  const Family family = RowOf(job.opcode()).family;
  const bool elementwise = family == Family::kElementwiseUnary ||
                           family == Family::kElementwiseBinary || job.opcode() == Opcode::kConvert;
  const bool inexact = job.rule.rule_class == RuleClass::kCorrectlyRounded ||
                       job.rule.rule_class == RuleClass::kUlp ||
                       (job.rule.rule_class == RuleClass::kExact && job.rule.Allows(kSkipRounding));
  if (!elementwise || !inexact || BitWidth(job.type()) > 32) return false;
  for (const Literal& operand : job.operands) {
    if (!IsRealFloat(operand) || operand.element_count() != job.result.element_count())
      return false;
  }
  return true;
}

bool ReadsUnrounded(const NoiseJob& job) {
  const bool widens =
      job.opcode() == Opcode::kConvert &&
      FormatOf(job.type()).mantissa_bits > FormatOf(job.operands[0].element_type()).mantissa_bits;
  return job.rule.Allows(kSkipRounding) || (widens && job.rule.Allows(kElideToWider));
}

// Draws operands with probability of about 1/2, and replaces half of the elements of each by their
// unrounded values. Returns true if any operand has unrounded values.
bool MixUnrounded(const NoiseJob& job, std::vector<Literal>& operands) {
  bool mixed = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Literal* value = ShadowValueOf(job.state.exact, job, static_cast<int64_t>(k));
    if (value == nullptr || job.state.Once(2)) continue;
    mixed = true;
    for (int64_t i = 0; i < value->element_count(); ++i) {
      if (job.state.Once(2)) operands[k].mutable_data<double>()[i] = value->data<double>()[i];
    }
  }
  // A comparison of a number with itself reads it the same way twice, rounded or not (lemma 30).
  const bool one_value = job.opcode() == Opcode::kCompare &&
                         &job.instruction.operand(0) == &job.instruction.operand(1);
  if (one_value) operands[1] = operands[0];
  return mixed;
}

// Computes the result from operands whose rounding is skipped, and keeps its shadow value.
void SkipRoundings(NoiseJob& job) {
  if (!Rounds(job)) return;
  std::vector<Literal> operands;
  for (const Literal& operand : job.operands) operands.push_back(Wide(operand));
  const bool mixed = ReadsUnrounded(job) && MixUnrounded(job, operands);
  std::optional<Literal> wide = Evaluate(job, std::move(operands));
  if (!wide) return;
  for (int64_t i = 0; mixed && i < job.result.element_count(); ++i) {
    WriteNumber(job.result, i, wide->data<double>()[i]);
  }
  job.state.exact[&job.instruction] = *std::move(wide);
}

// Lets comparisons and conversions to integers read unrounded values.
void ReadUnroundedOnce(NoiseJob& job) {
  const bool reads = job.opcode() == Opcode::kCompare || job.opcode() == Opcode::kConvert;
  const bool total = job.instruction.WordOr(Attr::kType, "") == "TOTALORDER";
  if (!reads || total || !job.rule.Allows(kSkipRounding) || !IsRealFloat(job.operands[0])) return;
  if (IsFloat(job.type()) || IsComplex(job.type())) return;
  std::vector<Literal> operands;
  for (const Literal& operand : job.operands) operands.push_back(Wide(operand));
  if (!MixUnrounded(job, operands)) return;
  if (auto result = Evaluate(job, std::move(operands), job.type())) job.result = *std::move(result);
}

void CopyShadowValue(ShadowValues& values, const Instruction& from, const Instruction& to) {
  auto found = values.find(&from);
  if (found == values.end()) {
    values.erase(&to);
  } else {
    Literal copy = found->second;
    values[&to] = std::move(copy);
  }
}

// Copies the shadow values of the called computation's root to the call. Erases those of the
// parameters, since other calls may use the same computation.
void TakeShadowValues(NoiseState& state, const Computation& body, const Instruction& call) {
  for (ShadowValues* values : {&state.products, &state.exact}) {
    CopyShadowValue(*values, *body.root(), call);
    for (const Instruction* parameter : body.parameters()) values->erase(parameter);
  }
}

void TrackProduct(NoiseJob& job) {
  if (job.type() == PrimitiveType::kF64) {
    job.state.products[&job.instruction] = Literal::Tuple({job.operands[0], job.operands[1]});
    return;
  }
  Literal product = Wide(job.operands[0]);
  for (int64_t i = 0; i < product.element_count(); ++i) {
    product.mutable_data<double>()[i] *= ReadNumber(job.operands[1], i);
  }
  job.state.products[&job.instruction] = std::move(product);
}

}  // namespace

void PassShadowValues(NoiseState& state, const Instruction& instruction) {
  const Computation* body = InlinedBody(instruction);
  if (body == nullptr) return;
  const std::vector<Instruction*> parameters = body->parameters();
  for (ShadowValues* values : {&state.products, &state.exact}) {
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      CopyShadowValue(*values, instruction.operand(k), *parameters[k]);
    }
  }
}

void UseShadowValues(NoiseJob& job) {
  if (job.opcode() == Opcode::kParameter) return;  // set by the caller
  if (const Computation* body = InlinedBody(job.instruction)) {
    return TakeShadowValues(job.state, *body, job.instruction);
  }
  job.state.products.erase(&job.instruction);
  job.state.exact.erase(&job.instruction);
  if (job.result.element_count() > kShadowElementsMax) return;
  ReadUnroundedOnce(job);
  if (!IsRealFloat(job.result)) return;
  SkipRoundings(job);
  Contract(job);
  ContractF64(job);
  if (IsMove(job.opcode()) && job.type() != PrimitiveType::kF64) {
    MoveShadowValues(job, job.state.products);
    MoveShadowValues(job, job.state.exact);
  } else if (job.opcode() == Opcode::kMultiply) {
    TrackProduct(job);
  }
}

}  // namespace hlocts::backends
