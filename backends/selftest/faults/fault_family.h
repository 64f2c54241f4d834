// SPDX-License-Identifier: Apache-2.0
// Families of faults, whose members differ in a parameter. A family changes one property of one
// opcode's instructions: e.g. operand 2 is read as zeros, window.0.stride is read as one more, or
// f8 results are rejected. suites/clause_mutants.txt names, for every tested sentence of the
// documents, a fault that a case of the sentence detects. Members are found by name. They are not
// part of AllFaults, whose members represent bugs of real compilers.
//
// An id is OPCODE/FAMILY/PARAMETER, e.g. "pad/attribute-more/padding.0.low". The families are the
// rows of *_families.cc. The fault infer.forgets-rule/RULE omits RULE from the verifier.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/selftest/faults/fault.h"

namespace hlocts::backends {

struct FaultFamily {
  absl::string_view name;
  FaultClass fault_class;
  absl::string_view what;  // the description, to which the parameter is appended
  // The parameters with which a fault could affect this instruction.
  std::vector<std::string> (*parameters)(const Instruction& instruction);
  // Makes the fault; returns false if there is no such parameter.
  bool (*plant)(const std::string& parameter, Fault& fault);
};

absl::Span<const FaultFamily> OperandFamilies();
absl::Span<const FaultFamily> ResultFamilies();
absl::Span<const FaultFamily> AttributeFamilies();
absl::Span<const FaultFamily> RefusalFamilies();

// Returns the fault with a given id; nullopt unless it names an opcode, a family and a parameter.
std::optional<Fault> MakeFamilyFault(absl::string_view id);

// Adds the ids of faults that could affect an instruction of one of the opcodes in this module.
void AddFamilyFaults(const Module& module, const std::set<Opcode>& opcodes,
                     std::set<std::string>& ids);

// Parses "3" or "0-1" as `count` numbers; returns none if the text has another form.
std::vector<int64_t> NumbersOfParameter(const std::string& parameter, size_t count);

}  // namespace hlocts::backends
