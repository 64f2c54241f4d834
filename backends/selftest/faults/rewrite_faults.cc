// SPDX-License-Identifier: Apache-2.0
// Faulty simplifications, which are correct for real numbers or almost correct (as in
// openxla/xla#42732, #48186, #41605, #19038, tensorflow/tensorflow#123169).
#include <cmath>

#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

// Makes every user of `from` read `to`.
void Replace(Instruction& from, Instruction& to) {
  Computation& computation = *from.parent();
  for (const auto& user : computation.instructions()) {
    for (Instruction*& operand : user->mutable_operands()) {
      if (operand == &from) operand = &to;
    }
  }
  if (computation.root() == &from) computation.set_root(&to);
}

// Replaces f(g(x)) by x.
void RemoveInverses(Module& module, Opcode outer, Opcode inner) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != outer || instruction->operand_count() == 0) continue;
      Instruction* operand = instruction->operands()[0];
      if (operand->opcode() != inner) continue;
      Instruction* source = operand->operands()[0];
      if (source->shape().CompatibleWith(instruction->shape())) Replace(*instruction, *source);
    }
  }
}

bool RootOfSquareIsAbs(Instruction& root) {
  const Instruction& square = root.operand(0);
  if (square.opcode() != Opcode::kMultiply || &square.operand(0) != &square.operand(1))
    return false;
  root.set_opcode(Opcode::kAbs);
  root.mutable_operands() = {square.operands()[0]};
  return true;
}

// Computes exp(a) * exp(b) as exp(a + b). Only the product's value changes; the factors stay.
void ProductOfExponentials(FaultSite& site) {
  const Instruction &a = site.instruction.operand(0), &b = site.instruction.operand(1);
  if (a.opcode() != Opcode::kExponential || b.opcode() != Opcode::kExponential) return;
  Literal& result = *site.result;
  if (!IsRealFloat(result)) return;
  auto x = site.memory.values.find(&a), y = site.memory.values.find(&b);
  if (x == site.memory.values.end() || y == site.memory.values.end()) return;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    double sum =
        RoundTo(result.element_type(), ReadNumber(x->second, i) + ReadNumber(y->second, i));
    WriteNumber(result, i, std::exp(sum));
  }
}
void RememberArgument(FaultSite& site) {
  if (site.opcode() == Opcode::kExponential) {
    site.memory.values[&site.instruction] = site.operands[0];
  } else {
    ProductOfExponentials(site);
  }
}

bool SameOperands(const FaultSite& site) {
  return &site.instruction.operand(0) == &site.instruction.operand(1);
}
void Fill(Literal& result, double value) {
  for (int64_t i = 0; i < result.element_count(); ++i) WriteNumber(result, i, value);
}
void DifferenceOfSameIsZero(FaultSite& site) {
  if (SameOperands(site)) *site.result = Literal(site.result->shape());
}
void QuotientOfSameIsOne(FaultSite& site) {
  if (SameOperands(site) && IsRealFloat(*site.result)) Fill(*site.result, 1);
}
void SameIsEqual(FaultSite& site) {
  absl::string_view direction = site.instruction.WordOr(Attr::kDirection, "");
  if (SameOperands(site)) {
    Fill(*site.result, direction == "EQ" || direction == "LE" || direction == "GE");
  }
}

// Returns true for a constant zero, broadcast or not.
bool IsConstantZero(const Instruction& instruction) {
  const Instruction* source = &instruction;
  if (source->opcode() == Opcode::kBroadcast) source = &source->operand(0);
  if (!source->IsConstant() || !source->has_literal()) return false;
  const Literal& literal = source->literal();
  if (!IsArrayType(literal.element_type())) return false;
  for (int64_t i = 0; i < NumberCount(literal); ++i) {
    if (ReadNumber(literal, i) != 0) return false;
  }
  return true;
}
void ProductWithZeroIsZero(FaultSite& site) {
  if (IsConstantZero(site.instruction.operand(0)) || IsConstantZero(site.instruction.operand(1))) {
    *site.result = Literal(site.result->shape());
  }
}

// Rewrites (a + b) + c as a + (b + c).
void Reassociate(FaultSite& site) {
  Literal& result = *site.result;
  if (!IsRealFloat(result)) return;
  const Instruction& inner = site.instruction.operand(0);
  site.memory.values[&site.instruction] = Literal::Tuple({site.operands[0], site.operands[1]});
  auto known = site.memory.values.find(&inner);
  if (inner.opcode() != Opcode::kAdd || known == site.memory.values.end()) return;
  const Literal &a = known->second.elements()[0], &b = known->second.elements()[1];
  PrimitiveType type = result.element_type();
  for (int64_t i = 0; i < result.element_count(); ++i) {
    double sum = RoundTo(type, ReadNumber(b, i) + ReadNumber(site.operands[1], i));
    WriteNumber(result, i, ReadNumber(a, i) + sum);
  }
}

// Computes x to the power of one half as a square root, which differs at -inf and -0.
void HalfPowerIsRoot(FaultSite& site) {
  if (!IsRealFloat(*site.result)) return;
  for (int64_t i = 0; i < site.result->element_count(); ++i) {
    if (ReadNumber(site.operands[1], i) != 0.5) continue;
    WriteNumber(*site.result, i, std::sqrt(ReadNumber(site.operands[0], i)));
  }
}

// Removes a convert to another type and back. With `through_integer`, the other type is an integer
// or pred, otherwise a float.
void RemoveRoundTrips(Module& module, bool through_integer) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kConvert) continue;
      Instruction* between = instruction->operands()[0];
      if (between->opcode() != Opcode::kConvert) continue;
      PrimitiveType middle = between->shape().element_type();
      if ((IsInteger(middle) || middle == PrimitiveType::kPred) != through_integer) continue;
      Instruction* source = between->operands()[0];
      // A permission allows removing f32 -> bf16 -> f32, but not integer -> float -> integer.
      if (!through_integer && !IsInteger(source->shape().element_type())) continue;
      if (source->shape().CompatibleWith(instruction->shape())) Replace(*instruction, *source);
    }
  }
}

void PrecisionKept(FaultSite& site) { *site.result = site.operands[0]; }

struct Pair {
  const char* id;
  Opcode outer, inner;
  const char* what;
};
constexpr Pair kInverses[] = {
    {"log.of-exponential-is-argument", Opcode::kLog, Opcode::kExponential, "log(exp(x)) is x"},
    {"exponential.of-log-is-argument", Opcode::kExponential, Opcode::kLog, "exp(log(x)) is x"},
    {"transpose.of-transpose-is-nothing", Opcode::kTranspose, Opcode::kTranspose,
     "two transposes cancel, whatever their permutations"},
    {"reverse.of-reverse-is-nothing", Opcode::kReverse, Opcode::kReverse,
     "two reversals cancel, whatever their dimensions"},
    {"slice.of-pad-is-operand", Opcode::kSlice, Opcode::kPad,
     "a slice of a pad to the old size is the operand"},
    {"sort.of-sort-is-operand", Opcode::kSort, Opcode::kSort, "sorted already"},
};

struct RewriteRow {
  const char* id;
  Opcode opcode;
  const char* what;
  void (*site)(FaultSite&);
};
constexpr RewriteRow kRewriteRows[] = {
    {"subtract.of-same-is-zero", Opcode::kSubtract, "x - x is 0, also for infinities",
     DifferenceOfSameIsZero},
    {"divide.of-same-is-one", Opcode::kDivide, "x / x is 1, also for zeros", QuotientOfSameIsOne},
    {"compare.same-is-equal", Opcode::kCompare, "x == x, of NaN too", SameIsEqual},
    {"multiply.by-zero-is-zero", Opcode::kMultiply, "x * 0 is 0, also for infinities",
     ProductWithZeroIsZero},
    {"add.reassociated", Opcode::kAdd, "(a + b) + c as a + (b + c)", Reassociate},
    {"power.half-is-root", Opcode::kPower, "x to the 1/2 as a root, also for -inf and -0",
     HalfPowerIsRoot},
    {"reduce-precision.removed", Opcode::kReducePrecision, "treated as a hint", PrecisionKept},
};

}  // namespace

void AddRewriteFaults(std::vector<Fault>& faults) {
  constexpr FaultClass kClass = FaultClass::kRewrite;
  for (const Pair& pair : kInverses) {
    faults.push_back(RewriteFault(pair.id, kClass, pair.outer, pair.what, [pair](Module& module) {
      RemoveInverses(module, pair.outer, pair.inner);
    }));
  }
  for (const RewriteRow& row : kRewriteRows) {
    faults.push_back(AfterFault(row.id, kClass, row.opcode, row.what, row.site));
  }
  faults.push_back(ModuleEditFault("sqrt.of-square-is-abs", kClass, Opcode::kSqrt,
                                   "sqrt(x * x) is abs(x), also for large x", RootOfSquareIsAbs));
  Fault product{"multiply.of-exponentials",
                kClass,
                "exp(a) * exp(b) is exp(a + b)",
                {Opcode::kExponential, Opcode::kMultiply}};
  product.after = RememberArgument;
  faults.push_back(std::move(product));
  faults.push_back(RewriteFault("convert.round-trip-through-integer", kClass, Opcode::kConvert,
                                "float to integer and back is folded to a no-op",
                                [](Module& module) { RemoveRoundTrips(module, true); }));
  faults.push_back(RewriteFault("convert.round-trip-through-float", kClass, Opcode::kConvert,
                                "integer to float and back is folded to a no-op",
                                [](Module& module) { RemoveRoundTrips(module, false); }));
}

}  // namespace hlocts::backends
