// SPDX-License-Identifier: Apache-2.0
// Faults as rows with parameters: a family changes one thing of one opcode's instructions (operand
// 2 is read as zeros, window.0.stride is read one higher, f8 results are refused). Every sentence
// of the documents is shown to be tested by one of these, or by a fault of the tables of bugs: see
// suites/clause_mutants.txt. They are found by name and not part of AllFaults, whose kill rate
// represents bugs of real compilers.
//
// An id is OPCODE/FAMILY/PARAMETER, "pad/attribute-more/padding.0.low"; the families are the rows
// of *_families.cc. infer.forgets-rule/RULE is the verifier that forgets exactly that rule.
#ifndef HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_FAMILY_H_
#define HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_FAMILY_H_

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
  absl::string_view what;  // the parameter is appended
  // Parameters with which it could affect this instruction.
  std::vector<std::string> (*parameters)(const Instruction& instruction);
  // false: no such parameter.
  bool (*plant)(const std::string& parameter, Fault& fault);
};

absl::Span<const FaultFamily> OperandFamilies();
absl::Span<const FaultFamily> ResultFamilies();
absl::Span<const FaultFamily> AttributeFamilies();
absl::Span<const FaultFamily> RefusalFamilies();

// The fault of such an id; nullopt when it names no opcode, family or parameter.
std::optional<Fault> MakeFamilyFault(absl::string_view id);

// Ids that could affect an instruction of one of the opcodes in this module.
void AddFamilyFaults(const Module& module, const std::set<Opcode>& opcodes,
                     std::set<std::string>& ids);

// "3" or "0-1" as numbers from 0; nothing when it is neither.
std::vector<int64_t> NumbersOfParameter(const std::string& parameter, size_t count);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_FAMILY_H_
