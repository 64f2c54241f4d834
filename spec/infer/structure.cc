// SPDX-License-Identifier: Apache-2.0
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/infer/rules.h"
#include "spec/infer/verifier_parts.h"
#include "spec/ir/attributes.h"
#include "spec/ir/tiles.h"
#include "spec/ops/partitions.h"

namespace hlocts {
namespace {

absl::Status ExpectEarlier(const Instruction& instruction, const Instruction* other,
                           absl::string_view what) {
  HLOCTS_EXPECT(other != nullptr, "hlo.operand", what, "a null pointer");
  HLOCTS_EXPECT(other->parent() == instruction.parent(), "hlo.operand",
                absl::StrCat(what, " of the same computation"),
                absl::StrCat("%", other->name(), " of ",
                             other->parent() ? other->parent()->name() : "no computation"));
  HLOCTS_EXPECT(other->index() < instruction.index(), "hlo.order",
                absl::StrCat(what, " defined before use"), absl::StrCat("%", other->name()));
  return absl::OkStatus();
}

absl::Status CheckReferences(const Instruction& instruction, const Module& module) {
  for (const Instruction* operand : instruction.operands()) {
    HLOCTS_RETURN_IF_ERROR(ExpectEarlier(instruction, operand, "an operand"));
  }
  using Instructions = std::vector<Instruction*>;
  if (auto* before = instruction.Get<Instructions>(Attr::kControlPredecessors)) {
    for (const Instruction* one : *before) {
      HLOCTS_RETURN_IF_ERROR(ExpectEarlier(instruction, one, "a control predecessor"));
    }
  }
  for (const Computation* called : instruction.called_computations()) {
    HLOCTS_EXPECT(called && called->parent() == &module, "hlo.called_computation",
                  "a called computation of the same module", called ? called->name() : "none");
  }
  return absl::OkStatus();
}

// Checks that no tile assignment names a device twice and that, if an engine partitions the module,
// each one has all devices. Tuple shardings are never nested.
absl::Status CheckSharding(const Instruction& instruction, bool sharded) {
  const Sharding* whole = instruction.Get<Sharding>(Attr::kSharding);
  if (!whole) return absl::OkStatus();
  std::vector<const Sharding*> parts = {whole};
  for (const Sharding& element : whole->tuple_shardings) parts.push_back(&element);
  for (const Sharding* part : parts) {
    absl::flat_hash_set<int64_t> devices;
    for (int64_t device : part->tile_assignment_devices) {
      HLOCTS_EXPECT(device >= 0 && devices.insert(device).second, "hlo.sharding",
                    "each device at most once in a tile assignment",
                    ListText(part->tile_assignment_devices));
    }
  }
  if (!sharded) return absl::OkStatus();
  const absl::Status tiled =
      CheckLeafTiles(*whole, instruction.shape(), instruction.parent()->parent()->num_partitions);
  return absl::IsInvalidArgument(tiled) ? RuleError("hlo.sharding", tiled.message())
                                        : absl::OkStatus();
}

// Returns true if the parameters have the numbers 0, 1, ... once each, which is the usual case.
bool ParametersAreInOrder(const Computation& computation) {
  const std::vector<Instruction*> by_number = computation.parameters();
  size_t count = 0;
  for (const auto& instruction : computation.instructions()) count += instruction->IsParameter();
  return by_number.size() == count && !absl::c_linear_search(by_number, nullptr);
}

absl::Status CheckParameters(const Computation& computation) {
  if (ParametersAreInOrder(computation)) return absl::OkStatus();
  absl::flat_hash_map<int64_t, const Instruction*> by_number;
  for (const auto& instruction : computation.instructions()) {
    if (!instruction->IsParameter()) continue;
    auto [entry, is_new] = by_number.emplace(instruction->parameter_number(), instruction.get());
    HLOCTS_EXPECT(is_new, "hlo.parameter_number", "each parameter number once",
                  absl::StrCat("parameter(", entry->first, ") for %", entry->second->name(),
                               " and %", instruction->name()));
  }
  for (const auto& [number, parameter] : by_number) {
    HLOCTS_EXPECT(number >= 0 && number < static_cast<int64_t>(by_number.size()),
                  "hlo.parameter_number",
                  absl::StrCat("parameter numbers 0 to ", by_number.size() - 1),
                  absl::StrCat("%", parameter->name(), " = parameter(", number, ")"));
  }
  return absl::OkStatus();
}

absl::Status CheckComputation(const Computation& computation, const Module& module, bool sharded) {
  HLOCTS_EXPECT(computation.root() && computation.root()->parent() == &computation, "hlo.root",
                "one root", computation.root() ? computation.root()->name() : "none");
  absl::flat_hash_set<absl::string_view> names;
  names.reserve(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    HLOCTS_EXPECT(names.insert(instruction->name()).second, "hlo.name",
                  "unique names in each computation",
                  absl::StrCat("another %", instruction->name()));
    absl::Status status = CheckReferences(*instruction, module);
    if (status.ok()) status = CheckSharding(*instruction, sharded);
    if (!status.ok()) return Named(status, *instruction);
  }
  return CheckParameters(computation);
}

enum class Visit : uint8_t { kNew, kOpen, kDone };
struct CallGraph {
  absl::flat_hash_map<const Computation*, std::vector<const Computation*>> callees;
  absl::flat_hash_map<const Computation*, Visit> visits;
};

// Searches for a cycle with an explicit stack, since calls may nest too deeply for the C++ stack.
absl::Status CheckNoCycleFrom(const Computation* start, CallGraph& graph) {
  std::vector<std::pair<const Computation*, size_t>> stack = {{start, 0}};
  graph.visits[start] = Visit::kOpen;
  while (!stack.empty()) {
    auto& [computation, next] = stack.back();
    const std::vector<const Computation*>& callees = graph.callees[computation];
    if (next == callees.size()) {
      graph.visits[computation] = Visit::kDone;
      stack.pop_back();
      continue;
    }
    const Computation* callee = callees[next++];
    Visit& visit = graph.visits[callee];
    HLOCTS_EXPECT(visit != Visit::kOpen, "hlo.recursion", "no recursion",
                  absl::StrCat("%", callee->name(), " called from %", computation->name()));
    if (visit == Visit::kDone) continue;
    visit = Visit::kOpen;
    stack.push_back({callee, 0});
  }
  return absl::OkStatus();
}

// Returns true if computations precede their callers, as in nearly every module.
bool CalleesPrecedeCallers(const Module& module) {
  absl::flat_hash_set<const Computation*> before;
  before.reserve(module.computations().size());
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* called : instruction->called_computations()) {
        if (!before.contains(called)) return false;
      }
    }
    before.insert(computation.get());
  }
  return true;
}

absl::Status CheckNoRecursion(const Module& module) {
  if (CalleesPrecedeCallers(module)) return absl::OkStatus();
  CallGraph graph;
  for (const auto& computation : module.computations()) {
    std::vector<const Computation*>& callees = graph.callees[computation.get()];
    absl::flat_hash_set<const Computation*> seen;
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* called : instruction->called_computations()) {
        if (seen.insert(called).second) callees.push_back(called);
      }
    }
  }
  for (const auto& computation : module.computations()) {
    if (graph.visits[computation.get()] != Visit::kNew) continue;
    HLOCTS_RETURN_IF_ERROR(CheckNoCycleFrom(computation.get(), graph));
  }
  return absl::OkStatus();
}

}  // namespace

std::string NameOf(const Instruction& instruction) {
  return absl::StrCat("%", instruction.name(), " = ", OpcodeName(instruction.opcode()));
}

std::string NameOf(const Computation& computation) {
  return absl::StrCat("computation %", computation.name());
}

absl::Status Named(const absl::Status& status, const Instruction& instruction) {
  return AtInstruction(Annotate(status, NameOf(instruction)), instruction.name());
}

absl::Status VerifyStructure(const Module& module) {
  HLOCTS_EXPECT(module.entry() && module.entry()->parent() == &module, "hlo.entry",
                "an entry computation", "none");
  HLOCTS_EXPECT(module.replica_count >= 1 && module.num_partitions >= 1, "hlo.devices",
                "replica_count and num_partitions of at least 1",
                absl::StrCat(module.replica_count, " and ", module.num_partitions));
  absl::flat_hash_set<absl::string_view> names;
  const bool sharded = IsSharded(module);
  for (const auto& computation : module.computations()) {
    HLOCTS_EXPECT(names.insert(computation->name()).second, "hlo.name",
                  "unique names of computations", absl::StrCat("another %", computation->name()));
    if (absl::Status status = CheckComputation(*computation, module, sharded); !status.ok()) {
      return Annotate(status, NameOf(*computation));
    }
  }
  return CheckNoRecursion(module);
}

}  // namespace hlocts
