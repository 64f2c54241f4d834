// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/dot_precision.h"

#include <algorithm>
#include <cmath>

namespace hlocts::reference {
namespace {

// Lemma. A product of operands that are rounded with relative errors e_1 and e_2 is off by at most
// (e_1 + e_2 + e_1 e_2)|a||b|, for which 1.05 (e_1 + e_2) has room; so is any sum of such products,
// of sum |a||b|. Rounded to nearest, bf16 has e = 2^-8 and f16 2^-11; TF32 is often read by leaving
// out 13 bits of an f32, 2^-10.
// Operands split into parts, a = a_1 + a_2 + ...: with parts of bf16 |a_k+1| <= 2^-8 |a_k|, so that
// the product of parts i and j is at most 2^-8(i+j-2) |a||b|. Missing are
//   of three passes the product (2, 2) and what two parts leave of a and of b: 3 2^-16;
//   of six (2, 3), (3, 2) and what three parts leave of each: 4 2^-24, and (3, 3), its 2^-10th;
//   of nine what three parts leave of each: 2 2^-24;
//   of three passes of TF32, by leaving bits out, 3 2^-20.
// The sums then have as many terms for each product as there are passes.
struct DotAlgorithm {
  absl::string_view name;
  double operand_error;       // of a product
  PrimitiveType operand;      // what operands or their parts are rounded to
  PrimitiveType accumulator;  // what sums are kept in
  int passes = 1;
};
constexpr double kRoom = 1.05;
using P = PrimitiveType;
constexpr DotAlgorithm kAlgorithms[] = {
    {"dot_f16_f16_f16", kRoom * 2 * 0x1p-11, P::kF16, P::kF16},
    {"dot_f16_f16_f32", kRoom * 2 * 0x1p-11, P::kF16, P::kF32},
    {"dot_bf16_bf16_bf16", kRoom * 2 * 0x1p-8, P::kBF16, P::kBF16},
    {"dot_bf16_bf16_f32", kRoom * 2 * 0x1p-8, P::kBF16, P::kF32},
    {"dot_bf16_bf16_f32_x3", kRoom * 3 * 0x1p-16, P::kBF16, P::kF32, 3},
    {"dot_bf16_bf16_f32_x6", kRoom * 4 * 0x1p-24, P::kBF16, P::kF32, 6},
    {"dot_bf16_bf16_f32_x9", kRoom * 2 * 0x1p-24, P::kBF16, P::kF32, 9},
    {"dot_tf32_tf32_f32", kRoom * 2 * 0x1p-10, P::kBF16, P::kF32},
    {"dot_tf32_tf32_f32_x3", kRoom * 3 * 0x1p-20, P::kBF16, P::kF32, 3},
    {"dot_f32_f32_f32", kRoom * 2 * 0x1p-24, P::kF32, P::kF32},
    {"dot_f64_f64_f64", 0, P::kF64, P::kF64},
};

const DotAlgorithm* AlgorithmOf(const Instruction& instruction) {
  const absl::string_view name = instruction.WordOr(Attr::kAlgorithm, "dot_unset");
  for (const DotAlgorithm& row : kAlgorithms) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Operands that the format of the algorithm has already are not rounded.
bool Holds(PrimitiveType format, const FloatFacts& operand) {
  const FloatFacts& facts = FactsOf(format);
  return facts.p >= operand.p && facts.max >= operand.max && facts.tiny <= operand.tiny;
}

SumRule RuleOfAlgorithm(const DotAlgorithm& algorithm, const Rule& rule, const FloatFacts& facts) {
  SumRule sum;
  // The bounds are two-sided: an engine that is more exact than it was told is within them.
  sum.accumulator = &FactsOf(algorithm.accumulator);
  sum.precision = sum.accumulator->p;
  if (rule.Allows(kTruncate)) sum.factor = 2;
  sum.passes = algorithm.passes;
  if (!Holds(algorithm.operand, facts)) {
    sum.operand_error = algorithm.operand_error;
    sum.operand_format = &FactsOf(algorithm.operand);
  }
  // A single product is rounded to a narrow accumulator too.
  if (sum.precision < 24) sum.operand_error += std::ldexp(1.0, -sum.precision);
  return sum;
}

// The relative error that the profile or a fact grants to operands of f32 at each precision.
double OperandError(absl::string_view precision, const Rule& rule, bool tf32) {
  double error = 0;
  if (rule.Allows(kSplitDot)) {
    // In passes of bf16: six; three, or one of TF32; one.
    error =
        precision == "highest" ? kRoom * 0x1p-23 : kRoom * (precision == "high" ? 0x1p-11 : 0x1p-8);
  }
  if (tf32 && precision != "highest") error = std::max(error, kRoom * 0x1p-11);
  return error;
}

double OperandErrors(const Instruction& instruction, const Rule& rule, bool tf32) {
  const auto* precisions = instruction.Get<std::vector<std::string>>(Attr::kOperandPrecision);
  double errors = 0;
  for (size_t i = 0; i < 2; ++i) {
    const bool given = precisions != nullptr && i < precisions->size();
    errors += OperandError(given ? absl::string_view((*precisions)[i]) : "default", rule, tf32);
  }
  return errors;
}

}  // namespace

SumRule ContractionSumRule(SetInterpreter& interpreter, const Instruction& instruction,
                           const Rule& rule, PrimitiveType type) {
  const FloatFacts& facts = FactsOf(ComponentType(type));
  if (const DotAlgorithm* algorithm = AlgorithmOf(instruction)) {
    return RuleOfAlgorithm(*algorithm, rule, facts);
  }
  SumRule sum;
  sum.likely = interpreter.options().likely;
  bool wide = facts.p > 24;
  sum.accumulator = wide ? &facts : &FactsOf(PrimitiveType::kF32);
  sum.precision = sum.accumulator->p;
  if (rule.Allows(kNarrowSum)) {
    // f8 accumulates in about 14 bits on some hardware; relaxed lets any 16-bit type do its own.
    sum.precision = facts.p <= 5 ? 14 : std::min(sum.precision, std::max(facts.p, 8));
    if (interpreter.profile() == Profile::kRelaxed && facts.p <= 11) sum.accumulator = &facts;
    if (facts.p <= 5) sum.accumulator = &FactsOf(PrimitiveType::kF32);
  }
  if (rule.Allows(kTruncate)) sum.factor = 2;
  if (facts.p == 24) {
    sum.operand_error = OperandErrors(instruction, rule, interpreter.options().facts.dot_tf32);
    sum.operand_format = &FactsOf(PrimitiveType::kBF16);
  }
  return sum;
}

}  // namespace hlocts::reference
