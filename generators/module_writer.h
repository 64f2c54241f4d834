// SPDX-License-Identifier: Apache-2.0
// A module under construction: the values available in the computation being written, with facts
// about them, and the functions that find operands. The generators of families/ write through it.
#ifndef HLOCTS_GENERATORS_MODULE_WRITER_H_
#define HLOCTS_GENERATORS_MODULE_WRITER_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "generators/plan.h"
#include "spec/ir/instruction.h"

namespace hlocts::generators {

// A value of the computation being written.
struct Value {
  Instruction* instruction = nullptr;
  ValueFacts facts;
  int uses = 0;
  bool hidden = false;  // never taken as an operand by chance

  const Shape& shape() const { return instruction->shape(); }
  PrimitiveType type() const { return shape().element_type(); }
  const Dims& dims() const { return shape().dimensions(); }
};
using Terms = std::vector<Value*>;
// Facts of a value that contains elements of `operand` in other places or several times.
ValueFacts Moved(const Value& operand);

class ModuleWriter {
 public:
  ModuleWriter(ChoiceSource& choices, ModulePlan drawn);

  ChoiceSource& choose;
  const ModulePlan plan;

  // --- Drawing ---
  // A type out of `allowed` that the plan has; kInvalid if there is none.
  PrimitiveType DrawType(TypeSet allowed);
  Dims DrawDims(int64_t rank_min = 0, int64_t rank_max = 9);
  int64_t DrawSize() { return choose.Pick(plan.sizes); }
  bool Fits(const Dims& dims) const;  // not too many elements for an intermediate value

  // --- Writing ---
  Value* Emit(Opcode opcode, Shape shape, const Terms& operands, ValueFacts facts = {});
  // The elements of a tuple-shaped value, made ready as values of their own.
  Terms Elements(Value* tuple, const std::vector<ValueFacts>& facts);
  Value* Convert(Value* operand, PrimitiveType to);
  Value* ScalarConstant(PrimitiveType type, double value);
  Value* Constant(Literal literal, ValueFacts facts);

  // --- Operands ---
  // A value of that type and size which `demand` holds of in checked streams: one at hand, an
  // adapted one, a new parameter or constant; behind a clamp where its own facts do not promise it.
  Value* FindOrMake(PrimitiveType type, const Dims& dims, const Requirement& demand = {});
  // A value that nothing was computed for: parameter, constant or iota.
  Value* MakeNew(PrimitiveType type, const Dims& dims, const Requirement& demand = {});
  Value* Checked(Value* term, const Requirement& demand);
  // True if an operation that special values or few bits make unjudgeable gets ordinary operands:
  // always in checked streams, mostly in the others.
  bool DrawOrdinary() { return plan.checked() || !choose.OneIn(16); }
  // A parameter or constant whose elements are drawn separately; `demand` holds in every stream.
  Value* MakeVaried(PrimitiveType type, const Dims& dims, const Requirement& demand);
  // FindOrMake; `ordinary`: `demand` holds in every stream.
  Value* FindOrdinary(PrimitiveType type, const Dims& dims, const Requirement& demand,
                      bool ordinary);
  // In checked streams: a scalar index of an integer type in [0, bound]; else any index.
  Value* Index(PrimitiveType type, int64_t bound);
  // The largest magnitude that checked streams let a value of the type reach.
  double Limit(PrimitiveType type) const;
  // Facts of an integer result that may wrap; nothing in unchecked streams.
  ValueFacts Satisfy(PrimitiveType type, ValueFacts facts) const;

  // --- Computations ---
  struct Parameter {
    Shape shape;
    ValueFacts facts;
  };
  // Writes a computation; `body` returns its root. Terms of the outer one are not available in it.
  using Body = std::function<Value*(const Terms& parameters)>;
  enum class Runs : uint8_t { kAsTheCaller, kOrNot, kByElement };
  Computation* Define(absl::string_view name, const std::vector<Parameter>& parameters,
                      const Body& body, Runs runs = Runs::kOrNot);
  // (T, T) -> T of one opcode; shared by all callers.
  Computation* Reducer(Opcode opcode, PrimitiveType type);
  Computation* Overwriter(PrimitiveType type);  // (old, new) -> new
  // Random instructions in the present computation.
  void Grow(int instructions);
  int depth() const { return depth_; }
  // Every device comes here as often as the others: the place for collectives.
  bool uniform() const { return scope_->uniform; }
  bool scalars_only() const { return scope_->scalars_only; }
  // Sees the terms of each computation once it is written, the entry's last.
  using Watch = std::function<void(const std::deque<Value>&)>;
  void WatchTerms(Watch watch) { watch_ = std::move(watch); }
  // The newest available value without a user; else any; else a new one.
  Value* Newest();
  // Available arrays without users, oldest first: a root should return them.
  Terms Unused();
  // The operands of the root: some of the unused values, and an array that surely has elements.
  Terms Outputs();
  // A parameter of the entry with a dynamic dimension, whose size at run time is data.
  Value* DynamicParameter(PrimitiveType type, const Dims& dims, int64_t dynamic_dimension);
  // An available value for which `fits` holds; nullptr if there is none.
  Value* Find(const std::function<bool(const Value&)>& fits);

  // Closes the entry computation; the writer is spent.
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
  std::vector<std::string> stems_;  // of names without a number
  int depth_ = 0;
  int written_ = 0;
  const Value* last_obtained_ = nullptr;  // compared, never read
  // A value that the next instruction should take if it can: its type and dimensions are drawn
  // first, once each.
  const Value* anchor_ = nullptr;
  bool anchor_has_type_ = false, anchor_has_dims_ = false;
  SplitMix64 data_;
  Watch watch_;
};

int64_t ElementsOf(const Dims& dims);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_MODULE_WRITER_H_
