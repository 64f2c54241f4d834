// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/faults/fault_family.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

constexpr absl::string_view kForgetsRule = "infer.forgets-rule/";

std::vector<absl::Span<const FaultFamily>> Tables() {
  return {OperandFamilies(), ResultFamilies(), AttributeFamilies(), RefusalFamilies()};
}

std::optional<Fault> SkipsRuleFault(absl::string_view id, absl::string_view rule) {
  if (rule.empty()) return std::nullopt;
  Fault fault{std::string(id), FaultClass::kInference, absl::StrCat("does not check ", rule)};
  fault.skipped_rule = std::string(rule);
  fault.skips_single_rule = true;
  return fault;
}

}  // namespace

std::vector<int64_t> NumbersOfParameter(const std::string& parameter, size_t count) {
  std::vector<int64_t> numbers;
  for (absl::string_view word : absl::StrSplit(parameter, '-')) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(word, &number) || number < 0) return {};
    numbers.push_back(number);
  }
  return numbers.size() == count ? numbers : std::vector<int64_t>();
}

std::optional<Fault> MakeFamilyFault(absl::string_view id) {
  absl::string_view rest = id;
  if (absl::ConsumePrefix(&rest, kForgetsRule)) return SkipsRuleFault(id, rest);
  std::vector<std::string> parts = absl::StrSplit(id, absl::MaxSplits('/', 2));
  if (parts.size() < 2) return std::nullopt;
  std::optional<Opcode> opcode = OpcodeFromName(parts[0]);
  const std::string parameter = parts.size() == 3 ? parts[2] : "";
  if (!opcode) return std::nullopt;
  for (absl::Span<const FaultFamily> table : Tables()) {
    for (const FaultFamily& family : table) {
      if (family.name != parts[1]) continue;
      Fault fault{std::string(id),
                  family.fault_class,
                  absl::StrCat(family.what, parameter.empty() ? "" : ": ", parameter),
                  {*opcode}};
      if (!family.plant(parameter, fault)) return std::nullopt;
      return fault;
    }
  }
  return std::nullopt;
}

void AddFamilyFaults(const Module& module, const std::set<Opcode>& opcodes,
                     std::set<std::string>& ids) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!opcodes.count(instruction->opcode())) continue;
      for (absl::Span<const FaultFamily> table : Tables()) {
        for (const FaultFamily& family : table) {
          for (const std::string& parameter : family.parameters(*instruction)) {
            ids.insert(absl::StrCat(OpcodeName(instruction->opcode()), "/", family.name,
                                    parameter.empty() ? "" : "/", parameter));
          }
        }
      }
    }
  }
}

}  // namespace hlocts::backends
