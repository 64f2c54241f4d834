// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>

#include "reference/judge/interpreter/set_value.h"
#include "spec/judge/choices.h"
#include "spec/judge/interval_columns.h"

namespace hlocts::reference {
namespace {

constexpr uint16_t kUnrounded =
    AcceptanceSet::kPreRounding | AcceptanceSet::kContractible | AcceptanceSet::kScaledPreRounding;

void Round(AcceptanceSet& s) {
  if (s.unspecified() || !s.Has(kUnrounded)) return;
  s.flags &= ~kUnrounded;
  s.rlo = s.lo;
  s.rhi = s.hi;
}

bool AnyUnrounded(const SetArray& array) {
  if (array.exact()) return false;
  if (array.columns() != nullptr && array.columns()->rest().empty()) {
    return array.columns()->has_pre_rounding();
  }
  const auto sets = array.sets();
  return std::any_of(sets.begin(), sets.end(),
                     [](const AcceptanceSet& s) { return s.Has(kUnrounded); });
}

SetArray Rounded(SetArray array) {
  if (!AnyUnrounded(array)) return array;
  const std::shared_ptr<const ChoiceMap> choices = array.choices;
  for (AcceptanceSet& s : array.mutable_sets()) Round(s);
  SetArray rounded = Compress(std::move(array));
  if (choices == nullptr || rounded.exact()) return rounded;
  ChoiceMap map;
  for (auto [at, sets] : choices->all()) {
    for (AcceptanceSet& s : sets) Round(s);
    map.Put(at, std::move(sets));
  }
  SetChoices(std::move(map), rounded);
  return rounded;
}

}  // namespace

SetValue RoundedValue(const SetValue& value) {
  if (value.token) return value;
  if (!value.tuple) return SetValue(Rounded(value.array));
  std::vector<SetValue> elements;
  for (const SetValue& element : value.elements) elements.push_back(RoundedValue(element));
  return SetValue::Tuple(std::move(elements));
}

}  // namespace hlocts::reference
