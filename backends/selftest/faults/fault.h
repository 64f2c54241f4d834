// SPDX-License-Identifier: Apache-2.0
// Seeded faults, which represent classes of bugs that compilers have had. Each fault is a small
// change to an otherwise correct engine (the reference evaluator). The author of a fault knew the
// class of bug, but did not look at the cases that should find it.
//
// To add a fault, add a row to the table of its class, with an id that begins with the opcode.
// Faults do not read acceptance sets. `hlocts selfcheck --list` prints all faults.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "reference/eval_context.h"
#include "spec/ir/instruction.h"
#include "spec/ir/opcode_fwd.h"

namespace hlocts::backends {

enum class FaultClass : uint8_t {
  kIndexClamping,
  kIndexType,
  kPadding,
  kWindow,
  kInPlace,
  kNan,
  kSignedZero,
  kComparator,
  kGroupOrder,
  kAccumulateType,
  kTripCount,
  kDroppedTail,
  kSwappedOperands,
  kStaleBuffer,
  kNumericError,
  kInteger,
  kMovement,
  kRewrite,
  kPartition,
  // Faults of layers that the engine and the reference share. If both had the fault, it would be
  // invisible, so only the engine's input is changed.
  kText,
  kInference,
  kLiteral,
};
absl::string_view FaultClassName(FaultClass fault_class);
bool IsSharedLayer(FaultClass fault_class);

// The data that a fault keeps between the instructions of one device's run.
struct FaultMemory {
  absl::flat_hash_map<const Instruction*, Literal> values;
  absl::flat_hash_map<const void*, int64_t> counts;
  bool busy = false;  // the fault itself is evaluating something
};

// One instruction at run time. A fault may change `operands` before the instruction runs, and
// `result` after.
struct FaultSite {
  reference::EvalContext& context;
  const Instruction& instruction;
  absl::Span<Literal> operands;
  Literal* result;
  FaultMemory& memory;

  Opcode opcode() const { return instruction.opcode(); }
  // Runs the evaluator of `other` on `operands`; returns `otherwise` on failure.
  Literal Evaluate(const Instruction& other, std::vector<Literal> operands, Literal otherwise);
};

struct Fault {
  std::string id;  // "dynamic-slice.negative-start-wraps"
  FaultClass fault_class = FaultClass::kIndexClamping;
  std::string what;  // a one-line description
  // The opcodes that the fault affects; empty for all.
  std::vector<Opcode> opcodes;
  // At most one of the functions below is set.
  std::function<void(FaultSite&)> before;
  std::function<void(FaultSite&)> after;
  // Changes one instruction and returns true if it changed. A change that makes the module invalid
  // is undone, since a compiler would reject the module.
  std::function<bool(Instruction&)> module_edit;
  // Changes the module. A change that makes the module invalid is undone.
  std::function<void(Module&)> rewrite;
  // `argument` changes each leaf of the arguments; `outputs` changes the outputs.
  std::function<void(Literal&)> argument;
  std::function<void(std::vector<Literal>&)> outputs;
  // The prefix of the rules that the verifier does not check.
  std::string skipped_rule;
  bool skips_single_rule = false;  // the prefix is one complete rule
  // If set, the verifier omits skipped_rule only in modules with an instruction for which this
  // returns true. `refuses` returns true for valid instructions that the verifier rejects.
  std::function<bool(const Instruction&)> rule_skipped_if;
  std::function<bool(const Instruction&)> refuses;
};

// All faults, ordered by class; ids are unique.
const std::vector<Fault>& AllFaults();
// Finds a fault of AllFaults or of a family (fault_family.h), which may be restricted to some
// instructions (FAULT@WORDS, below).
const Fault* FindFault(absl::string_view id);
// Returns true if this fault can change an engine's behaviour on this module.
bool AppliesTo(const Fault& fault, const Module& module);

// Returns the ruling or sentence of the documents that allows what a fault does, so no judge may
// reject it. Returns "" if nothing allows it.
absl::string_view PermittedBy(absl::string_view id);

// Each file of faults defines one of these functions.
void AddIndexFaults(std::vector<Fault>& faults);
void AddBranchFaults(std::vector<Fault>& faults);
void AddWindowFaults(std::vector<Fault>& faults);
void AddInPlaceFaults(std::vector<Fault>& faults);
void AddValueFaults(std::vector<Fault>& faults);
void AddIntegerFaults(std::vector<Fault>& faults);
void AddOrderFaults(std::vector<Fault>& faults);
void AddSortFaults(std::vector<Fault>& faults);
void AddGroupFaults(std::vector<Fault>& faults);
void AddAccumulateFaults(std::vector<Fault>& faults);
void AddLoopFaults(std::vector<Fault>& faults);
void AddTailFaults(std::vector<Fault>& faults);
void AddMovementFaults(std::vector<Fault>& faults);
void AddRewriteFaults(std::vector<Fault>& faults);
void AddPartitionFaults(std::vector<Fault>& faults);
void AddTextFaults(std::vector<Fault>& faults);
void AddInferenceFaults(std::vector<Fault>& faults);
void AddLiteralFaults(std::vector<Fault>& faults);

// Faults of one opcode with one function.
inline Fault ModuleEditFault(std::string id, FaultClass fault_class, Opcode opcode,
                             std::string what, std::function<bool(Instruction&)> change) {
  Fault fault{std::move(id), fault_class, std::move(what), {opcode}};
  fault.module_edit = std::move(change);
  return fault;
}
inline Fault AfterFault(std::string id, FaultClass fault_class, Opcode opcode, std::string what,
                        std::function<void(FaultSite&)> site) {
  Fault fault{std::move(id), fault_class, std::move(what), {opcode}};
  fault.after = std::move(site);
  return fault;
}
inline Fault BeforeFault(std::string id, FaultClass fault_class, Opcode opcode, std::string what,
                         std::function<void(FaultSite&)> site) {
  Fault fault{std::move(id), fault_class, std::move(what), {opcode}};
  fault.before = std::move(site);
  return fault;
}
inline Fault RewriteFault(std::string id, FaultClass fault_class, Opcode opcode, std::string what,
                          std::function<void(Module&)> rewrite) {
  Fault fault{std::move(id), fault_class, std::move(what), {opcode}};
  fault.rewrite = std::move(rewrite);
  return fault;
}
// A change of the operands or the result of one opcode, as a row of a table.
struct SiteFault {
  const char* id;
  FaultClass fault_class;
  Opcode opcode;
  const char* what;
  void (*site)(FaultSite&);
  bool before;
};
inline Fault SiteFaultOf(const SiteFault& row, std::string id) {
  return (row.before ? BeforeFault : AfterFault)(std::move(id), row.fault_class, row.opcode,
                                                 row.what, row.site);
}
template <typename T>
T* Attribute(Instruction& instruction, Attr attr) {
  for (auto& [name, value] : instruction.mutable_attributes()) {
    if (name == attr) return std::get_if<T>(&value);
  }
  return nullptr;
}

// Restricts a fault to some instructions: FAULT@WORDS. To test a sentence that applies to one
// situation ("if the output element is larger ...", "GE is true where ...", an example), a fault
// acts in that situation and nowhere else.
//
// WORDS are joined by &. Each word must match the instruction; a word after "!" must not. A word is
// a name that refusal_families.cc gives to a property of instructions ("size-one", "replicas"), or
// a substring of the instruction's line, printed without names and blanks: "direction=GE",
// "=f32[2,3]", "(f32[3],".

// Returns the fault `whole`, restricted to the instructions that match `words`. Returns nullopt if
// it does not act on single instructions or if `words` is empty.
std::optional<Fault> FaultAt(const Fault& whole, absl::string_view words);

// Returns the text that is searched for words: "=f32[2,3]add(f32[2,3],f32[2,3])".
std::string LineOf(const Instruction& instruction);

// Returns the names of the instruction's properties, and of its module's, from refusal_families.cc.
std::set<std::string> PropertyNamesOf(const Instruction& instruction);
std::set<std::string> PeculiaritiesOfModule(const Instruction& instruction);

}  // namespace hlocts::backends
