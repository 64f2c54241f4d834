// SPDX-License-Identifier: Apache-2.0
// Faults that read attributes wrongly: a number off by one, a list in another order, a word
// confused with another.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/selftest/faults/fault_family.h"
#include "spec/ops/op_table.h"

namespace hlocts::backends {
namespace {

// A number inside an attribute, and its name: "window.0.stride".
struct Slot {
  std::string name;
  int64_t* number;
};

void AddList(const std::string& name, std::vector<int64_t>& list, std::vector<Slot>& slots) {
  for (size_t i = 0; i < list.size(); ++i) slots.push_back({absl::StrCat(name, ".", i), &list[i]});
}
void AddWindow(const std::string& name, Window& window, std::vector<Slot>& slots) {
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    WindowDimension& w = window.dimensions[d];
    std::string prefix = absl::StrCat(name, ".", d, ".");
    slots.push_back({prefix + "size", &w.size});
    slots.push_back({prefix + "stride", &w.stride});
    slots.push_back({prefix + "padding_low", &w.padding_low});
    slots.push_back({prefix + "padding_high", &w.padding_high});
    slots.push_back({prefix + "window_dilation", &w.window_dilation});
    slots.push_back({prefix + "base_dilation", &w.base_dilation});
  }
}
void AddPadding(const std::string& name, PaddingConfig& padding, std::vector<Slot>& slots) {
  for (size_t d = 0; d < padding.dimensions.size(); ++d) {
    std::string prefix = absl::StrCat(name, ".", d, ".");
    slots.push_back({prefix + "low", &padding.dimensions[d].low});
    slots.push_back({prefix + "high", &padding.dimensions[d].high});
    slots.push_back({prefix + "interior", &padding.dimensions[d].interior});
  }
}
void AddRanges(const std::string& name, SliceRanges& ranges, std::vector<Slot>& slots) {
  for (size_t d = 0; d < ranges.dimensions.size(); ++d) {
    std::string prefix = absl::StrCat(name, ".", d, ".");
    slots.push_back({prefix + "start", &ranges.dimensions[d].start});
    slots.push_back({prefix + "limit", &ranges.dimensions[d].limit});
    slots.push_back({prefix + "stride", &ranges.dimensions[d].stride});
  }
}
void AddPairs(const std::string& name, std::vector<std::pair<int64_t, int64_t>>& pairs,
              std::vector<Slot>& slots) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    slots.push_back({absl::StrCat(name, ".", i, ".source"), &pairs[i].first});
    slots.push_back({absl::StrCat(name, ".", i, ".target"), &pairs[i].second});
  }
}

std::vector<Slot> SlotsOf(Instruction& instruction) {
  std::vector<Slot> slots;
  for (auto& [attr, value] : instruction.mutable_attributes()) {
    const std::string name(AttrName(attr));
    if (auto* number = std::get_if<int64_t>(&value)) slots.push_back({name, number});
    if (auto* list = std::get_if<std::vector<int64_t>>(&value)) AddList(name, *list, slots);
    if (auto* window = std::get_if<Window>(&value)) AddWindow(name, *window, slots);
    if (auto* padding = std::get_if<PaddingConfig>(&value)) AddPadding(name, *padding, slots);
    if (auto* ranges = std::get_if<SliceRanges>(&value)) AddRanges(name, *ranges, slots);
    if (auto* pairs = std::get_if<std::vector<std::pair<int64_t, int64_t>>>(&value)) {
      AddPairs(name, *pairs, slots);
    }
  }
  return slots;
}

std::vector<std::string> EachNumber(const Instruction& instruction) {
  std::vector<std::string> names;
  // The slots are writable, but this function writes none.
  for (const Slot& slot : SlotsOf(const_cast<Instruction&>(instruction)))
    names.push_back(slot.name);
  return names;
}

bool PlantNumber(const std::string& parameter, Fault& fault, void (*change)(int64_t&)) {
  if (parameter.empty()) return false;
  fault.module_edit = [parameter, change](Instruction& instruction) {
    for (const Slot& slot : SlotsOf(instruction)) {
      if (slot.name != parameter) continue;
      int64_t before = *slot.number;
      change(*slot.number);
      return *slot.number != before;
    }
    return false;
  };
  return true;
}

// Returns the names of ranges that can be shifted without a change of size: the padding of pads and
// windows, and the ranges of slices.
std::vector<std::string> EachEdge(const Instruction& instruction) {
  std::vector<std::string> names;
  for (const std::string& name : EachNumber(instruction)) {
    for (absl::string_view ending : {".padding_low", ".low", ".start"}) {
      if (absl::EndsWith(name, ending)) names.push_back(name.substr(0, name.rfind('.')));
    }
  }
  return names;
}
template <int change>
bool PlantMoved(const std::string& parameter, Fault& fault) {
  if (parameter.empty()) return false;
  fault.module_edit = [parameter](Instruction& instruction) {
    bool moved = false;
    for (const Slot& slot : SlotsOf(instruction)) {
      if (slot.name.substr(0, slot.name.rfind('.')) != parameter) continue;
      std::string field = slot.name.substr(parameter.size() + 1);
      if (field == "low" || field == "padding_low" || field == "start" || field == "limit") {
        *slot.number += change;
        moved = true;
      }
      if (field == "high" || field == "padding_high") *slot.number -= change;
    }
    return moved;
  };
  return true;
}

std::vector<std::string> EachReal(const Instruction& instruction) {
  std::vector<std::string> names;
  for (const auto& [attr, value] : instruction.attributes()) {
    if (std::holds_alternative<double>(value)) names.emplace_back(AttrName(attr));
  }
  return names;
}
bool PlantDouble(const std::string& parameter, Fault& fault) {
  std::optional<Attr> attr = AttributeFromText(fault.opcodes[0], parameter);
  if (!attr) return false;
  fault.module_edit = [attr = *attr](Instruction& instruction) {
    double* value = Attribute<double>(instruction, attr);
    if (value == nullptr) return false;
    *value = 2 * *value + 1;
    return true;
  };
  return true;
}

// Calls visitor(list) if `value` is a list of any kind.
template <typename Visitor>
bool VisitList(AttributeValue& value, Visitor&& visitor) {
  if (auto* list = std::get_if<std::vector<int64_t>>(&value)) return visitor(*list);
  if (auto* list = std::get_if<std::vector<std::pair<int64_t, int64_t>>>(&value))
    return visitor(*list);
  if (auto* list = std::get_if<std::vector<Computation*>>(&value)) return visitor(*list);
  if (auto* window = std::get_if<Window>(&value)) return visitor(window->dimensions);
  if (auto* padding = std::get_if<PaddingConfig>(&value)) return visitor(padding->dimensions);
  if (auto* ranges = std::get_if<SliceRanges>(&value)) return visitor(ranges->dimensions);
  if (auto* groups = std::get_if<ReplicaGroups>(&value)) {
    groups->iota_dimensions.clear();  // `visitor` changes the expanded form
    return visitor(groups->groups);
  }
  return false;
}
std::vector<std::string> EachList(const Instruction& instruction) {
  std::vector<std::string> names;
  for (const auto& [attr, value] : instruction.attributes()) {
    AttributeValue copy = value;
    if (VisitList(copy, [](auto& list) { return list.size() > 1; })) {
      names.emplace_back(AttrName(attr));
    }
  }
  return names;
}

AttributeValue* ValueOf(Instruction& instruction, const std::string& name) {
  for (auto& [attr, value] : instruction.mutable_attributes()) {
    if (AttrName(attr) == name) return &value;
  }
  return nullptr;
}

struct ReverseIt {
  template <typename List>
  bool operator()(List& list) const {
    std::reverse(list.begin(), list.end());
    return list.size() > 1;
  }
};
struct FirstForAll {
  template <typename List>
  bool operator()(List& list) const {
    for (auto& entry : list) entry = list.front();
    return list.size() > 1;
  }
};
struct LastDropped {
  template <typename List>
  bool operator()(List& list) const {
    if (list.empty()) return false;
    list.pop_back();
    return true;
  }
};
template <typename Change>
bool PlantList(const std::string& parameter, Fault& fault) {
  if (parameter.empty()) return false;
  fault.module_edit = [parameter](Instruction& instruction) {
    AttributeValue* value = ValueOf(instruction, parameter);
    return value != nullptr && VisitList(*value, Change());
  };
  return true;
}

std::vector<std::string> EachAttribute(const Instruction& instruction) {
  std::vector<std::string> names;
  for (const auto& [attr, value] : instruction.attributes()) names.emplace_back(AttrName(attr));
  return names;
}
bool PlantDropped(const std::string& parameter, Fault& fault) {
  if (parameter.empty()) return false;
  fault.module_edit = [parameter](Instruction& instruction) {
    for (const auto& [attr, value] : instruction.attributes()) {
      if (AttrName(attr) != parameter) continue;
      instruction.Remove(attr);
      return true;
    }
    return false;
  };
  return true;
}

// Returns the boolean attributes of the opcode, even if the instruction does not set them.
std::vector<std::string> EachTruth(const Instruction& instruction) {
  std::vector<std::string> names;
  for (const AttributeUse& use : RowOf(instruction.opcode()).attribute_uses()) {
    if (RowOf(use.attr).kind == AttributeKind::kBool) names.emplace_back(AttrName(use.attr));
  }
  return names;
}
bool PlantFlipped(const std::string& parameter, Fault& fault) {
  std::optional<Attr> attr = AttributeFromText(fault.opcodes[0], parameter);
  if (!attr) return false;
  fault.module_edit = [attr = *attr](Instruction& instruction) {
    instruction.Set(attr, !instruction.BoolOr(attr, false));
    return true;
  };
  return true;
}

// Returns parameters like "direction.LT": the fault reads LT instead of the instruction's word.
std::vector<std::string> EachWord(const Instruction& instruction) {
  std::vector<std::string> names;
  for (const auto& [attr, value] : instruction.attributes()) {
    const auto* word = std::get_if<Word>(&value);
    if (word == nullptr) continue;
    for (absl::string_view other : AllowedWords(attr)) {
      if (other != word->text) names.push_back(absl::StrCat(AttrName(attr), ".", other));
    }
  }
  return names;
}
bool PlantWord(const std::string& parameter, Fault& fault) {
  std::vector<std::string> parts = absl::StrSplit(parameter, absl::MaxSplits('.', 1));
  std::optional<Attr> attr = AttributeFromText(fault.opcodes[0], parts[0]);
  if (!attr || parts.size() != 2) return false;
  fault.module_edit = [attr = *attr, word = parts[1]](Instruction& instruction) {
    if (!instruction.Has(attr) || instruction.WordOr(attr, "") == word) return false;
    instruction.Set(attr, Word{word});
    return true;
  };
  return true;
}

// Returns parameters with which the instruction calls one of its computations instead of another.
std::vector<std::string> EachTwoComputations(const Instruction& instruction) {
  std::vector<std::string> names;
  std::vector<Attr> attrs;
  for (const auto& [attr, value] : instruction.attributes()) {
    if (std::holds_alternative<Computation*>(value)) attrs.push_back(attr);
  }
  for (size_t i = 0; i < attrs.size(); ++i) {
    for (size_t j = 0; j < attrs.size(); ++j) {
      if (i != j) names.push_back(absl::StrCat(AttrName(attrs[i]), "-", AttrName(attrs[j])));
    }
  }
  return names;
}
bool PlantComputation(const std::string& parameter, Fault& fault) {
  std::vector<std::string> parts = absl::StrSplit(parameter, '-');
  if (parts.size() != 2) return false;
  fault.module_edit = [parts](Instruction& instruction) {
    AttributeValue* to = ValueOf(instruction, parts[0]);
    AttributeValue* from = ValueOf(instruction, parts[1]);
    if (to == nullptr || from == nullptr) return false;
    *to = *from;
    return true;
  };
  return true;
}

template <int change>
bool PlantStep(const std::string& parameter, Fault& fault) {
  return PlantNumber(parameter, fault, [](int64_t& number) { number += change; });
}
template <int value>
bool PlantValue(const std::string& parameter, Fault& fault) {
  return PlantNumber(parameter, fault, [](int64_t& number) { number = value; });
}

constexpr FaultClass kClass = FaultClass::kText;
constexpr FaultFamily kFamilies[] = {
    {"attribute-more", kClass, "read one higher", EachNumber, PlantStep<1>},
    {"attribute-less", kClass, "read one lower", EachNumber, PlantStep<-1>},
    {"attribute-moved-up", kClass, "everything one further", EachEdge, PlantMoved<1>},
    {"attribute-moved-down", kClass, "everything one earlier", EachEdge, PlantMoved<-1>},
    {"attribute-zero", kClass, "read as 0", EachNumber, PlantValue<0>},
    {"attribute-one", kClass, "read as 1", EachNumber, PlantValue<1>},
    {"attribute-double", kClass, "read as 2n + 1", EachReal, PlantDouble},
    {"attribute-reversed", kClass, "read in reverse order", EachList, PlantList<ReverseIt>},
    {"attribute-first-for-all", kClass, "the first entry is used for all", EachList,
     PlantList<FirstForAll>},
    {"attribute-last-dropped", kClass, "the last entry is not read", EachList,
     PlantList<LastDropped>},
    {"attribute-dropped", kClass, "not read", EachAttribute, PlantDropped},
    {"attribute-flipped", kClass, "read inverted", EachTruth, PlantFlipped},
    {"attribute-word", kClass, "another word is read", EachWord, PlantWord},
    {"attribute-computation", kClass, "the second is called instead of the first",
     EachTwoComputations, PlantComputation},
};

}  // namespace

absl::Span<const FaultFamily> AttributeFamilies() { return kFamilies; }

}  // namespace hlocts::backends
