// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/failure_traits.h"

#include <cmath>

#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/infer_again.h"
#include "fuzz/triage/retype.h"
#include "fuzz/triage/simplifications.h"
#include "generators/value_facts.h"
#include "spec/infer/verifier.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"
#include "spec/judge/joint.h"
#include "spec/ops/groups.h"

namespace hlocts::fuzz {
namespace {

using Needs = std::set<std::string>;

void AddValue(PrimitiveType type, double value, bool indexes, Needs& needs) {
  if (std::isnan(value)) {
    needs.insert("nan");
  } else if (std::isinf(value)) {
    needs.insert("inf");
  } else if (value == 0) {
    if (std::signbit(value)) needs.insert("-0");
  } else if (IsFloat(type) && std::abs(value) < FormatOf(type).min_normal()) {
    needs.insert("subnormal");
  } else if (IsInteger(type) && value < 0) {
    if (value == generators::WholeRange(type).low) {
      needs.insert("least");
    } else if (indexes) {
      needs.insert("negative");
    }
  }
}

void AddValues(const Literal& literal, bool indexes, Needs& needs) {
  if (!literal.shape().IsArray() || literal.element_count() > kSimplifiedMax) return;
  const PrimitiveType type = ComponentType(literal.element_type());
  if (!IsFloat(type) && !IsInteger(type)) return;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    AddValue(type, RealAt(literal, i), indexes, needs);
    if (IsComplex(literal.element_type())) AddValue(type, RealAt(literal, i, 1), indexes, needs);
  }
}

const char* NameOf(PrimitiveType type) {
  if (IsComplex(type)) return "complex";
  if (BitWidth(type) < 8) return "packed";
  if (BitWidth(type) < 32) return "narrow";
  return IsUnsigned(type) ? "unsigned" : "wide";
}

// Returns true if the edit applies and the module stays valid. The shrinker then tried it in vain.
bool IsNeeded(const SimplifyingEdit& edit, const Module& module, size_t computation, size_t index) {
  const std::unique_ptr<Module> copy = module.Clone();
  copy->entry_computation_layout.reset();
  return edit.run(*copy->computations()[computation]->instructions()[index]) && InferAgain(*copy) &&
         VerifyModule(*copy).ok();
}

void AddAttributes(const Module& module, Needs& needs) {
  for (size_t c = 0; c < module.computations().size(); ++c) {
    for (size_t i = 0; i < module.computations()[c]->instructions().size(); ++i) {
      for (const SimplifyingEdit& edit : SimplifyingEdits())
        if (IsNeeded(edit, module, c, i)) needs.insert(edit.name);
    }
  }
}

bool HasSameShapeCallees(const Module& module) {
  const auto& computations = module.computations();
  for (size_t i = 0; i < computations.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      bool entry =
          computations[i].get() == module.entry() || computations[j].get() == module.entry();
      if (!entry && HaveSameSignature(*computations[i], *computations[j])) return true;
    }
  }
  return false;
}

// Returns true if an operation with several results uses one array for two operands.
bool TakesOneTwice(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (!instruction.shape().IsTuple() || ops::IsPacking(opcode) ||
      RowOf(opcode).family == Family::kControlFlow)
    return false;
  const std::vector<Instruction*>& operands = instruction.operands();
  return std::set<const Instruction*>(operands.begin(), operands.end()).size() < operands.size();
}

}  // namespace

FailureTraits FailureTraitsOf(const Sample& shrunk) {
  FailureTraits remains = {CountElements(*shrunk.module), HasSameShapeCallees(*shrunk.module)};
  // For an invalid module, the broken rule is a sufficient description.
  if (shrunk.module->entry() == nullptr || !VerifyModule(*shrunk.module).ok()) return remains;
  Needs& needs = remains.needs;
  for (PrimitiveType type : NeededTypes(shrunk)) needs.insert(NameOf(type));
  AddAttributes(*shrunk.module, needs);
  if (HasLayouts(*shrunk.module)) needs.insert("layout");
  if (AnyPermutations(*shrunk.module)) needs.insert("permutation");
  for (const auto& computation : shrunk.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->has_literal())
        AddValues(instruction->literal(), OnlyIndexes(*instruction), needs);
      if (TakesOneTwice(*instruction)) needs.insert("twice");
    }
  }
  const std::vector<Instruction*> parameters = shrunk.module->entry()->parameters();
  for (size_t i = 0; i < shrunk.arguments.size(); ++i) {
    bool indexes = parameters.size() == shrunk.arguments.size() && OnlyIndexes(*parameters[i]);
    AddValues(shrunk.arguments[i], indexes, needs);
  }
  return remains;
}

FailureTraits FailureTraitsOf(const Sample& shrunk, const TrialResult& result) {
  FailureTraits remains = FailureTraitsOf(shrunk);
  if (result.slight) remains.needs.insert("slight");
  if (FailureSignatureOf(result.verdict).only_nan) remains.needs.insert("only-nan");
  return remains;
}

}  // namespace hlocts::fuzz
