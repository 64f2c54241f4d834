// SPDX-License-Identifier: Apache-2.0
// Families of faults in operands, which are lost, replaced by another one, or have moved elements.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault_family.h"

namespace hlocts::backends {
namespace {

constexpr int64_t kOperandsMax = 8;

std::vector<std::string> EachArray(const Instruction& instruction) {
  std::vector<std::string> parameters;
  for (int64_t k = 0; k < std::min(instruction.operand_count(), kOperandsMax); ++k) {
    if (instruction.operand(k).shape().IsArray()) parameters.push_back(absl::StrCat(k));
  }
  return parameters;
}
std::vector<std::string> EachVector(const Instruction& instruction) {
  std::vector<std::string> parameters = EachArray(instruction);
  parameters.erase(std::remove_if(parameters.begin(), parameters.end(),
                                  [&](const std::string& k) {
                                    const Shape& shape = instruction.operand(std::stoi(k)).shape();
                                    return shape.ElementCount() < 2;
                                  }),
                   parameters.end());
  return parameters;
}
std::vector<std::string> EachPair(const Instruction& instruction, bool both_ways) {
  std::vector<std::string> parameters;
  int64_t count = std::min(instruction.operand_count(), kOperandsMax);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = both_ways ? 0 : i + 1; j < count; ++j) {
      if (i == j ||
          !instruction.operand(i).shape().CompatibleWith(instruction.operand(j).shape())) {
        continue;
      }
      parameters.push_back(absl::StrCat(i, "-", j));
    }
  }
  return parameters;
}
std::vector<std::string> EachTwo(const Instruction& i) { return EachPair(i, false); }
std::vector<std::string> EachOther(const Instruction& i) { return EachPair(i, true); }

// Makes a fault that applies `change` to the operand with the parameter's number.
bool PlantChange(const std::string& parameter, Fault& fault, void (*change)(Literal&)) {
  std::vector<int64_t> k = NumbersOfParameter(parameter, 1);
  if (k.empty()) return false;
  fault.before = [at = static_cast<size_t>(k[0]), change](FaultSite& site) {
    if (at < site.operands.size() && IsStoredArray(site.operands[at])) change(site.operands[at]);
  };
  return true;
}

void FirstForAll(Literal& operand) {
  const Literal right = operand;
  for (int64_t i = 1; i < operand.element_count(); ++i) CopyElement(right, 0, operand, i);
}
void LastLost(Literal& operand) {
  if (operand.element_count() > 0) ZeroElement(operand, operand.element_count() - 1);
}
void OneMore(Literal& operand) {
  for (int64_t i = 0; i < NumberCount(operand); ++i) {
    WriteNumber(operand, i, ReadNumber(operand, i) + 1);
  }
}

bool PlantExchange(const std::string& parameter, Fault& fault, bool both) {
  std::vector<int64_t> k = NumbersOfParameter(parameter, 2);
  if (k.empty()) return false;
  fault.before = [i = static_cast<size_t>(k[0]), j = static_cast<size_t>(k[1]),
                  both](FaultSite& s) {
    if (std::max(i, j) >= s.operands.size()) return;
    if (!s.operands[i].shape().CompatibleWith(s.operands[j].shape())) return;
    Literal first = s.operands[i];
    s.operands[i] = s.operands[j];
    if (both) s.operands[j] = first;
  };
  return true;
}

// Makes a fault by which every instruction of a device's run reads the first instruction's operand.
bool PlantFirstAgain(const std::string& parameter, Fault& fault) {
  std::vector<int64_t> k = NumbersOfParameter(parameter, 1);
  if (k.empty()) return false;
  fault.before = [at = static_cast<size_t>(k[0])](FaultSite& site) {
    if (at >= site.operands.size()) return;
    auto [first, is_new] = site.memory.values.emplace(nullptr, site.operands[at]);
    if (!is_new && first->second.shape().CompatibleWith(site.operands[at].shape())) {
      site.operands[at] = first->second;
    }
  };
  return true;
}

constexpr FaultFamily kFamilies[] = {
    {"operand-zero", FaultClass::kStaleBuffer, "reads zeros for operand", EachArray,
     [](const std::string& p, Fault& f) { return PlantChange(p, f, ZeroElements); }},
    {"operand-reversed", FaultClass::kMovement, "reads the elements in reverse order; operand",
     EachVector, [](const std::string& p, Fault& f) { return PlantChange(p, f, ReverseElements); }},
    {"operand-first-for-all", FaultClass::kMovement, "reads element 0 for each element; operand",
     EachVector, [](const std::string& p, Fault& f) { return PlantChange(p, f, FirstForAll); }},
    {"operand-last-lost", FaultClass::kDroppedTail, "reads 0 for the last element of operand",
     EachVector, [](const std::string& p, Fault& f) { return PlantChange(p, f, LastLost); }},
    {"operand-more", FaultClass::kNumericError, "reads one element past the end; operand",
     EachArray, [](const std::string& p, Fault& f) { return PlantChange(p, f, OneMore); }},
    {"operands-exchanged", FaultClass::kSwappedOperands, "two operands are swapped", EachTwo,
     [](const std::string& p, Fault& f) { return PlantExchange(p, f, true); }},
    {"operand-twice", FaultClass::kSwappedOperands, "the second is read instead of the first",
     EachOther, [](const std::string& p, Fault& f) { return PlantExchange(p, f, false); }},
    {"operand-of-first", FaultClass::kStaleBuffer,
     "every instruction reads what the first one read; operand", EachArray, PlantFirstAgain},
};

}  // namespace

absl::Span<const FaultFamily> OperandFamilies() { return kFamilies; }

}  // namespace hlocts::backends
