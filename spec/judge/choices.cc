// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/choices.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/judge/joint.h"

namespace hlocts {

bool Covers(const AcceptanceSet& outer, const AcceptanceSet& inner) {
  if (!IsSubset(inner, outer)) return false;
  if (outer.unspecified() || outer.integer()) return true;
  if (outer.Has(AcceptanceSet::kIntegral) && !inner.Has(AcceptanceSet::kIntegral)) return false;
  constexpr uint16_t kKind = AcceptanceSet::kContractible | AcceptanceSet::kScaledPreRounding;
  if (!inner.Has(AcceptanceSet::kPreRounding)) return outer.Has(kKind) || !inner.Has(kKind);
  return outer.Has(AcceptanceSet::kPreRounding) && (outer.flags & kKind) == (inner.flags & kKind) &&
         outer.rlo <= inner.rlo && inner.rhi <= outer.rhi;
}

bool Choices::Add(const AcceptanceSet& set) {
  for (const AcceptanceSet& other : sets_) {
    if (Covers(other, set)) return true;
  }
  sets_.erase(std::remove_if(sets_.begin(), sets_.end(),
                             [&](const AcceptanceSet& other) { return Covers(set, other); }),
              sets_.end());
  if (sets_.size() == kMax) return false;
  sets_.push_back(set);
  return true;
}

bool Choices::AddAll(const std::vector<AcceptanceSet>& sets) {
  for (const AcceptanceSet& set : sets) {
    if (!Add(set)) return false;
  }
  return true;
}

bool HaveGapBetween(const AcceptanceSet& a, const AcceptanceSet& b) {
  if (a.unspecified() || b.unspecified()) return false;
  if (a.integer()) return a.ihi + 1 < b.ilo || b.ihi + 1 < a.ilo;
  return a.finite() && b.finite() && (a.hi < b.lo || b.hi < a.lo);
}

std::vector<AcceptanceSet> ChoicesAt(const SetArray& array, int64_t at) {
  if (array.choices != nullptr) {
    if (const std::vector<AcceptanceSet>* found = array.choices->Find(at)) return *found;
  }
  return {array.At(at / array.components(), static_cast<int>(at % array.components()))};
}

bool AcceptsChoice(const SetArray& array, const AcceptanceSet& set, const Literal& literal,
                   int64_t index, int component) {
  if (!Accepts(set, literal, index, component)) return false;
  if (array.choices == nullptr) return true;
  const auto* choices = array.choices->Find(index * array.components() + component);
  return choices == nullptr ||
         std::any_of(choices->begin(), choices->end(), [&](const AcceptanceSet& choice) {
           return Accepts(choice, literal, index, component);
         });
}

bool IsNanOfOtherBits(const AcceptanceSet& set, const Literal& literal, int64_t index,
                      int component) {
  return !set.integer() && set.Has(AcceptanceSet::kBitsKnown) &&
         std::isnan(RealAt(literal, index, component));
}

bool IsNanOfOtherBits(const SetArray& array, const Literal& literal, int64_t index, int component) {
  const std::vector<AcceptanceSet> sets = ChoicesAt(array, index * array.components() + component);
  return std::any_of(sets.begin(), sets.end(), [&](const AcceptanceSet& set) {
    return IsNanOfOtherBits(set, literal, index, component);
  });
}

double Log2CountOf(const std::vector<AcceptanceSet>& sets, PrimitiveType type) {
  double count = 0;
  for (const AcceptanceSet& set : sets) count += std::exp2(Log2Count(set, type));
  return std::log2(std::max(count, 1.0));
}

std::string ChoicesText(const std::vector<AcceptanceSet>& sets, PrimitiveType type) {
  std::vector<std::string> texts;
  for (const AcceptanceSet& set : sets) texts.push_back(SetText(set, type));
  if (texts.size() < 2) return absl::StrJoin(texts, "");
  std::string last = texts.back();
  texts.pop_back();
  return absl::StrCat(absl::StrJoin(texts, ", "), " or ", last);
}

std::string ElementSetText(const SetArray& array, int64_t index) {
  PrimitiveType type = array.element_type();
  if (array.components() == 1) return ChoicesText(ChoicesAt(array, index), type);
  return absl::StrCat("(", ChoicesText(ChoicesAt(array, 2 * index), type), ", ",
                      ChoicesText(ChoicesAt(array, 2 * index + 1), type), ")");
}

AcceptanceSet JoinChoices(const std::vector<AcceptanceSet>& sets, WideningCause cause,
                          uint32_t origin, int64_t at, ChoiceMap& map) {
  AcceptanceSet joined = sets[0];
  for (size_t k = 1; k < sets.size(); ++k) joined = Join(joined, sets[k]);
  if (!joined.IsPoint() && joined.cause == WideningCause::kPoint) {
    joined.cause = cause;
    joined.origin = origin;
  }
  Choices choices;
  if (choices.AddAll(sets) && choices.sets().size() > 1) map.Put(at, choices.sets());
  return joined;
}

void SetChoices(ChoiceMap map, SetArray& array) {
  if (!map.empty()) array.choices = std::make_shared<const ChoiceMap>(std::move(map));
}

}  // namespace hlocts
