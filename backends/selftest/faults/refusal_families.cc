// SPDX-License-Identifier: Apache-2.0
// Families of faults that reject valid modules: those with an opcode, or with some of its types,
// ranks or forms.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "backends/selftest/faults/fault.h"
#include "backends/selftest/faults/fault_family.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

// Returns the leaves of the operands and of the result.
std::vector<Shape> Leaves(const Instruction& instruction) {
  std::vector<Shape> leaves = LeafShapes(instruction.shape());
  for (const Instruction* operand : instruction.operands()) {
    for (Shape& leaf : LeafShapes(operand->shape())) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

}  // namespace

std::set<std::string> PropertyNamesOf(const Instruction& instruction) {
  std::set<std::string> found;
  std::set<PrimitiveType> types;
  for (const Shape& leaf : Leaves(instruction)) {
    if (leaf.IsToken()) found.insert("token");
    if (!leaf.IsArray()) continue;
    types.insert(leaf.element_type());
    if (leaf.rank() == 0) found.insert("scalar");
    if (leaf.is_dynamic()) found.insert("dynamic-size");
    for (int64_t size : leaf.dimensions()) {
      if (size == 0) found.insert("no-elements");
      if (size == 1) found.insert("size-one");
    }
  }
  if (types.size() > 1) found.insert("several-types");
  if (instruction.shape().IsTuple()) found.insert("tuple-result");
  for (const Instruction* operand : instruction.operands()) {
    if (operand->shape().IsTuple()) found.insert("tuple-operand");
    if (operand->IsConstant()) found.insert("constant-operand");
    if (std::count(instruction.operands().begin(), instruction.operands().end(), operand) > 1) {
      found.insert("operand-used-twice");
    }
  }
  if (instruction.parent()->root() != &instruction) found.insert("inner");
  if (instruction.parent() != instruction.parent()->parent()->entry()) found.insert("called");
  return found;
}

std::set<std::string> PeculiaritiesOfModule(const Instruction& instruction) {
  const Module& module = *instruction.parent()->parent();
  std::set<std::string> found;
  if (!module.input_output_alias.empty()) found.insert("alias");
  if (!module.buffer_donor.empty()) found.insert("donor");
  if (module.entry_computation_layout) found.insert("entry-layout");
  if (module.replica_count > 1) found.insert("replicas");
  if (module.num_partitions > 1) found.insert("partitions");
  if (module.entry()->parameters().empty()) found.insert("no-parameters");
  return found;
}

namespace {

using Names = std::vector<std::string>;
Names ListOf(const std::set<std::string>& set) { return Names(set.begin(), set.end()); }

Names Types(const Instruction& instruction) {
  std::set<std::string> names;
  for (const Shape& leaf : Leaves(instruction)) {
    if (leaf.IsArray()) names.insert(std::string(PrimitiveTypeName(leaf.element_type())));
  }
  return ListOf(names);
}
Names Ranks(const Instruction& instruction) {
  std::set<std::string> names;
  for (const Shape& leaf : Leaves(instruction)) {
    if (leaf.IsArray()) names.insert(absl::StrCat(leaf.rank()));
  }
  return ListOf(names);
}
Names Operands(const Instruction& i) { return {absl::StrCat(i.operand_count())}; }
Names Attributes(const Instruction& instruction) {
  std::set<std::string> names;
  for (const auto& [attr, value] : instruction.attributes())
    names.insert(std::string(AttrName(attr)));
  return ListOf(names);
}
Names Any(const Instruction&) { return {""}; }
Names PropertyList(const Instruction& i) { return ListOf(PropertyNamesOf(i)); }
Names Modules(const Instruction& i) { return ListOf(PeculiaritiesOfModule(i)); }

template <Names (*names)(const Instruction&)>
bool Plant(const std::string& parameter, Fault& fault) {
  fault.refuses = [parameter, opcode = fault.opcodes[0]](const Instruction& instruction) {
    if (instruction.opcode() != opcode) return false;
    Names found = names(instruction);
    return std::find(found.begin(), found.end(), parameter) != found.end();
  };
  return true;
}

constexpr FaultClass kClass = FaultClass::kInference;
constexpr FaultFamily kFamilies[] = {
    {"refused", kClass, "rejected in every form", Any, Plant<Any>},
    {"refused-type", kClass, "rejected with a leaf of type", Types, Plant<Types>},
    {"refused-rank", kClass, "rejected with an array of rank", Ranks, Plant<Ranks>},
    {"refused-operands", kClass, "rejected with this number of operands", Operands,
     Plant<Operands>},
    {"refused-attribute", kClass, "rejected with the attribute", Attributes, Plant<Attributes>},
    {"refused-form", kClass, "rejected if this is present", PropertyList, Plant<PropertyList>},
    {"refused-module", kClass, "rejected in a module with", Modules, Plant<Modules>},
};

}  // namespace

absl::Span<const FaultFamily> RefusalFamilies() { return kFamilies; }

}  // namespace hlocts::backends
