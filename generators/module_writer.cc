// SPDX-License-Identifier: Apache-2.0
#include "generators/module_writer.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "generators/choice_source.h"
#include "generators/op_generators.h"
#include "spec/ir/module.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {
namespace {

// Sets default or random layouts, as they occur in texts of modules. Layouts never change values.

void SetDefaultLayouts(Shape& shape) {
  if (shape.IsArray())
    shape.mutable_layout().emplace().minor_to_major = MajorToMinorOrder(shape.rank());
  for (Shape& element : shape.mutable_tuple_shapes()) SetDefaultLayouts(element);
}

bool HandsOver(const Instruction& instruction) {
  Family family = RowOf(instruction.opcode()).family;
  return family == Family::kControlFlow || family == Family::kTuple ||
         family == Family::kCollective;
}

void DrawLayout(ChoiceSource& choose, Shape& shape) {
  Layout& layout = *shape.mutable_layout();
  for (size_t i = layout.minor_to_major.size(); i > 1; --i) {
    std::swap(layout.minor_to_major[i - 1], layout.minor_to_major[choose.Below(i)]);
  }
}

void DrawLayouts(ChoiceSource& choose, Computation& entry) {
  absl::flat_hash_set<const Instruction*> fixed;
  for (const auto& user : entry.instructions()) {
    if (!HandsOver(*user) || user.get() == entry.root()) continue;
    fixed.insert(user->operands().begin(), user->operands().end());
  }
  for (const auto& instruction : entry.instructions()) {
    Shape& shape = instruction->mutable_shape();
    bool free = shape.IsArray() && shape.rank() > 1 && !HandsOver(*instruction) &&
                !fixed.contains(instruction.get());
    if (free && choose.Below(2)) DrawLayout(choose, shape);
  }
  // The elements of a root tuple are its operands, so both must have the same layouts.
  Instruction* root = entry.root();
  if (root->opcode() != Opcode::kTuple) return;
  for (int64_t i = 0; i < root->operand_count(); ++i) {
    root->mutable_shape().mutable_tuple_shapes()[i].mutable_layout() =
        root->operand(i).shape().layout();
  }
}

// Sets default layouts. If `drawn`, gives some arrays of the entry other layouts. Operands of
// callers, inner tuples and collectives keep the default, because other code depends on it.
void SetLayouts(ChoiceSource& choose, bool drawn, Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions())
      SetDefaultLayouts(instruction->mutable_shape());
  }
  if (drawn) DrawLayouts(choose, *module.entry());
}

}  // namespace

int64_t ElementsOf(const Dims& dims) {
  int64_t elements = 1;
  for (int64_t size : dims) elements *= size;
  return elements;
}

ValueFacts Moved(const Value& operand) {
  ValueFacts facts = operand.facts;
  facts.unique = false;
  return facts;
}

ModuleWriter::ModuleWriter(ChoiceSource& choices, ModulePlan drawn)
    : choose(choices),
      plan(std::move(drawn)),
      module_(std::make_unique<Module>("m")),
      scope_(&entry_),
      data_(choices.Below(uint64_t{1} << 32)) {
  entry_.computation = module_->Add(std::make_unique<Computation>("main"));
  entry_.is_entry = entry_.uniform = true;
  module_->set_entry(entry_.computation);
  module_->replica_count = plan.replicas;
}

// Returns a name as in real modules: first %add, then %add.7.
std::string ModuleWriter::Name(absl::string_view stem) {
  if (std::find(used_base_names_.begin(), used_base_names_.end(), stem) != used_base_names_.end())
    return absl::StrCat(stem, ".", names_++);
  used_base_names_.emplace_back(stem);
  return used_base_names_.back();
}

PrimitiveType ModuleWriter::DrawType(TypeSet allowed) {
  allowed &= plan.types;
  if (allowed == 0) return PrimitiveType::kInvalid;
  if (std::exchange(anchor_has_type_, false) && Contains(allowed, anchor_->type()))
    return anchor_->type();
  // Prefers the types of existing values, because then these are used as operands more often.
  if (!scope_->terms.empty() && choose.Below(2) == 0) {
    const Value& term = scope_->terms[choose.Below(scope_->terms.size())];
    if (term.shape().IsArray() && Contains(allowed, term.type())) return term.type();
  }
  for (int attempt = 0; attempt < 4 && !plan.type_draw.empty(); ++attempt) {
    PrimitiveType type = choose.Pick(plan.type_draw);
    if (Contains(allowed, type)) return type;
  }
  for (PrimitiveType type : plan.type_draw) {
    if (Contains(allowed, type)) return type;
  }
  return Contains(allowed, PrimitiveType::kPred) ? PrimitiveType::kPred : PrimitiveType::kInvalid;
}

bool ModuleWriter::Fits(const Dims& dims) const {
  int64_t elements = 1;
  for (int64_t size : dims) {
    elements *= size;
    if (elements > 4 * plan.elements_max) return false;
  }
  return true;
}

Dims ModuleWriter::DrawDims(int64_t rank_min, int64_t rank_max) {
  if (scope_->scalars_only) return {};
  auto in_range = [&](const Dims& dims) {
    int64_t rank = static_cast<int64_t>(dims.size());
    return rank >= rank_min && rank <= rank_max;
  };
  if (std::exchange(anchor_has_dims_, false) && in_range(anchor_->dims())) return anchor_->dims();
  if (!scope_->terms.empty() && choose.Below(4) < 2) {
    const Value& term = scope_->terms[choose.Below(scope_->terms.size())];
    if (term.shape().IsArray() && in_range(term.dims())) return term.dims();
  }
  const Dims& shared = choose.Pick(plan.common_shapes);
  if (choose.Below(4) != 3 && in_range(shared)) return shared;
  Dims dims;
  int64_t elements = 1;
  rank_min = std::max(rank_min, std::min(rank_max, plan.rank_min));
  int64_t rank = choose.Range(rank_min, std::max(rank_min, std::min(rank_max, plan.rank_max)));
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = DrawSize();
    if (elements * size > plan.elements_max) size = 1;
    elements *= size;
    dims.push_back(size);
  }
  return dims;
}

Value* ModuleWriter::Add(std::unique_ptr<Instruction> instruction, ValueFacts facts) {
  Instruction* added = scope_->computation->Add(std::move(instruction));
  scope_->terms.push_back({added, facts});
  return &scope_->terms.back();
}

Value* ModuleWriter::Emit(Opcode opcode, Shape shape, const Terms& operands, ValueFacts facts) {
  auto instruction =
      std::make_unique<Instruction>(Name(OpcodeName(opcode)), opcode, std::move(shape));
  instruction->mutable_operands().reserve(operands.size());
  for (Value* operand : operands) {
    instruction->mutable_operands().push_back(operand->instruction);
    ++operand->uses;
    facts.opaque = facts.opaque || operand->facts.opaque;
  }
  ++written_;
  if (plan.checked() && instruction->shape().IsArray() && !facts.bits_known)
    facts = Rounded(instruction->shape().element_type(), facts);
  return Add(std::move(instruction), facts);
}

Terms ModuleWriter::Elements(Value* tuple, const std::vector<ValueFacts>& facts) {
  Terms elements;
  const std::vector<Shape>& shapes = tuple->shape().tuple_shapes();
  for (size_t i = 0; i < shapes.size(); ++i) {
    Value* element = Emit(Opcode::kGetTupleElement, shapes[i], {tuple}, facts[i]);
    element->instruction->Set(Attr::kIndex, static_cast<int64_t>(i));
    elements.push_back(element);
  }
  return elements;
}

Computation* ModuleWriter::Define(absl::string_view name, const std::vector<Parameter>& parameters,
                                  const Body& body, Runs runs) {
  Scope scope{.computation = module_->Add(std::make_unique<Computation>(Name(name))),
              .scalars_only = runs == Runs::kByElement,
              .uniform = runs == Runs::kUnconditional && scope_->uniform};
  Scope* outer = scope_;
  int written = written_;
  scope_ = &scope;
  SetAnchor(nullptr);
  ++depth_;
  Terms terms;
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto parameter =
        std::make_unique<Instruction>(Name("p"), Opcode::kParameter, parameters[i].shape);
    parameter->set_parameter_number(static_cast<int64_t>(i));
    terms.push_back(Add(std::move(parameter), parameters[i].facts));
  }
  scope.computation->set_root(body(terms)->instruction);
  if (watch_) watch_(scope.terms);
  --depth_;
  scope_ = outer;
  SetAnchor(nullptr);
  written_ = written + (written_ - written + 1) / 2;  // half of the weight for nested instructions
  return scope.computation;
}

Computation* ModuleWriter::Reducer(Opcode opcode, PrimitiveType type) {
  int key = static_cast<int>(opcode) * 64 + static_cast<int>(type);
  for (const auto& [made, computation] : reducers_) {
    if (made == key) return computation;
  }
  Shape scalar = Shape::Scalar(type);
  int written = written_;
  Computation* computation =
      Define(OpcodeName(opcode), {{scalar, {}}, {scalar, {}}}, [&](const Terms& p) {
        return Emit(opcode, scalar, {p[0], p[1]});
      });
  written_ = written;
  reducers_.emplace_back(key, computation);
  return computation;
}

Computation* ModuleWriter::OverwriteComputation(PrimitiveType type) {
  Shape scalar = Shape::Scalar(type);
  return Define("overwrite", {{scalar, {}}, {scalar, {}}}, [&](const Terms& p) { return p[1]; });
}

void ModuleWriter::Grow(int instructions) {
  int target = written_ + instructions;
  // The number of attempts is limited: every operation may decline (because of types or nesting).
  for (int attempts = 8 * instructions + 8; written_ < target && attempts > 0; --attempts) {
    if (choose.exhausted()) return;
    choose.Mark();
    DrawAnchor();
    if (plan.moves_only || (plan.idioms && !scope_->scalars_only && choose.OneIn(12))) {
      GenerateIdiom(*this);
      continue;
    }
    Opcode opcode = plan.opcodes[choose.Weighted(plan.weights)];
    Family family = RowOf(opcode).family;
    bool by_element = family == Family::kElementwiseUnary || family == Family::kElementwiseBinary ||
                      family == Family::kElementwiseOther;
    if (scope_->scalars_only && !by_element) continue;
    OpGeneratorOf(opcode)(*this, opcode);
  }
  SetAnchor(nullptr);
}

// Selects an existing value as a likely operand. Without it, type and dimensions would be drawn
// separately, and few existing values would match both.
void ModuleWriter::DrawAnchor() {
  constexpr size_t kNewest = 8;
  SetAnchor(nullptr);
  if (scope_->terms.empty() || choose.Below(2) == 0) return;
  size_t count = scope_->terms.size();
  const Value& term = scope_->terms[count - 1 - choose.Below(std::min(count, kNewest))];
  if (term.shape().IsArray() && !term.facts.opaque && !term.hidden) SetAnchor(&term);
}

void ModuleWriter::SetAnchor(const Value* anchor) {
  anchor_ = anchor;
  anchor_has_type_ = anchor_has_dims_ = anchor != nullptr;
}

Value* ModuleWriter::Find(const std::function<bool(const Value&)>& fits) {
  for (auto term = scope_->terms.rbegin(); term != scope_->terms.rend(); ++term) {
    if (fits(*term)) return &*term;
  }
  return nullptr;
}

Value* ModuleWriter::Newest() {
  auto usable = [](const Value& term) {
    return term.shape().IsArray() && !term.facts.opaque && !term.hidden;
  };
  Value* unused = Find([&](const Value& term) {
    return term.uses == 0 && usable(term) && !term.instruction->IsConstant();
  });
  if (unused) return unused;
  if (Value* any = Find(usable)) return any;
  PrimitiveType type = DrawType(~TypeSet{0});
  return MakeNew(type == PrimitiveType::kInvalid ? plan.type_draw[0] : type, DrawDims());
}

Terms ModuleWriter::Unused() {
  Terms unused;
  for (Value& term : scope_->terms) {
    Opcode opcode = term.instruction->opcode();
    if (term.uses == 0 && term.shape().IsArray() && opcode != Opcode::kParameter &&
        opcode != Opcode::kConstant) {
      unused.push_back(&term);
    }
  }
  return unused;
}

Terms ModuleWriter::Outputs() {
  constexpr size_t kOutputsMax = 6;
  Terms outputs = Unused();
  if (outputs.empty()) outputs.push_back(Newest());
  if (outputs.size() > kOutputsMax) outputs.erase(outputs.begin(), outputs.end() - kOutputsMax);
  // Ensures that one output has elements to compare, whatever the run-time sizes are.
  auto has_elements = [](const Value& term) {
    const Shape& shape = term.shape();
    return shape.IsArray() && !shape.is_dynamic() && shape.ElementCount() > 0 && !term.hidden;
  };
  for (const Value* output : outputs) {
    if (has_elements(*output)) return outputs;
  }
  Value* term = Find(has_elements);
  outputs.push_back(term != nullptr ? term : MakeNew(plan.type_draw[0], {}));
  return outputs;
}

std::unique_ptr<Module> ModuleWriter::Finish() {
  const Terms outputs = Outputs();
  Value* root = outputs[0];
  if (outputs.size() > 1 || choose.OneIn(16)) {
    std::vector<Shape> shapes;
    for (Value* output : outputs) shapes.push_back(output->shape());
    root = Emit(Opcode::kTuple, Shape::Tuple(std::move(shapes)), outputs);
  }
  entry_.computation->set_root(root->instruction);
  if (watch_) watch_(entry_.terms);
  OrderComputations();
  if (plan.numbers_shuffled) ShuffleNumbers();
  SetLayouts(choose, plan.layouts, *module_);
  return std::move(module_);
}

void ModuleWriter::ShuffleNumbers() {
  std::vector<Instruction*> parameters = entry_.computation->parameters();
  for (size_t i = parameters.size(); i > 1; --i) {
    size_t other = choose.Below(i);
    std::swap(parameters[i - 1], parameters[other]);
    std::swap(entry_parameters_[i - 1], entry_parameters_[other]);
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    parameters[i]->set_parameter_number(static_cast<int64_t>(i));
}

// Moves callees before their callers, as the text format requires. Removes unused computations.
void ModuleWriter::OrderComputations() {
  std::vector<Computation*> order;
  for (Computation* computation : module_->CallOrder()) {
    if (computation != entry_.computation) order.push_back(computation);
  }
  if (order.size() + 1 != module_->computations().size()) {
    module_->RemoveIf([&](const Computation& computation) {
      return &computation != entry_.computation &&
             std::find(order.begin(), order.end(), &computation) == order.end();
    });
  }
  order.push_back(entry_.computation);
  module_->Reorder(order);
}

}  // namespace hlocts::generators
