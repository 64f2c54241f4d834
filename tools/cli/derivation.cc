// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/derivation.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/differ/differ.h"
#include "backends/differ/elements_read.h"
#include "fuzz/triage/sample.h"
#include "spec/cut/cut.h"
#include "spec/ir/index_util.h"
#include "spec/ir/surgery.h"
#include "spec/judge/element_text.h"

namespace hlocts::tools {
namespace {

constexpr size_t kStepsMax = 24;

// The acceptance sets of all values of the entry computation, by the instruction's position.
struct Values {
  fuzz::Sample all;
  std::vector<int64_t> places;
  std::map<int64_t, const LeafAcceptance*> sets;
  const std::vector<Literal>* arguments = nullptr;
};

struct Element {
  const Instruction* instruction;
  int64_t index;
  bool operator<(const Element& other) const {
    return std::pair(instruction->index(), index) <
           std::pair(other.instruction->index(), other.index);
  }
};

std::string NameOf(const Element& element) {
  const auto& dimensions = element.instruction->shape().dimensions();
  if (dimensions.empty()) return element.instruction->name();
  return absl::StrCat(element.instruction->name(), "[",
                      absl::StrJoin(MultiIndex(element.index, dimensions), ","), "]");
}

std::string SetTextOf(const LeafAcceptance& leaf, int64_t index) {
  std::string text;
  for (int c = 0; c < leaf.set.components(); ++c) {
    absl::StrAppend(&text, c > 0 ? " + i * " : "",
                    SetText(leaf.set.At(index, c), ComponentType(leaf.set.element_type())));
  }
  return text;
}

// The value or set of an element. Parameters are flattened: if none is a tuple, each is one leaf.
std::string ValueText(const Element& element, const Values& values) {
  const Instruction& instruction = *element.instruction;
  if (instruction.IsConstant()) return ElementText(instruction.literal(), element.index);
  if (instruction.IsParameter()) {
    size_t number = static_cast<size_t>(instruction.parameter_number());
    bool plain = values.arguments->size() == values.all.module->entry()->parameters().size();
    if (plain && number < values.arguments->size())
      return ElementText((*values.arguments)[number], element.index);
    return "an input";
  }
  auto found = values.sets.find(instruction.index());
  return found == values.sets.end() ? "" : SetTextOf(*found->second, element.index);
}

std::string StepText(const Element& element, const Values& values, std::set<Element>& next) {
  const Instruction& instruction = *element.instruction;
  std::vector<std::string> read;
  const auto index = MultiIndex(element.index, instruction.shape().dimensions());
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    const Instruction* operand = instruction.operands()[i];
    auto elements = backends::ElementsRead(instruction, i, index);
    if (!elements || !operand->shape().IsArray()) {
      read.push_back(operand->name());
      continue;
    }
    for (size_t e = 0; e < elements->size() && e < 4; ++e) {
      Element one{operand, (*elements)[e]};
      read.push_back(NameOf(one));
      next.insert(one);
    }
    if (elements->size() > 4) read.push_back(absl::StrCat("... ", elements->size(), " in all"));
  }
  std::string text = absl::StrCat("  ", NameOf(element), " = ");
  if (!IsCarrier(instruction))
    absl::StrAppend(&text, OpcodeName(instruction.opcode()), "(", absl::StrJoin(read, ", "), "): ");
  return absl::StrCat(text, ValueText(element, values), "\n");
}

std::string Walk(const Element& from, const Values& values) {
  std::set<Element> open = {from};
  std::vector<std::string> lines;
  while (!open.empty() && lines.size() < kStepsMax) {
    Element last = *open.rbegin();  // users come after their operands
    open.erase(last);
    lines.push_back(StepText(last, values, open));
  }
  std::string text = "step by step, from the inputs:\n";
  if (!open.empty()) absl::StrAppend(&text, "  ... ", open.size(), " more values\n");
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) text += *line;
  return text;
}

}  // namespace

std::string DerivationOf(const Job& job, const std::string& profile,
                         const std::vector<std::string>& facts, int64_t output, int64_t index) {
  if (job.request.arguments.size() != 1) return "";
  Values values;
  fuzz::Sample sample{job.module->Clone(), job.request.arguments[0], false};
  values.all = fuzz::WithAllValues(sample, &values.places);
  values.arguments = &job.request.arguments[0];
  if (values.places.size() < 2) return "";
  backends::DiffOptions options;
  options.profile = ProfileFromName(profile).value_or(Profile::kDefault);
  backends::ExecuteRequest request = job.request;
  backends::Differ differ(*values.all.module, request, options);
  auto accepted = differ.Acceptance(0, facts);
  if (!accepted.ok() || (*accepted)->leaves.size() != values.places.size()) return "";
  for (size_t i = 0; i < values.places.size(); ++i)
    values.sets[values.places[i]] = &(*accepted)->leaves[i];
  // The instruction of the clone that computes the output. The clone's root is the tuple of all
  // values.
  std::optional<CutValue> producer;
  int64_t leaf = 0;
  const Instruction& root = *job.module->entry()->root();
  ForEachLeaf(root.shape(), [&](const Shape&, const ShapeIndex& path) {
    if (leaf++ == output) producer = ResolveValue(root, path);
  });
  if (!producer || !producer->index.empty()) return "";
  const auto& instructions = values.all.module->entry()->instructions();
  return Walk({instructions[producer->instruction->index()].get(), index}, values);
}

}  // namespace hlocts::tools
