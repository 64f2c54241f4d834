// SPDX-License-Identifier: Apache-2.0
// Shrinks the structure of a module: outputs, instructions, called computations.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "fuzz/shrink/shrink_shardings.h"
#include "fuzz/shrink/shrinker.h"
#include "spec/infer/infer.h"
#include "spec/infer/verifier.h"
#include "spec/ir/surgery.h"
#include "spec/ops/groups.h"
#include "spec/ops/partitions.h"

namespace hlocts::fuzz {

bool KeepIfFails(Sample& sample, Sample candidate, const StillFails& still_fails) {
  if (!still_fails(candidate)) return false;
  sample = std::move(candidate);
  return true;
}

namespace {

bool Take(Sample& sample, Sample candidate, const StillFails& still_fails) {
  RemoveDeadCode(candidate);
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

// Inserts copies of the instructions of `body` before `caller` and returns the copy of the root.
// `operands` replace the parameters of `body`.
Instruction* Inline(const Computation& body, Instruction* caller,
                    const std::vector<Instruction*>& operands) {
  Computation* computation = caller->parent();
  std::vector<Instruction*> order;
  for (const auto& instruction : computation->instructions()) order.push_back(instruction.get());
  std::vector<Instruction*> copies;
  std::vector<Instruction*> made(body.instructions().size());
  for (const auto& instruction : body.instructions()) {
    Instruction*& copy = made[instruction->index()];
    if (instruction->IsParameter()) {
      copy = operands[instruction->parameter_number()];
      continue;
    }
    std::vector<Instruction*> copied;
    for (const Instruction* operand : instruction->operands())
      copied.push_back(made[operand->index()]);
    std::string name = absl::StrCat(instruction->name(), ".", caller->name());
    copy = computation->Add(CopyOf(*instruction, std::move(name), std::move(copied)));
    copies.push_back(copy);
  }
  auto place = std::find(order.begin(), order.end(), caller);
  order.insert(place, copies.begin(), copies.end());
  computation->Reorder(order);
  return made[body.root()->index()];
}

// Makes a copied instruction of a map apply to arrays: its result gets the dimensions of the map.
void SpreadOver(const std::vector<int64_t>& dimensions, Instruction* copy) {
  const Shape scalar = copy->shape();
  Shape spread = Shape(scalar.element_type(), dimensions).WithDefaultLayout();
  if (!copy->IsConstant()) {
    copy->mutable_shape() = std::move(spread);
    return;
  }
  auto owned = std::make_unique<Instruction>(absl::StrCat("spread.", copy->name()),
                                             Opcode::kBroadcast, std::move(spread));
  owned->Set(Attr::kDimensions, std::vector<int64_t>());
  Instruction* broadcast = copy->parent()->Add(std::move(owned));
  ReplaceUses(copy, broadcast);
  broadcast->mutable_operands() = {copy};
  MoveBehind(copy, {broadcast});
}

void SpreadCopies(const Instruction& map, const std::vector<Instruction*>& before) {
  std::vector<Instruction*> copies;
  for (const auto& instruction : map.parent()->instructions()) {
    bool old = std::find(before.begin(), before.end(), instruction.get()) != before.end();
    if (!old) copies.push_back(instruction.get());
  }
  for (Instruction* copy : copies) SpreadOver(map.shape().dimensions(), copy);
}

// A computation that may replace its caller, and the operands for its parameters.
struct Region {
  Computation* body;
  std::vector<Instruction*> operands;
};
// Returns false for an invalid body that needs more operands than given, or contains the caller.
bool CanReplaceCaller(const Region& region, const Instruction& caller) {
  if (region.body == nullptr || region.body->root() == nullptr) return false;
  if (region.body == caller.parent() || region.body->root()->parent() != region.body) return false;
  for (const auto& instruction : region.body->instructions()) {
    const int64_t number = instruction->parameter_number();
    if (instruction->IsParameter() &&
        (number < 0 || number >= static_cast<int64_t>(region.operands.size())))
      return false;
    for (const Instruction* operand : instruction->operands()) {
      if (operand == nullptr || operand->parent() != region.body ||
          operand->index() >= instruction->index())
        return false;
    }
  }
  return true;
}

std::vector<Region> RegionsOf(const Instruction& caller) {
  std::vector<Region> regions;
  const std::vector<Computation*> called = caller.called_computations();
  const std::vector<Instruction*>& operands = caller.operands();
  if (caller.opcode() == Opcode::kMap && !called.empty()) regions.push_back({called[0], operands});
  if (const std::optional<ops::Caller> kind = ops::CallerOf(caller.opcode())) {
    switch (*kind) {
      case ops::Caller::kCall:
      case ops::Caller::kFusion:
        if (!called.empty()) regions.push_back({called[0], operands});
        break;
      case ops::Caller::kWhile:
        regions.push_back({caller.CalledComputation(Attr::kBody), operands});
        break;
      case ops::Caller::kConditional:
        for (size_t b = 0; b < called.size() && b + 1 < operands.size(); ++b)
          regions.push_back({called[b], {operands[b + 1]}});
        break;
    }
  }
  std::erase_if(regions, [&](const Region& region) { return !CanReplaceCaller(region, caller); });
  return regions;
}

// Replaces a get-tuple-element of a tuple by the element.
void FoldTuples(Computation* computation) {
  for (const auto& instruction : computation->instructions()) {
    if (instruction->opcode() != Opcode::kGetTupleElement || instruction->operand_count() != 1)
      continue;
    Instruction* tuple = instruction->mutable_operands()[0];
    const int64_t index = instruction->IntOr(Attr::kIndex, 0);
    const bool folds =
        tuple->opcode() == Opcode::kTuple && index >= 0 && index < tuple->operand_count();
    if (folds) ReplaceUses(instruction.get(), tuple->mutable_operands()[index]);
  }
}

bool Reaches(const Computation* from, const Computation* wanted) {
  if (from == wanted) return true;
  for (const auto& instruction : from->instructions()) {
    for (const Computation* called : instruction->called_computations()) {
      if (Reaches(called, wanted)) return true;
    }
  }
  return false;
}

void CallInstead(Module& module, Computation* from, Computation* to) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (auto& [attr, value] : instruction->mutable_attributes()) {
        if (auto* called = std::get_if<Computation*>(&value)) {
          if (*called == from) *called = to;
        } else if (auto* list = std::get_if<std::vector<Computation*>>(&value)) {
          std::replace(list->begin(), list->end(), from, to);
        }
      }
    }
  }
}

bool TryOneForAnother(Sample& sample, size_t from, size_t to, const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  Module& module = *candidate.module;
  Computation *replaced = module.computations()[from].get(), *by = module.computations()[to].get();
  if (replaced == by || replaced == module.entry() || by == module.entry()) return false;
  if (!HaveSameSignature(*replaced, *by) || Reaches(by, replaced)) return false;
  CallInstead(module, replaced, by);
  RemoveDeadCode(candidate);
  module.Reorder(module.CallOrder());
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

// Replaces values by parameters, from the last value to the first, if the failure does not need the
// computation of these values.
bool CutWithValues(Sample& sample, const StillFails& still_fails, backends::Backend& values,
                   const backends::LoadOptions& limits, bool last_device) {
  bool progress = false;
  for (bool again = true; again;) {
    again = false;
    std::map<int64_t, Literal> computed = EntryValues(sample, values, last_device, limits);
    int64_t count = static_cast<int64_t>(sample.module->entry()->instructions().size());
    for (int64_t index = count - 1; index >= 0 && !again; --index) {
      if (index >= static_cast<int64_t>(sample.module->entry()->instructions().size())) continue;
      auto value = computed.find(index);
      const Instruction* chosen = EntryInstruction(sample, index);
      if (value == computed.end() || chosen == sample.module->entry()->root()) continue;
      Sample candidate = sample.Clone();
      ReplaceByParameter(candidate, EntryInstruction(candidate, index), value->second);
      again = Take(sample, std::move(candidate), still_fails);
      progress = progress || again;
    }
  }
  return progress;
}

// Returns arguments of zeros, or none if a shape is invalid. Invalid modules are not run.
std::vector<Literal> ZerosFor(const Module& module) {
  std::vector<Literal> zeros;
  for (const Shape& shape : backends::ArgumentLeafShapes(module)) {
    if (!VerifyShape(shape).ok()) return {};
    zeros.emplace_back(shape);
  }
  return zeros;
}

bool TryEntry(Sample& sample, size_t computation, const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  Module& module = *candidate.module;
  Computation* entry = module.computations()[computation].get();
  if (entry == module.entry() || entry->root() == nullptr) return false;
  module.set_entry(entry);
  module.entry_computation_layout.reset();
  module.input_output_alias.clear();
  module.buffer_donor.clear();
  candidate.arguments = ZerosFor(module);
  RemoveDeadCode(candidate);
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

}  // namespace

// Makes an unused instruction the root: it may be the wrong one, and later candidates remove unused
// instructions.
bool ReturnUnused(Sample& sample, const StillFails& still_fails) {
  const Computation& entry = *sample.module->entry();
  std::set<const Instruction*> used = {entry.root()};
  for (const auto& instruction : entry.instructions())
    used.insert(instruction->operands().begin(), instruction->operands().end());
  for (const auto& instruction : entry.instructions()) {
    if (ops::IsGiven(instruction->opcode())) continue;
    if (used.count(instruction.get()) > 0) continue;
    Sample candidate = sample.Clone();
    candidate.module->entry()->set_root(EntryInstruction(candidate, instruction->index()));
    if (Take(sample, std::move(candidate), still_fails)) return true;
  }
  return false;
}

bool KeepOneOutput(Sample& sample, const StillFails& still_fails) {
  const Instruction* root = sample.module->entry()->root();
  if (root->opcode() != Opcode::kTuple) return false;
  for (int64_t i = 0; i < root->operand_count(); ++i) {
    if (root->operand(i).IsParameter() && root->operand_count() > 1) continue;
    Sample candidate = sample.Clone();
    Instruction* tuple = candidate.module->entry()->root();
    KeepSharding(*tuple, i, tuple->mutable_operands()[i]);
    candidate.module->entry()->set_root(tuple->mutable_operands()[i]);
    if (Take(sample, std::move(candidate), still_fails)) return true;
  }
  return false;
}

bool CutAtParameters(Sample& sample, const StillFails& still_fails, backends::Backend& values,
                     const backends::LoadOptions& limits) {
  bool progress = CutWithValues(sample, still_fails, values, limits, /*last_device=*/false);
  // Also tries the values of the last device: the first device's replica and partition ids are 0.
  const bool several = sample.module->replica_count > 1 || ArgumentPartitions(*sample.module) > 1;
  return (several && CutWithValues(sample, still_fails, values, limits, true)) || progress;
}

// Replaces an instruction by an operand of its shape, or the entry's root by any array operand.
bool DropInstructions(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    int64_t count = static_cast<int64_t>(sample.module->computations()[c]->instructions().size());
    for (int64_t i = count - 1; i >= 0; --i) {
      if (c >= sample.module->computations().size()) break;
      const Computation& computation = *sample.module->computations()[c];
      if (i >= static_cast<int64_t>(computation.instructions().size())) continue;
      const Instruction& instruction = *computation.instructions()[i];
      if (IsCarrier(instruction)) continue;
      bool is_root = computation.root() == &instruction && &computation == sample.module->entry();
      for (int64_t o = 0; o < instruction.operand_count(); ++o) {
        const Shape& shape = instruction.operand(o).shape();
        if (!shape.CompatibleWith(instruction.shape()) && !(is_root && shape.IsArray())) continue;
        Sample candidate = sample.Clone();
        Instruction* dropped = candidate.module->computations()[c]->instructions()[i].get();
        if (is_root) KeepSharding(*dropped, 0, dropped->mutable_operands()[o]);
        ReplaceUses(dropped, dropped->mutable_operands()[o]);
        if (!Take(sample, std::move(candidate), still_fails)) continue;
        progress = true;
        break;
      }
    }
  }
  return progress;
}

bool InlineRegions(Sample& sample, const StillFails& still_fails) {
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    const Computation& computation = *sample.module->computations()[c];
    for (const auto& instruction : computation.instructions()) {
      size_t regions = RegionsOf(*instruction).size();
      for (size_t r = 0; r < regions; ++r) {
        Sample candidate = sample.Clone();
        Instruction* caller =
            candidate.module->computations()[c]->instructions()[instruction->index()].get();
        Region region = RegionsOf(*caller)[r];
        std::vector<Instruction*> before;
        for (const auto& one : caller->parent()->instructions()) before.push_back(one.get());
        ReplaceUses(caller, Inline(*region.body, caller, region.operands));
        if (caller->opcode() == Opcode::kMap) SpreadCopies(*caller, before);
        FoldTuples(caller->parent());
        if (Take(sample, std::move(candidate), still_fails)) return true;
      }
    }
  }
  return false;
}

void InlineCalls(Sample& sample, int64_t most) {
  Computation* entry = sample.module->entry();
  for (int64_t n = 0; n < most; ++n) {
    const auto& all = entry->instructions();
    auto found = std::find_if(all.begin(), all.end(), [](const auto& one) {
      return one->opcode() == Opcode::kCall && !RegionsOf(*one).empty();
    });
    if (found == all.end()) return;
    Instruction* caller = found->get();
    ReplaceUses(caller, Inline(*RegionsOf(*caller)[0].body, caller, caller->operands()));
    FoldTuples(entry);
    RemoveDeadCode(sample);
  }
}

// Replaces one of two computations with equal parameter and result shapes by the other.
bool ReplaceComputations(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (size_t from = 0; from < sample.module->computations().size(); ++from) {
    for (size_t to = 0; to < sample.module->computations().size(); ++to) {
      if (!TryOneForAnother(sample, from, to, still_fails)) continue;
      progress = true;
      to = 0;
      if (from >= sample.module->computations().size()) return progress;
    }
  }
  return progress;
}

bool PromoteCalledToEntry(Sample& sample, const StillFails& still_fails) {
  if (VerifyModule(*sample.module).ok()) return false;
  // Callees come first in the module, so the innermost computation is found.
  for (size_t c = 0; c < sample.module->computations().size(); ++c)
    if (TryEntry(sample, c, still_fails)) return true;
  return false;
}

}  // namespace hlocts::fuzz
