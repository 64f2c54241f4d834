// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/dot_precision.h"

#include <algorithm>

#include "spec/ir/instruction.h"
#include "spec/judge/bounds.h"

namespace hlocts::reference {
namespace {

using Constant = Bounds::Constant;

// Lemma. If operands are rounded with relative errors e_1 and e_2, their product is off by at most
// (e_1 + e_2 + e_1 e_2)|a||b|, which 1.05 (e_1 + e_2) covers. This also bounds a sum of such
// products, relative to sum |a||b|. Rounding to nearest has e = 2^-8 for bf16 and 2^-11 for f16.
// TF32 is often read by dropping 13 bits of an f32, with e = 2^-10: an algorithm permits that,
// while facts and the relaxed profile round to nearest, with e = 2^-11. Operands may be split into
// parts, a = a_1 + a_2 + .... For parts in bf16, |a_k+1| <= 2^-8 |a_k|, so the product of parts i
// and j is at most 2^(-8(i+j-2)) |a||b|. The following terms are omitted:
//   by three passes: the product (2, 2), and what remains of a and of b after two parts: 3 * 2^-16;
//   by six: (2, 3), (3, 2), what remains of each after three parts: 4 * 2^-24, and (3, 3): 2^-32;
//   by nine: what remains of each after three parts: 2 * 2^-24;
//   by three of TF32, which drops bits: 3 * 2^-20.
// A sum has one term for each pass of each product.
struct DotAlgorithm {
  absl::string_view name;
  Constant terms;             // the number of omitted or rounded terms of a product
  double unit;                // the size of one such term
  PrimitiveType operand;      // the type that operands or their parts are rounded to
  PrimitiveType accumulator;  // the type of partial sums
  int passes = 1;
};
using P = PrimitiveType;

// Covers the product of two relative errors in addition to their sum.
constexpr double kMargin = 1.05;

double ErrorOfReadings(const Bounds& bounds, Constant terms, double unit) {
  return kMargin * bounds.Of(terms) * unit;
}

// f32 represents every operand of 8 bits, so dot_any_f8_any_f8_f32 rounds none of them.
constexpr DotAlgorithm kAlgorithms[] = {
    {"dot_any_f8_any_f8_f32", Constant::kOneReading, 0, P::kF32, P::kF32},
    {"dot_f16_f16_f16", Constant::kOneReading, 0x1p-11, P::kF16, P::kF16},
    {"dot_f16_f16_f32", Constant::kOneReading, 0x1p-11, P::kF16, P::kF32},
    {"dot_bf16_bf16_bf16", Constant::kOneReading, 0x1p-8, P::kBF16, P::kBF16},
    {"dot_bf16_bf16_f32", Constant::kOneReading, 0x1p-8, P::kBF16, P::kF32},
    {"dot_bf16_bf16_f32_x3", Constant::kThreePassTerms, 0x1p-16, P::kBF16, P::kF32, 3},
    {"dot_bf16_bf16_f32_x6", Constant::kSixPassTerms, 0x1p-24, P::kBF16, P::kF32, 6},
    {"dot_bf16_bf16_f32_x9", Constant::kNinePassTerms, 0x1p-24, P::kBF16, P::kF32, 9},
    {"dot_tf32_tf32_f32", Constant::kOneReading, 0x1p-10, P::kBF16, P::kF32},
    {"dot_tf32_tf32_f32_x3", Constant::kThreePassTerms, 0x1p-20, P::kBF16, P::kF32, 3},
    {"dot_f32_f32_f32", Constant::kOneReading, 0x1p-24, P::kF32, P::kF32},
    {"dot_f64_f64_f64", Constant::kOneReading, 0, P::kF64, P::kF64},
};

const DotAlgorithm* AlgorithmOf(const Instruction& instruction) {
  const absl::string_view name = instruction.WordOr(Attr::kAlgorithm, "dot_unset");
  for (const DotAlgorithm& row : kAlgorithms) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Some hardware accumulates products of f8 in about 14 bits.
constexpr int kTensorCore = 14;

bool SumsInTensorCore(const Rule& rule, const FloatFacts& facts) {
  return rule.Allows(kNarrowSum) && facts.p <= 5;
}

// Returns true if `format` represents every value of `operand`, so nothing is rounded.
bool Holds(PrimitiveType format, const FloatFacts& operand) {
  const FloatFacts& facts = FactsOf(format);
  return facts.p >= operand.p && facts.max >= operand.max && facts.tiny <= operand.tiny;
}

WideningCause CauseOf(int passes) {
  return passes > 1 ? WideningCause::kParts : WideningCause::kReading;
}

SumRule RuleOfAlgorithm(const DotAlgorithm& algorithm, const Rule& rule, const FloatFacts& facts,
                        const Bounds& bounds) {
  SumRule sum;
  // The sets contain the exact sum, so they include engines that are more exact than required.
  sum.accumulator = &FactsOf(algorithm.accumulator);
  sum.precision = sum.accumulator->p;
  if (SumsInTensorCore(rule, facts)) sum.precision = std::min(sum.precision, kTensorCore);
  if (rule.Allows(kTruncate)) sum.factor = bounds.TruncatedUnits();
  sum.passes = algorithm.passes;
  if (!Holds(algorithm.operand, facts)) {
    sum.operand_error = ErrorOfReadings(bounds, algorithm.terms, algorithm.unit);
    sum.operand_format = &FactsOf(algorithm.operand);
    sum.operand_cause = CauseOf(algorithm.passes);
  }
  return sum;
}

// The permitted reading of one f32 operand: its relative error, and the number of terms per
// product.
struct OperandReading {
  double error = 0;
  int passes = 1;
  WideningCause cause = WideningCause::kReading;  // the cause of the error
};
OperandReading Wider(OperandReading a, const OperandReading& b) {
  return {std::max(a.error, b.error), std::max(a.passes, b.passes),
          b.error > a.error ? b.cause : a.cause};
}

// Passes and the terms of a product that they omit; half of the error belongs to each operand.
struct Passes {
  Constant terms;
  double unit;
  int passes;
  OperandReading Read(const Bounds& bounds) const {
    return {ErrorOfReadings(bounds, terms, unit) / 2, passes, CauseOf(passes)};
  }
};
constexpr Passes kTf32 = {Constant::kOneReading, 0x1p-11, 1};
constexpr Passes kOnePass = {Constant::kOneReading, 0x1p-8, 1};
constexpr Passes kThreePasses = {Constant::kThreePassTerms, 0x1p-16, 3};
constexpr Passes kSixPasses = {Constant::kSixPassTerms, 0x1p-24, 6};

// Returns the reading in the relaxed profile, which at every precision permits the passes of
// HIGHEST.
OperandReading ReadingOfRelaxed(const Bounds& bounds, absl::string_view precision) {
  const OperandReading six = kSixPasses.Read(bounds);
  if (precision == "highest") return six;
  return Wider((precision == "high" ? kTf32 : kOnePass).Read(bounds), six);
}

OperandReading ReadingOfFact(const Bounds& bounds, DotPasses declared,
                             absl::string_view precision) {
  const bool highest = precision == "highest";
  switch (declared) {
    case DotPasses::kFull:
      return {};
    case DotPasses::kTf32:
      return highest ? OperandReading() : kTf32.Read(bounds);
    case DotPasses::kBf16x3:
    case DotPasses::kBf16x1:
      if (highest) return kSixPasses.Read(bounds);
      return (precision == "high" || declared == DotPasses::kBf16x3 ? kThreePasses : kOnePass)
          .Read(bounds);
  }
  return {};
}

void AddOperandErrors(const Instruction& instruction, const Rule& rule, const TargetFacts& facts,
                      const Bounds& bounds, SumRule& sum) {
  const auto* precisions = instruction.Get<std::vector<std::string>>(Attr::kOperandPrecision);
  OperandReading widest;
  for (size_t i = 0; i < 2; ++i) {
    const bool given = precisions != nullptr && i < precisions->size();
    const absl::string_view precision = given ? absl::string_view((*precisions)[i]) : "default";
    OperandReading reading = ReadingOfFact(bounds, facts.dot_f32, precision);
    if (facts.dot_tf32)
      reading = Wider(reading, ReadingOfFact(bounds, DotPasses::kTf32, precision));
    if (rule.Allows(kSplitDot)) reading = Wider(reading, ReadingOfRelaxed(bounds, precision));
    sum.operand_error += reading.error;
    widest = Wider(widest, reading);
  }
  sum.passes = widest.passes;
  sum.operand_cause = widest.cause;
}

SumRule RuleOnOneDevice(SetInterpreter& interpreter, const Instruction& instruction,
                        const Rule& rule, PrimitiveType type) {
  const Bounds& bounds = *interpreter.options().bounds;
  const FloatFacts& facts = FactsOf(ComponentType(type));
  if (const DotAlgorithm* algorithm = AlgorithmOf(instruction)) {
    return RuleOfAlgorithm(*algorithm, rule, facts, bounds);
  }
  SumRule sum;
  sum.likely = interpreter.options().likely;
  bool wide = facts.p > 24;
  sum.accumulator = wide ? &facts : &FactsOf(PrimitiveType::kF32);
  sum.precision = sum.accumulator->p;
  const TargetFacts& declared = interpreter.options().facts;
  const bool sixteen = facts.p > 5 && facts.p <= 11;
  if (SumsInTensorCore(rule, facts)) sum.precision = kTensorCore;
  // The result's type is the recommended accumulator (ruling 0112). In the relaxed profile, a
  // 16-bit operand type may be the accumulator, too. An accumulator's type must have a zero.
  const bool by_operands = sixteen && interpreter.profile() == Profile::kRelaxed;
  const FloatFacts& kept =
      by_operands ? facts : FactsOf(ComponentType(instruction.shape().element_type()));
  const bool own = rule.Allows(kOwnSum) && kept.p > 1 && kept.p <= 11 && !declared.dot_f32_sums;
  if (own) sum.precision = kept.p;
  if (own) sum.accumulator = &kept;
  // Matrix units truncate wider accumulators; roundings to the accumulator's type cover that.
  if (rule.Allows(kTruncate) && sum.likely == 0 && !own) sum.factor = bounds.TruncatedUnits();
  sum.height = declared.dot_height;
  const bool grants = interpreter.profile() != Profile::kStrict;
  if (grants && sixteen && declared.dot_partials) {
    sum.partials = static_cast<double>(*declared.dot_partials);
    sum.partial = &facts;
  }
  if (facts.p == 24) {
    AddOperandErrors(instruction, rule, grants ? declared : TargetFacts(), bounds, sum);
    sum.operand_format = &FactsOf(PrimitiveType::kBF16);
  }
  return sum;
}

}  // namespace

SumRule ContractionSumRule(SetInterpreter& interpreter, const Instruction& instruction,
                           const Rule& rule, PrimitiveType type) {
  SumRule sum = RuleOnOneDevice(interpreter, instruction, rule, type);
  AddDeviceParts(interpreter.sum_devices(),
                 FactsOf(ComponentType(instruction.shape().element_type())), sum);
  return sum;
}

}  // namespace hlocts::reference
