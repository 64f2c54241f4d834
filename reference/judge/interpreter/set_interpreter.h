// SPDX-License-Identifier: Apache-2.0
// Walks over a module with sets instead of values. Declares the opcode handlers and their helpers.
//
// Several devices advance together: each instruction runs on all devices before the next one, so a
// collective sees the operands of all devices.
//
// If a predicate may have either value, both branches are joined; if a loop may end after any of
// several trips, the results of these trips are joined. A new operation needs a handler in a
// sibling directory and a row of set_handlers.def.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "reference/elementwise.h"
#include "reference/judge/interpreter/operation_runner.h"
#include "reference/judge/interpreter/remainder_sets.h"
#include "reference/judge/interpreter/set_value.h"
#include "reference/judge/interpreter/walk_observer.h"
#include "reference/judge/module_sets.h"
#include "spec/accuracy/rules.h"
#include "spec/judge/float_sets.h"
#include "spec/judge/judge.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"
#include "spec/rewrites/rewrite.h"

namespace hlocts::reference {

class SetInterpreter;

// Computes the sets of one instruction on one device. `shape` is the result's shape: that of the
// instruction or, if a computation runs on many elements at once, a shape with a lane for each.
using SetHandler = absl::StatusOr<SetValue> (*)(SetInterpreter& interpreter,
                                                const Instruction& instruction, const Shape& shape,
                                                absl::Span<const SetValue> operands);
// Returns nullptr if there is no handler (see set_handlers.def).
SetHandler SetHandlerOf(Opcode opcode);

// The devices that advance together, and the observer of the walk. The observer is nullptr while a
// handler runs a separate computation.
struct Walk {
  std::vector<int64_t> devices;
  WalkObserver* observer = nullptr;
};

// The kinds of instructions that read an instruction's unrounded value.
enum UnroundedUse : uint8_t { kHullUnused = 0, kHullContract = 1, kHullWiden = 2, kHullAny = 3 };

class SetInterpreter {
 public:
  SetInterpreter(const Module& module, const JudgeOptions& options);

  // Returns one value per device of the walk; arguments[k] are the arguments of walk.devices[k].
  absl::StatusOr<std::vector<SetValue>> Run(const Computation& computation,
                                            std::vector<std::vector<SetValue>> arguments,
                                            const Walk& walk);
  // Runs a computation without collectives on the current device, for a handler.
  absl::StatusOr<SetValue> Call(const Computation& computation, std::vector<SetValue> arguments);
  // Applies a computation of scalars to arrays of one shape, element by element (map, reducers).
  absl::StatusOr<SetValue> CallLanes(const Computation& computation,
                                     absl::Span<const SetValue> arguments, const Shape& lanes);

  const JudgeOptions& options() const { return options_; }
  Profile profile() const { return options_.profile; }
  OperationRunner& runner() { return runner_; }
  bool rigorous() const { return options_.rigorous || options_.profile == Profile::kStrict; }

  // Returns the rule table's entry; RuleOf also applies the engine's facts.
  Rule TableRule(Opcode opcode, PrimitiveType type, Profile profile) const {
    return Changed(opcode, type, profile, RuleFor(opcode, type, profile));
  }
  Rule RuleOf(Opcode opcode, PrimitiveType type) const {
    return WithFacts(TableRule(opcode, type, profile()), opcode, type, profile(), options_.facts);
  }
  // Returns the index of the instruction in the list of origins, which also records `rule`.
  uint32_t OriginOf(const Instruction& instruction, const Rule& rule);
  // Returns the result format, operand format, rule and origin of an instruction on floats.
  SetContext ContextOf(const Instruction& instruction, PrimitiveType operand, PrimitiveType result);
  UnroundedUse HullUseOf(const Instruction& instruction);
  // Returns true if any instruction may read values of this shape unrounded (a fact of the engine).
  bool ReadsUnrounded(const Shape& shape) const;
  // Returns the plain evaluator's result of an element-wise instruction on exact operands of the
  // same shape. Builds no module for it.
  absl::StatusOr<Literal> RunElementwise(const Instruction& instruction, const Shape& shape,
                                         absl::Span<const SetValue> operands);
  absl::Status ChargeStep();
  int64_t device_count() const { return options_.replicas * options_.partitions; }
  int64_t current_device() const { return current_device_; }
  int64_t sum_devices() const { return sum_devices_; }  // defined in spec/ops/partitions.h
  const std::vector<Origin>& origins() const { return origins_; }
  std::vector<Origin> TakeOrigins() { return std::move(origins_); }
  // The operands of the last run of an instruction on the current device. They are kept for a
  // triangular solve whose result another solve reads (lemma 9), and for a maximum or minimum that
  // is compared with one of its operands (lemma 30).
  std::array<SetArray, 2>& KeptOperands(const Instruction& instruction) {
    return kept_operands_[{current_device_, &instruction}];
  }
  // Returns the next infeed literal of the device, or nullptr if there is none.
  const Literal* NextInfeed();
  const Literal* PeekInfeed() const;  // returns the same literal without consuming it
  // Returns the values sent to the device on the channel and not yet received, in the order sent.
  std::deque<SetValue>& PendingMessages(int64_t device, int64_t channel) {
    return pending_messages_[{device, channel}];
  }

 private:
  Rule Changed(Opcode opcode, PrimitiveType type, Profile profile, const Rule& rule) const {
    return options_.change_rule ? options_.change_rule(opcode, type, profile, rule) : rule;
  }
  Rule ConversionRule(PrimitiveType from, PrimitiveType to) const {
    const Rule rule = Changed(Opcode::kConvert, to, profile(), ConvertRule(from, to, profile()));
    return ConvertWithFacts(rule, from, profile(), options_.facts);
  }
  absl::StatusOr<std::vector<SetValue>> RunInstruction(
      const Instruction& instruction, const std::vector<std::vector<SetValue>>& operands,
      const Walk& walk);
  // Calls the watch, if there is one, for each device of the walk.
  void Show(const Instruction& instruction, const Walk& walk,
            const std::vector<std::vector<SetValue>>& operands,
            const std::vector<SetValue>* results);
  std::vector<int64_t> UsesOf(const Computation& computation);
  std::vector<int64_t> CountUses(const Computation& computation);
  // Keeps a result that is the same each time the instruction runs.
  void KeepConstant(const Instruction& instruction, const std::vector<SetValue>& results);
  absl::StatusOr<std::vector<SetValue>> RunAsync(ops::AsyncStep step,
                                                 const Instruction& instruction,
                                                 const std::vector<std::vector<SetValue>>& operands,
                                                 const Walk& walk);
  absl::StatusOr<std::vector<SetValue>> RunHandler(
      const Instruction& instruction, const std::vector<std::vector<SetValue>>& operands,
      const Walk& walk);
  absl::StatusOr<std::vector<SetValue>> RunCaller(
      ops::Caller caller, const Instruction& instruction,
      const std::vector<std::vector<SetValue>>& operands, const Walk& walk);
  absl::StatusOr<std::vector<SetValue>> RunConditional(
      const Instruction& instruction, const std::vector<std::vector<SetValue>>& operands,
      const Walk& walk);
  absl::StatusOr<std::vector<SetValue>> RunWhile(const Instruction& instruction,
                                                 std::vector<std::vector<SetValue>> operands,
                                                 const Walk& walk);
  absl::StatusOr<SetValue> RunWhileOnOneDevice(const Instruction& instruction, SetValue state,
                                               WalkObserver* observer);
  void AnalyzeUnroundedUses(const Computation& computation);
  // Returns the rewrites that the profile permits in a computation. Finds them at the first call.
  const std::vector<RewriteMatch>& RewritesOf(const Computation& computation);
  // Joins results of the instruction's rewrites to `results`; `values` has all computed values.
  absl::Status JoinRewrites(const Instruction& instruction,
                            const std::vector<std::vector<SetValue>>& values, const Walk& walk,
                            std::vector<SetValue>& results);
  // Returns true if every instruction of the computation has one value on known operands, as moves
  // and fully defined integer operations do. If so, the plain evaluator runs the whole computation.
  bool IsPlain(const Computation& computation);
  bool IsPlain(const Instruction& instruction);

  const Module& module_;
  JudgeOptions options_;
  int64_t sum_devices_;
  OperationRunner runner_;
  std::vector<Origin> origins_;
  absl::flat_hash_map<const Instruction*, uint32_t> origin_of_;
  absl::flat_hash_map<const Instruction*, uint8_t> hull_use_;
  absl::flat_hash_map<const Computation*, bool> plain_;
  absl::flat_hash_map<const Instruction*, ElementwiseOp> kernels_;
  std::map<const Computation*, std::vector<RewriteMatch>> rewrites_;
  // The number of uses of each value, kept because loops run a computation many times.
  absl::flat_hash_map<const Computation*, std::vector<int64_t>> uses_;
  absl::flat_hash_map<const Instruction*, SetValue> constants_;
  int64_t steps_ = 0;
  int64_t instructions_run_ = 0;
  absl::Status CheckDeadline();
  int64_t current_device_ = 0;
  int depth_ = 0;
  std::vector<size_t> infeed_used_;
  std::map<std::pair<int64_t, int64_t>, std::deque<SetValue>> pending_messages_;
  std::map<std::pair<int64_t, const Instruction*>, std::array<SetArray, 2>> kept_operands_;
  RemainderSets remainders_;
};

// Computes collectives from the operands of all devices of the module together.
absl::StatusOr<std::vector<SetValue>> CollectiveSets(
    SetInterpreter& interpreter, const Instruction& instruction,
    const std::vector<std::vector<SetValue>>& operands, const std::vector<int64_t>& devices);

}  // namespace hlocts::reference
