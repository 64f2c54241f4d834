// SPDX-License-Identifier: Apache-2.0
// A module under construction: the values that are available in the current computation, the facts
// about these values, and functions that find operands. The generators of families/ use it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "generators/plan.h"
#include "spec/ir/instruction.h"

namespace hlocts::generators {

// A value of the computation under construction.
struct Value {
  Instruction* instruction = nullptr;
  ValueFacts facts;
  int uses = 0;
  bool hidden = false;  // never drawn as an operand

  const Shape& shape() const { return instruction->shape(); }
  PrimitiveType type() const { return shape().element_type(); }
  const Dims& dims() const { return shape().dimensions(); }
};
using Terms = std::vector<Value*>;
// Returns the facts about a value whose elements are those of `operand`, moved or repeated.
ValueFacts Moved(const Value& operand);

class ModuleWriter {
 public:
  ModuleWriter(ChoiceSource& choices, ModulePlan drawn);

  ChoiceSource& choose;
  const ModulePlan plan;

  // --- Drawing ---
  // Draws one of the types that `allowed` and the plan contain; kInvalid if there is none.
  PrimitiveType DrawType(TypeSet allowed);
  Dims DrawDims(int64_t rank_min = 0, int64_t rank_max = 9);
  int64_t DrawSize() { return choose.Pick(plan.sizes); }
  bool Fits(const Dims& dims) const;  // true if small enough for an intermediate value

  // --- Writing ---
  Value* Emit(Opcode opcode, Shape shape, const Terms& operands, ValueFacts facts = {});
  // Adds the elements of a tuple as values, and returns these values.
  Terms Elements(Value* tuple, const std::vector<ValueFacts>& facts);
  Value* Convert(Value* operand, PrimitiveType to);
  Value* ScalarConstant(PrimitiveType type, double value);
  Value* Constant(Literal literal, ValueFacts facts);

  // --- Operands ---
  // Returns a value of that type and size: an existing or adapted value, or a new parameter or
  // constant. In checked streams the value satisfies `demand`; if necessary it is clamped.
  Value* FindOrMake(PrimitiveType type, const Dims& dims, const Requirement& demand = {});
  // Returns a new parameter, constant or iota.
  Value* MakeNew(PrimitiveType type, const Dims& dims, const Requirement& demand = {});
  Value* Checked(Value* term, const Requirement& demand);
  // Returns true if operands must be ordinary values: always in checked streams, mostly in others.
  // Callers are operations that cannot be judged on special values or imprecise types.
  bool DrawWithoutSpecials() { return plan.checked() || !choose.OneIn(16); }
  // Returns a parameter or constant with varied elements that satisfies `demand` in every stream.
  Value* MakeNonConstant(PrimitiveType type, const Dims& dims, const Requirement& demand);
  // Like FindOrMake, but if `ordinary`, the value satisfies `demand` in every stream.
  Value* FindWithoutSpecials(PrimitiveType type, const Dims& dims, const Requirement& demand,
                             bool ordinary);
  // Returns a scalar index of an integer type: mostly in [0, bound], sometimes out of range.
  Value* Index(PrimitiveType type, int64_t bound);
  // Returns the largest permitted magnitude of values of the type in checked streams.
  double Limit(PrimitiveType type) const;
  // Returns `facts`, or the range of an integer type if they exceed it, because the result then
  // wraps. Returns no facts in unchecked streams.
  ValueFacts Satisfy(PrimitiveType type, ValueFacts facts) const;

  // --- Computations ---
  struct Parameter {
    Shape shape;
    ValueFacts facts;
  };
  // Adds a computation whose root is the value that `body` returns. `body` cannot use outer values.
  using Body = std::function<Value*(const Terms& parameters)>;
  enum class Runs : uint8_t { kUnconditional, kMaybeConditional, kByElement };
  Computation* Define(absl::string_view name, const std::vector<Parameter>& parameters,
                      const Body& body, Runs runs = Runs::kMaybeConditional);
  // Returns the computation (T, T) -> T of one opcode, shared by all callers.
  Computation* Reducer(Opcode opcode, PrimitiveType type);
  Computation* OverwriteComputation(PrimitiveType type);  // (old, new) -> new
  // Adds random instructions to the current computation.
  void Grow(int instructions);
  int depth() const { return depth_; }
  // Returns true if all devices execute this computation equally often, as collectives require.
  bool uniform() const { return scope_->uniform; }
  bool scalars_only() const { return scope_->scalars_only; }
  // Called for each computation when it is complete, with its values. The entry comes last.
  using Watch = std::function<void(const std::deque<Value>&)>;
  void WatchTerms(Watch watch) { watch_ = std::move(watch); }
  // Returns the newest value without a user, else any value, else a new value.
  Value* Newest();
  // Returns the arrays without users, oldest first, as candidates for the root.
  Terms Unused();
  // Returns the operands of the root: some unused values, at least one of which has elements.
  Terms Outputs();
  // Returns an entry parameter with a dynamic dimension. Its argument has a run-time size.
  Value* DynamicParameter(PrimitiveType type, const Dims& dims, int64_t dynamic_dimension);
  // Returns an available value that satisfies `fits`, or nullptr if there is none.
  Value* Find(const std::function<bool(const Value&)>& fits);

  // Completes the entry computation. The writer cannot be used afterwards.
  std::unique_ptr<Module> Finish();
  const std::vector<Parameter>& entry_parameters() const { return entry_parameters_; }
  Module& module() { return *module_; }
  SplitMix64& data() { return data_; }

 private:
  struct Scope {
    Computation* computation = nullptr;
    std::deque<Value> terms;  // stable addresses
    bool is_entry = false;
    bool scalars_only = false;
    bool uniform = false;
  };
  Value* Add(std::unique_ptr<Instruction> instruction, ValueFacts facts);
  std::string Name(absl::string_view stem);
  void DrawAnchor();
  void SetAnchor(const Value* anchor);
  void OrderComputations();
  Value* FindOperand(PrimitiveType type, const Dims& dims, const Requirement& demand);
  Value* Adapt(PrimitiveType type, const Dims& dims);
  Value* NewParameter(PrimitiveType type, const Dims& dims, const Requirement& demand);
  Value* AddParameter(const Shape& shape, const ValueFacts& facts);
  void ShuffleNumbers();
  Value* NewConstant(PrimitiveType type, const Dims& dims, const Requirement& demand);
  ValueFacts DataFacts(PrimitiveType type, const Requirement& demand);

  std::unique_ptr<Module> module_;
  Scope entry_;
  Scope* scope_;
  std::vector<Parameter> entry_parameters_;
  std::vector<std::pair<int, Computation*>> reducers_;
  int64_t names_ = 0;
  std::vector<std::string> used_base_names_;  // names that are used without a number
  int depth_ = 0;
  int written_ = 0;
  const Value* last_obtained_ = nullptr;  // only compared, never dereferenced
  // A likely operand of the next instruction. The first type and dimensions that are drawn for the
  // instruction are those of the anchor.
  const Value* anchor_ = nullptr;
  bool anchor_has_type_ = false, anchor_has_dims_ = false;
  SplitMix64 data_;
  Watch watch_;
};

int64_t ElementsOf(const Dims& dims);

}  // namespace hlocts::generators
