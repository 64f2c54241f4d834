// SPDX-License-Identifier: Apache-2.0
// Seeded faults: bugs that compilers have had, as data. Each is a small change to an otherwise
// correct engine (the reference evaluator), written from the class of bug and not from the cases
// that are meant to find it.
//
// New fault: a row in the table of its class, with an id that begins with the opcode. Faults do not
// read acceptance sets. `hlocts selfcheck --list` prints all.
#ifndef HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_H_
#define HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
  // The layers that engine and reference share: a fault there hides in both, so it is planted in
  // the engine's input alone.
  kText,
  kInference,
  kLiteral,
};
absl::string_view FaultClassName(FaultClass fault_class);
bool IsSharedLayer(FaultClass fault_class);

// The state of a fault between the instructions of one device's run.
struct FaultMemory {
  absl::flat_hash_map<const Instruction*, Literal> values;
  absl::flat_hash_map<const void*, int64_t> counts;
  bool busy = false;  // the fault itself is evaluating something
};

// One instruction at run time. Before it, operands may be changed; after it, the result.
struct FaultSite {
  reference::EvalContext& context;
  const Instruction& instruction;
  absl::Span<Literal> operands;
  Literal* result;
  FaultMemory& memory;

  Opcode opcode() const { return instruction.opcode(); }
  // The instruction's own evaluator on other operands; returns `otherwise` on failure.
  Literal Evaluate(const Instruction& other, std::vector<Literal> operands, Literal otherwise);
};

struct Fault {
  std::string id;  // "dynamic-slice.negative-start-wraps"
  FaultClass fault_class = FaultClass::kIndexClamping;
  std::string what;  // a one-line description
  // The opcodes that it affects; empty: any.
  std::vector<Opcode> opcodes;
  // At most one of these is set.
  std::function<void(FaultSite&)> before;
  std::function<void(FaultSite&)> after;
  // Tried on each instruction; undone where the module would no longer be valid, since a compiler
  // stops there. Returns whether it changed anything.
  std::function<bool(Instruction&)> surgery;
  // The same for the module as a whole.
  std::function<void(Module&)> rewrite;
  // Applied to every leaf of the arguments, and of the outputs.
  std::function<void(Literal&)> argument;
  std::function<void(std::vector<Literal>&)> outputs;
  // The verifier forgets the rules with this prefix, or refuses valid instructions.
  std::string forgotten_rule;
  bool forgets_that_rule_only = false;  // not all rules with this prefix
  // Only in modules with such an instruction; unset: in all.
  std::function<bool(const Instruction&)> forgets_beside;
  std::function<bool(const Instruction&)> refuses;
};

// All faults, in the order of their classes; ids are unique.
const std::vector<Fault>& AllFaults();
// One of those, or a row of a family (fault_family.h), at some instructions (fault_place.h).
const Fault* FindFault(absl::string_view id);
// Returns true if an engine with this fault can behave differently on this module.
bool AppliesTo(const Fault& fault, const Module& module);

// Why the documents allow what a fault does, so that no judge may object: a ruling or a sentence;
// empty for a real fault.
absl::string_view PermittedBy(absl::string_view id);

// One function per file of faults.
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

// For the tables of faults.
inline Fault SurgeryFault(std::string id, FaultClass fault_class, Opcode opcode, std::string what,
                          std::function<bool(Instruction&)> change) {
  Fault fault{std::move(id), fault_class, std::move(what), {opcode}};
  fault.surgery = std::move(change);
  return fault;
}
inline Fault AfterFault(std::string id, FaultClass fault_class, Opcode opcode, std::string what,
                        std::function<void(FaultSite&)> site) {
  Fault fault{std::move(id), fault_class, std::move(what), {opcode}};
  fault.after = std::move(site);
  return fault;
}
// One change of an opcode's operands or result, as a row.
struct SiteFault {
  const char* id;
  FaultClass fault_class;
  Opcode opcode;
  const char* what;
  void (*site)(FaultSite&);
  bool before;
};
inline Fault SiteFaultOf(const SiteFault& row, std::string id) {
  Fault fault{std::move(id), row.fault_class, row.what, {row.opcode}};
  (row.before ? fault.before : fault.after) = row.site;
  return fault;
}
template <typename T>
T* Attribute(Instruction& instruction, Attr attr) {
  for (auto& [name, value] : instruction.mutable_attributes()) {
    if (name == attr) return std::get_if<T>(&value);
  }
  return nullptr;
}

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_H_
