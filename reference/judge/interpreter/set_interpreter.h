// SPDX-License-Identifier: Apache-2.0
// The walk over a module in the number system of sets: which handler makes the sets of which
// opcode, and what a handler may ask of the walk.
//
// Several devices walk in step: an instruction is done for each of them before the next one, so
// collectives see all operands at once.
//
// A predicate that may be either value joins both branches; a loop that may end joins all its ends.
// The sets of an operation are a handler in a sibling directory with a row of set_handlers.def.
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_SET_INTERPRETER_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_SET_INTERPRETER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "reference/elementwise.h"
#include "reference/judge/interpreter/operation_runner.h"
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

// Sets of one instruction on one device. `shape` is the result's: the instruction's own, or with
// the lanes of a computation applied to many elements at once.
using SetHandler = absl::StatusOr<SetValue> (*)(SetInterpreter& interpreter,
                                                const Instruction& instruction, const Shape& shape,
                                                absl::Span<const SetValue> operands);
// nullptr: no handler (see set_handlers.def).
SetHandler SetHandlerOf(Opcode opcode);

// The devices that walk in step, and the observer of the walk: nullptr while a handler runs a
// computation of its own.
struct Walk {
  std::vector<int64_t> devices;
  WalkObserver* observer = nullptr;
};

// The readers of the unrounded value of an instruction, by its users.
enum HullUse : uint8_t { kHullUnused = 0, kHullContract = 1, kHullWiden = 2, kHullAny = 3 };

class SetInterpreter {
 public:
  SetInterpreter(const Module& module, const JudgeOptions& options);

  // One value per device of the walk; arguments[k] are those of its device k.
  absl::StatusOr<std::vector<SetValue>> Run(const Computation& computation,
                                            std::vector<std::vector<SetValue>> arguments,
                                            const Walk& walk);
  // The computation on the current device, for a handler; without collectives.
  absl::StatusOr<SetValue> Call(const Computation& computation, std::vector<SetValue> arguments);
  // A computation of scalars applied to arrays of one shape, element by element (map, reducers).
  absl::StatusOr<SetValue> CallLanes(const Computation& computation,
                                     absl::Span<const SetValue> arguments, const Shape& lanes);

  const JudgeOptions& options() const { return options_; }
  Profile profile() const { return options_.profile; }
  OperationRunner& runner() { return runner_; }
  bool rigorous() const { return options_.rigorous || options_.profile == Profile::kStrict; }

  // The row of the table, and what the engine's facts make of it.
  Rule TableRule(Opcode opcode, PrimitiveType type, Profile profile) const {
    return Changed(opcode, type, profile, RuleFor(opcode, type, profile));
  }
  Rule RuleOf(Opcode opcode, PrimitiveType type) const {
    return WithFacts(TableRule(opcode, type, profile()), opcode, type, profile(), options_.facts);
  }
  // Number of the instruction in the list of origins, with the rule it was judged by.
  uint32_t OriginOf(const Instruction& instruction, const Rule& rule);
  // Result format, operand format, rule and origin of an instruction on floats.
  SetContext ContextOf(const Instruction& instruction, PrimitiveType operand, PrimitiveType result);
  HullUse HullUseOf(const Instruction& instruction);
  // Any consumer may read results of this shape before they are rounded (a fact of the engine).
  bool ReadsUnrounded(const Shape& shape) const;
  // The plain result of an element-wise instruction on exact operands of one shape, without the
  // detour through a module of its own.
  absl::StatusOr<Literal> RunElementwise(const Instruction& instruction, const Shape& shape,
                                         absl::Span<const SetValue> operands);
  absl::Status ChargeStep();
  int64_t device_count() const { return options_.replicas * options_.partitions; }
  int64_t current_device() const { return current_device_; }
  const std::vector<Origin>& origins() const { return origins_; }
  std::vector<Origin> TakeOrigins() { return std::move(origins_); }
  // The operands of the last triangular solve on the current device: a solve that continues from
  // its result is bounded together with it (RULES 9).
  struct SolvedSystem {
    SetArray factor, right;
  };
  SolvedSystem& SolvedBy(const Instruction& solve) { return solved_[{current_device_, &solve}]; }
  // Next infeed literal of the device, nullptr when there is none.
  const Literal* NextInfeed();
  const Literal* PeekInfeed() const;  // the same, left in place
  // What was sent to the device on the channel and not yet received, in order.
  std::deque<SetValue>& MailOf(int64_t device, int64_t channel) { return mail_[{device, channel}]; }

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
  std::vector<int64_t> UsesOf(const Computation& computation);
  std::vector<int64_t> CountUses(const Computation& computation);
  // Keeps what is the same each time the instruction is run.
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
  absl::StatusOr<SetValue> WhileOneDevice(const Instruction& instruction, SetValue state,
                                          WalkObserver* observer);
  void AnalyzeHulls(const Computation& computation);
  // The rewrites that the profile allows in a computation of the module, found once.
  const std::vector<RewriteMatch>& RewritesOf(const Computation& computation);
  // Adds what they make of the instruction to its results; values are those of its computation.
  absl::Status JoinRewrites(const Instruction& instruction,
                            const std::vector<std::vector<SetValue>>& values, const Walk& walk,
                            std::vector<SetValue>& results);
  // Every instruction of the computation has one value on known operands: moves and the certain
  // operations on integers. Then the plain evaluator runs it whole.
  bool IsPlain(const Computation& computation);
  bool IsPlain(const Instruction& instruction);

  const Module& module_;
  JudgeOptions options_;
  OperationRunner runner_;
  std::vector<Origin> origins_;
  absl::flat_hash_map<const Instruction*, uint32_t> origin_of_;
  absl::flat_hash_map<const Instruction*, uint8_t> hull_use_;
  absl::flat_hash_map<const Computation*, bool> plain_;
  absl::flat_hash_map<const Instruction*, ElementwiseOp> kernels_;
  std::map<const Computation*, std::vector<RewriteMatch>> rewrites_;
  // The uses of values in each computation, kept because loops run them many times.
  absl::flat_hash_map<const Computation*, std::vector<int64_t>> uses_;
  absl::flat_hash_map<const Instruction*, SetValue> constants_;
  int64_t steps_ = 0;
  int64_t instructions_run_ = 0;
  absl::Status CheckDeadline();
  int64_t current_device_ = 0;
  int depth_ = 0;
  std::vector<size_t> infeed_used_;
  std::map<std::pair<int64_t, int64_t>, std::deque<SetValue>> mail_;
  std::map<std::pair<int64_t, const Instruction*>, SolvedSystem> solved_;
};

// Collectives: operands and results of every device of the module at once.
absl::StatusOr<std::vector<SetValue>> CollectiveSets(
    SetInterpreter& interpreter, const Instruction& instruction,
    const std::vector<std::vector<SetValue>>& operands, const std::vector<int64_t>& devices);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_SET_INTERPRETER_H_
