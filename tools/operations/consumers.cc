// SPDX-License-Identifier: Apache-2.0
#include "tools/operations/consumers.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/adapters/pjrt/pjrt_api.h"
#include "backends/engine_list.h"
#include "backends/selftest/faults/fault.h"
#include "generators/op_generators.h"
#include "reference/elementwise.h"
#include "reference/judge/interpreter/handlers.h"
#include "spec/base/status.h"
#include "spec/clauses/of_opcodes.h"
#include "spec/infer/infer.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_facts.h"
#include "spec/ops/op_table.h"
#include "suites/case.h"

namespace hlocts::tools {
namespace {

template <typename Has>
OpcodeSet Where(const Has& has) {
  OpcodeSet set;
  for (Opcode opcode : AllOpcodes()) set[static_cast<size_t>(opcode)] = has(opcode);
  return set;
}

OpcodeSet Listed(std::initializer_list<Opcode> opcodes) {
  OpcodeSet set;
  for (Opcode opcode : opcodes) set.set(static_cast<size_t>(opcode));
  return set;
}

OpcodeSet Evaluated() {
  const OpcodeSet rows = Listed({
#define HLOCTS_EVALUATOR(Name, function) Opcode::k##Name,
#define HLOCTS_DYNAMIC_EVALUATOR(Name, function) Opcode::k##Name,
#include "reference/evaluators.def"
#undef HLOCTS_EVALUATOR
#undef HLOCTS_DYNAMIC_EVALUATOR
  });
  // Operations that only connect values have their own steps in the plan.
  return rows | Where([](Opcode opcode) {
           return reference::IsElementwise(opcode) ||
                  FactsOf(opcode).Has(trait::kForwardsOperand0) ||
                  ops::IsOneOf(opcode, {Opcode::kParameter, Opcode::kConstant, Opcode::kTuple,
                                        Opcode::kGetTupleElement});
         });
}

OpcodeSet Judged() {
  const OpcodeSet rows = Listed({
#define HLOCTS_SET_HANDLER(Name, ...) Opcode::k##Name,
#include "reference/judge/interpreter/set_handlers.def"
#undef HLOCTS_SET_HANDLER
  });
  // The interpreter itself handles computations, devices and their synchronisation.
  return rows | Where([](Opcode opcode) {
           return reference::IsElementwiseSetOpcode(opcode) || ops::IsCaller(opcode) ||
                  ops::CollectiveOf(opcode).has_value() ||
                  ops::IsOneOf(opcode, {Opcode::kParameter, Opcode::kAsyncStart,
                                        Opcode::kAsyncUpdate, Opcode::kAsyncDone});
         });
}

OpcodeSet Generated() {
  return Where([](Opcode opcode) {
    if (RowOf(opcode).weight == 0) return false;
    return generators::OpGeneratorOf(opcode) != nullptr ||
           ops::IsOneOf(opcode, {Opcode::kParameter, Opcode::kConstant,
                                 Opcode::kGetTupleElement});  // the writer emits these itself
  });
}

OpcodeSet Faulty() {
  OpcodeSet set;
  for (const backends::Fault& fault : backends::AllFaults()) {
    for (Opcode opcode : fault.opcodes) set.set(static_cast<size_t>(opcode));
  }
  return set;
}

OpcodeSet InCases(const std::vector<suites::Case>& cases) {
  std::string modules;
  for (const suites::Case& one : cases) modules += one.module_text;
  return Where([&](Opcode opcode) {
    return absl::StrContains(modules, absl::StrCat(" ", OpcodeName(opcode), "("));
  });
}

OpcodeSet InClauses(const ClausesOfOpcodes& clauses) {
  OpcodeSet set;
  for (const auto& [name, ids] : clauses) {
    const std::optional<Opcode> opcode =
        OpcodeFromName(std::string(name.substr(0, name.find(':'))));
    if (opcode.has_value()) set.set(static_cast<size_t>(*opcode));
  }
  return set;
}

// Returns the opcodes that a plugin of this project declares; nullopt if it is not built.
std::optional<OpcodeSet> OfPlugin(absl::string_view engine) {
  const auto path = backends::PluginOf(engine);
  if (!path.ok()) return std::nullopt;
  const auto api = backends::PjrtApi::Load(*path);
  if (!api.ok() || (*api)->extension() == nullptr) return std::nullopt;
  OpcodeSet set;
  for (const absl::string_view name : absl::StrSplit((*api)->extension()->opcodes, ' ')) {
    if (const auto opcode = OpcodeFromName(name)) set.set(static_cast<size_t>(*opcode));
  }
  return set;
}

constexpr std::pair<absl::string_view, absl::string_view> kEngines[] = {
    {"cpu", "the CPU engine executes it"},
    {"cuda", "the CUDA engine executes it"},
};

constexpr Exemption kExemptions[] = {
#define HLOCTS_EXEMPT(Name, consumers, reason) {Opcode::k##Name, consumers, reason},
#include "spec/ops/exempt.def"
};

struct UndocumentedExemption {
  absl::string_view consumers, reason;
};
constexpr UndocumentedExemption kUndocumented[] = {
#define HLOCTS_EXEMPT_UNDOCUMENTED(consumers, reason) {consumers, reason},
#include "spec/ops/exempt.def"
};

bool NamesConsumer(absl::string_view consumers, absl::string_view consumer) {
  const std::vector<absl::string_view> names = absl::StrSplit(consumers, ' ');
  return std::find(names.begin(), names.end(), consumer) != names.end();
}

}  // namespace

absl::StatusOr<std::vector<Consumer>> AllConsumers(const std::string& home) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<suites::Case> cases,
                          suites::LoadCases(home + "/suites/cases"));
  HLOCTS_ASSIGN_OR_RETURN(ClausesOfOpcodes clauses,
                          LoadClausesOfOpcodes(home + "/spec/clauses/of_opcodes.txt"));
  std::vector<Consumer> consumers = {
      {"evaluator", "the reference evaluates it", Evaluated()},
      {"sets", "the judge has acceptance sets for it", Judged()},
      {"generator", "the generator draws it", Generated()},
      {"shape-rule", "spec/infer derives its shape", Where(HasShapeRule)},
      {"clause", "a clause that defines its value", InClauses(clauses)},
      {"case", "a case contains it", InCases(cases)},
      {"fault", "a separate seeded fault", Faulty()},
  };
  for (const auto& [engine, what] : kEngines) {
    if (std::optional<OpcodeSet> has = OfPlugin(engine)) consumers.push_back({engine, what, *has});
  }
  return consumers;
}

bool Exemption::Names(absl::string_view consumer) const {
  return NamesConsumer(consumers, consumer);
}

absl::Span<const Exemption> AllExemptions() { return kExemptions; }

absl::string_view ReasonOf(Opcode opcode, absl::string_view consumer) {
  for (const Exemption& line : kExemptions) {
    if (line.opcode == opcode && line.Names(consumer)) return line.reason;
  }
  if (!RowOf(opcode).documented_as.empty()) return "";
  for (const UndocumentedExemption& line : kUndocumented) {
    if (NamesConsumer(line.consumers, consumer)) return line.reason;
  }
  return "";
}

}  // namespace hlocts::tools
