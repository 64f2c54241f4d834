// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts ops`: shows which parts of the program support each operation, and the
// rule by which its results are judged.
#include <cstdio>
#include <iostream>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "spec/accuracy/rules.h"
#include "spec/base/json_text.h"
#include "spec/ops/op_table.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/commands.h"
#include "tools/operations/consumers.h"

namespace hlocts::tools {
namespace {

struct OpsOptions {
  std::vector<std::string> opcodes;
  bool json = false, holes = false, rules = false;
};

// Prints the rule of each type, of types with equal rules together, then what the rules mean.
void PrintRules(const std::vector<Opcode>& opcodes) {
  std::map<absl::string_view, absl::string_view> meanings;
  for (Opcode opcode : opcodes) {
    for (Profile profile : kAllProfiles) {
      std::vector<std::pair<std::string, std::vector<std::string>>> types_of;  // by rule
      for (PrimitiveType type : AllPrimitiveTypes()) {
        const Rule rule = RuleFor(opcode, type, profile);
        if (rule.rule_class == RuleClass::kNone) continue;
        meanings[RuleClassName(rule.rule_class)] = RuleClassMeaning(rule.rule_class);
        const std::string text = RuleText(rule);
        auto same = absl::c_find_if(types_of, [&](const auto& one) { return one.first == text; });
        if (same == types_of.end()) same = types_of.insert(same, {text, {}});
        same->second.emplace_back(PrimitiveTypeName(type));
      }
      for (const auto& [rule, types] : types_of)
        std::cout << absl::StrFormat("%-14s %-8s %-18s %s\n", OpcodeName(opcode),
                                     ProfileName(profile), rule, absl::StrJoin(types, " "));
    }
  }
  std::cout << "The types are those of the first operand (of convert: also of the result). Rulings "
               "permit more, such as flushed subnormals (hlocts clauses 0072).\n";
  for (const auto& [name, meaning] : meanings)
    std::cout << absl::StrFormat("  %-18s %s\n", name, meaning);
}

void PrintJson(const std::vector<Opcode>& opcodes, const std::vector<Consumer>& consumers) {
  for (Opcode opcode : opcodes) {
    nlohmann::ordered_json line = {{"opcode", OpcodeName(opcode)},
                                   {"documented_as", RowOf(opcode).documented_as}};
    for (const Consumer& consumer : consumers) {
      const std::string reason(ReasonOf(opcode, consumer.name));
      const bool has = consumer.has[static_cast<size_t>(opcode)];
      line[std::string(consumer.name)] = {{"has", has}};
      if (!has) line[std::string(consumer.name)]["reason"] = reason;
    }
    std::cout << JsonText(line) << "\n";
  }
}

void PrintHoles(const std::vector<Opcode>& opcodes, const std::vector<Consumer>& consumers) {
  bool none = true;
  for (Opcode opcode : opcodes) {
    for (const Consumer& consumer : consumers) {
      if (consumer.has[static_cast<size_t>(opcode)]) continue;
      none = false;
      const std::string reason(ReasonOf(opcode, consumer.name));
      std::printf("%-26s %-10s %s\n", std::string(OpcodeName(opcode)).c_str(),
                  std::string(consumer.name).c_str(),
                  reason.empty() ? "no reason stated" : reason.c_str());
    }
  }
  if (none) std::printf("every component supports %s\n", opcodes.size() == 1 ? "it" : "them");
}

void PrintTable(const std::vector<Opcode>& opcodes, const std::vector<Consumer>& consumers) {
  std::printf("%-26s", "");
  for (const Consumer& consumer : consumers) std::printf(" %s", std::string(consumer.name).c_str());
  std::printf("\n");
  for (Opcode opcode : opcodes) {
    std::printf("%-26s", std::string(OpcodeName(opcode)).c_str());
    for (const Consumer& consumer : consumers) {
      const char* mark = consumer.has[static_cast<size_t>(opcode)] ? "x"
                         : ReasonOf(opcode, consumer.name).empty() ? "?"
                                                                   : "-";
      std::printf(" %-*s", static_cast<int>(consumer.name.size()), mark);
    }
    std::printf("\n");
  }
  std::printf("x: supported  -: not supported (--holes prints the reason)  ?: no reason\n");
}

absl::StatusOr<int> Ops(const OpsOptions& options) {
  std::vector<Opcode> opcodes;
  for (const std::string& name : options.opcodes) {
    const std::optional<Opcode> opcode = OpcodeFromName(name);
    if (!opcode.has_value()) return InvalidInput("unknown opcode ", name);
    opcodes.push_back(*opcode);
  }
  if (opcodes.empty()) opcodes.assign(AllOpcodes().begin(), AllOpcodes().end());
  if (options.rules && (options.json || options.holes))
    return InvalidInput("--rules: expected no --json and no --holes");
  if (options.rules) {
    PrintRules(opcodes);
    return kExitOk;
  }
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Consumer> consumers, AllConsumers(suites::HomeFolder()));
  if (options.json) {
    PrintJson(opcodes, consumers);
  } else if (options.holes) {
    PrintHoles(opcodes, consumers);
  } else {
    PrintTable(opcodes, consumers);
  }
  return kExitOk;
}

}  // namespace

Command OpsCommand() {
  return {"ops", "list the components that support each operation", [](Flags& flags) {
            auto options = std::make_shared<OpsOptions>();
            flags.Positional("OPCODE", &options->opcodes, "opcodes (default: all)");
            flags.Add("--holes", &options->holes, "list unsupported operations, with the reason");
            flags.Add("--rules", &options->rules,
                      "print the rule of accuracy for each type and profile");
            flags.Add("--json", &options->json, "print JSON lines");
            return [options] {
              auto status = Ops(*options);
              return status.ok() ? *status : Fail(status.status());
            };
          }};
}

}  // namespace hlocts::tools
