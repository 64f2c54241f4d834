// SPDX-License-Identifier: Apache-2.0
// Shrinks data to equal or consecutive elements; replaces values in callees by constants.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/simplifications.h"
#include "generators/fact_literals.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"

namespace hlocts::fuzz {
namespace {

constexpr int64_t kElementsTried = 96;

size_t ElementBytes(const Literal& literal) {
  return literal.raw_size() / static_cast<size_t>(literal.element_count());
}

Literal FilledWithElement(const Literal& literal, int64_t index) {
  Literal filled = literal;
  size_t bytes = ElementBytes(literal);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    std::memcpy(filled.mutable_raw_data() + static_cast<size_t>(i) * bytes,
                literal.raw_data() + static_cast<size_t>(index) * bytes, bytes);
  }
  return filled;
}

// Fills an array with 1, 2, 3, ...; begins again after the largest exact integer of the type.
Literal Counting(const Literal& literal) {
  Literal counting = literal;
  PrimitiveType type = literal.element_type();
  int64_t most = static_cast<int64_t>(std::min(generators::ExactLimit(type), 1e6));
  size_t bytes = ElementBytes(literal);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    Literal one =
        generators::ScalarLiteral(type, static_cast<double>(1 + i % std::max<int64_t>(most, 1)));
    std::memcpy(counting.mutable_raw_data() + static_cast<size_t>(i) * bytes, one.raw_data(),
                bytes);
  }
  return counting;
}

// Returns the data of an entry leaf that has several elements and is not only used as an index.
const Literal* DataToFill(const Sample& sample, const Instruction& leaf) {
  if (!leaf.shape().IsArray() || leaf.shape().is_dynamic() || OnlyIndexes(leaf)) return nullptr;
  const Literal* data = DataOf(sample, leaf);
  return data && data->element_count() > 1 ? data : nullptr;
}

void PutData(Sample& sample, int64_t index, Literal data) {
  Instruction* leaf = EntryInstruction(sample, index);
  if (leaf->has_literal()) return leaf->set_literal(std::move(data));
  sample.arguments[leaf->parameter_number()] = std::move(data);
}

// Replaces the data of all the leaves by the result of `fill`.
bool TryData(Sample& sample, const std::vector<int64_t>& leaves,
             const std::function<Literal(const Literal&)>& fill, const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  bool changed = false;
  for (int64_t index : leaves) {
    const Literal& data = *DataToFill(sample, *EntryInstruction(sample, index));
    Literal filled = fill(data);
    changed = changed || !filled.BitwiseEqual(data);
    PutData(candidate, index, std::move(filled));
  }
  return changed && KeepIfFails(sample, std::move(candidate), still_fails);
}

// Returns, for each distinct value, the index of its first element.
std::vector<int64_t> DistinctElements(const Literal& data) {
  std::set<std::string> seen;
  std::vector<int64_t> distinct;
  const size_t bytes = ElementBytes(data);
  for (int64_t i = 0; i < data.element_count(); ++i) {
    if (static_cast<int64_t>(distinct.size()) == kElementsTried) break;
    const uint8_t* at = data.raw_data() + static_cast<size_t>(i) * bytes;
    if (seen.insert(std::string(reinterpret_cast<const char*>(at), bytes)).second)
      distinct.push_back(i);
  }
  return distinct;
}

bool TryElements(Sample& sample, const std::vector<int64_t>& leaves,
                 const StillFails& still_fails) {
  for (int64_t element :
       DistinctElements(*DataToFill(sample, *EntryInstruction(sample, leaves[0])))) {
    auto repeat = [&](const Literal& data) { return FilledWithElement(data, element); };
    if (TryData(sample, leaves, repeat, still_fails)) return true;
  }
  return false;
}

bool PutConstant(Sample& sample, size_t computation, size_t index, double value,
                 const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  Computation* region = candidate.module->computations()[computation].get();
  Instruction* replaced = region->instructions()[index].get();
  auto constant = std::make_unique<Instruction>(absl::StrCat("k.", replaced->name()),
                                                Opcode::kConstant, replaced->shape());
  const Literal any(replaced->shape());
  constant->set_literal(WithElements(any, 0, any.element_count(), value));
  Instruction* added = region->Add(std::move(constant));
  ReplaceUses(replaced, added);
  MoveToFront(added);
  RemoveDeadCode(candidate);
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

}  // namespace

// Fills arrays with 1, 2, 3, ...: distinct elements make every wrong move visible.
bool IotaInsteadOfConstants(Sample& sample, const StillFails& still_fails) {
  std::vector<int64_t> leaves;
  for (const auto& leaf : sample.module->entry()->instructions()) {
    if (DataToFill(sample, *leaf)) leaves.push_back(leaf->index());
  }
  if (leaves.empty()) return false;
  if (leaves.size() > 1 && TryData(sample, leaves, Counting, still_fails)) return true;
  bool progress = false;
  for (int64_t leaf : leaves) progress = TryData(sample, {leaf}, Counting, still_fails) || progress;
  return progress;
}

// Fills each array with one of its elements, such as a special value; the arrays can then shrink.
bool RepeatOneElement(Sample& sample, const StillFails& still_fails) {
  std::map<std::vector<int64_t>, std::vector<int64_t>> alike;  // leaves by dimensions
  int64_t count = static_cast<int64_t>(sample.module->entry()->instructions().size());
  for (int64_t i = 0; i < count; ++i) {
    const Instruction& leaf = *EntryInstruction(sample, i);
    if (DataToFill(sample, leaf)) alike[leaf.shape().dimensions()].push_back(i);
  }
  bool progress = false;
  for (const auto& [dimensions, leaves] : alike) {
    if (TryElements(sample, leaves, still_fails)) {
      progress = true;
      continue;
    }
    for (int64_t leaf : leaves) progress = TryElements(sample, {leaf}, still_fails) || progress;
  }
  return progress;
}

// Replaces values in called computations by constants if the failure does not need them.
bool ConstantsInRegions(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    if (sample.module->computations()[c].get() == sample.module->entry()) continue;
    for (size_t i = sample.module->computations()[c]->instructions().size(); i-- > 0;) {
      if (c >= sample.module->computations().size()) return progress;
      const Computation& region = *sample.module->computations()[c];
      if (i >= region.instructions().size() || &region == sample.module->entry()) continue;
      const Instruction& instruction = *region.instructions()[i];
      bool array = instruction.shape().IsArray() && !instruction.shape().is_dynamic();
      if (IsCarrier(instruction) || !array) continue;
      for (double value : {0.0, 1.0}) {
        if (!PutConstant(sample, c, i, value, still_fails)) continue;
        progress = true;
        break;
      }
    }
  }
  return progress;
}

}  // namespace hlocts::fuzz
