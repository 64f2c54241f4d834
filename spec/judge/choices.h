// SPDX-License-Identifier: Apache-2.0
// Represents an element whose value is in one of a few alternative sets (lemma 31), e.g. any of
// three updates, either operand of a select, or the index of any of the tied elements. A single
// interval would also contain the values between the sets.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

// Returns true if `outer` contains both the stored values of `inner` and its unrounded values.
bool Covers(const AcceptanceSet& outer, const AcceptanceSet& inner);

// At most eight alternative sets, none of which contains another.
class Choices {
 public:
  static constexpr size_t kMax = 8;

  // Return false if there would be more than kMax sets. The caller then uses only their join.
  bool Add(const AcceptanceSet& set);
  bool AddAll(const std::vector<AcceptanceSet>& sets);
  const std::vector<AcceptanceSet>& sets() const { return sets_; }

 private:
  std::vector<AcceptanceSet> sets_;
};

// Alternative sets, keyed by element * components + component. An element without an entry has only
// the set SetArray::At().
class ChoiceMap {
 public:
  void Put(int64_t at, std::vector<AcceptanceSet> sets) { map_[at] = std::move(sets); }
  // Returns nullptr if there is no entry.
  const std::vector<AcceptanceSet>* Find(int64_t at) const {
    auto found = map_.find(at);
    return found == map_.end() ? nullptr : &found->second;
  }
  bool empty() const { return map_.empty(); }
  const absl::flat_hash_map<int64_t, std::vector<AcceptanceSet>>& all() const { return map_; }

 private:
  absl::flat_hash_map<int64_t, std::vector<AcceptanceSet>> map_;
};

// Returns true if some numbers between the two sets are in neither. Otherwise their join is exact.
bool HaveGapBetween(const AcceptanceSet& a, const AcceptanceSet& b);
// Returns the alternative sets at element * components + component, or only array.At() if none.
std::vector<AcceptanceSet> ChoicesAt(const SetArray& array, int64_t at);
// Returns true if the set accepts the component and, if the element has alternative sets, one of
// them accepts it, too.
bool AcceptsChoice(const SetArray& array, const AcceptanceSet& set, const Literal& literal,
                   int64_t index, int component);
// Returns true if the element is any NaN and the set accepts only a NaN of known bits (lemma 22).
bool IsNanOfOtherBits(const AcceptanceSet& set, const Literal& literal, int64_t index,
                      int component);
// Returns true if IsNanOfOtherBits is true for one of the element's alternative sets.
bool IsNanOfOtherBits(const SetArray& array, const Literal& literal, int64_t index, int component);
// Returns log2 of the number of values that the sets accept together.
double Log2CountOf(const std::vector<AcceptanceSet>& sets, PrimitiveType type);
// Returns the sets as text: "1, 3 or [4, 5]".
std::string ChoicesText(const std::vector<AcceptanceSet>& sets, PrimitiveType type);
// Returns the accepted values of an element as text: "1 or [4, 5]", or "(1, [2, 3])" if complex.
std::string ElementSetText(const SetArray& array, int64_t index);
// Returns the join of the sets; its cause is the given one unless a set has its own. If few sets
// differ, puts them into the map as alternatives at `at`.
AcceptanceSet JoinChoices(const std::vector<AcceptanceSet>& sets, WideningCause cause,
                          uint32_t origin, int64_t at, ChoiceMap& map);
// Attaches the map to the array unless the map is empty.
void SetChoices(ChoiceMap map, SetArray& array);

}  // namespace hlocts
