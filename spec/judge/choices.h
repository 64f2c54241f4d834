// SPDX-License-Identifier: Apache-2.0
// Elements whose value is in one of a few sets (RULES 31): the last of three updates, either arm of
// a select, the index of one of the tied elements. Their common interval would also contain the
// values between them.
#ifndef HLOCTS_SPEC_JUDGE_CHOICES_H_
#define HLOCTS_SPEC_JUDGE_CHOICES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

// At most eight sets, none of which contains another.
class Choices {
 public:
  static constexpr size_t kMax = 8;

  // False if there would be more than kMax sets; then only their join is known.
  bool Add(const AcceptanceSet& set);
  bool AddAll(const std::vector<AcceptanceSet>& sets);
  const std::vector<AcceptanceSet>& sets() const { return sets_; }

 private:
  std::vector<AcceptanceSet> sets_;
};

// Keyed by element * components + component. A missing element has the set of its array.
class ChoiceMap {
 public:
  void Put(int64_t at, std::vector<AcceptanceSet> sets) { map_[at] = std::move(sets); }
  // nullptr: none.
  const std::vector<AcceptanceSet>* Find(int64_t at) const {
    auto found = map_.find(at);
    return found == map_.end() ? nullptr : &found->second;
  }
  bool empty() const { return map_.empty(); }
  const absl::flat_hash_map<int64_t, std::vector<AcceptanceSet>>& all() const { return map_; }

 private:
  absl::flat_hash_map<int64_t, std::vector<AcceptanceSet>> map_;
};

// Returns true if there are numbers between the two sets that are in neither. If not, their join is
// exact.
bool LeaveAGap(const AcceptanceSet& a, const AcceptanceSet& b);
// The sets at element * components + component, one of which holds: those of the map, or only At().
std::vector<AcceptanceSet> ChoicesAt(const SetArray& array, int64_t at);
// Returns true if one of them accepts that component of the literal's element.
bool AcceptsChoice(const SetArray& array, const AcceptanceSet& set, const Literal& literal,
                   int64_t index, int component);
// The element is a NaN and the set has a NaN of known bits, whichever bits the element has
// (RULES 22).
bool IsNanOfOtherBits(const AcceptanceSet& set, const Literal& literal, int64_t index,
                      int component);
// The same for the sets at that element, one of which holds.
bool IsNanOfOtherBits(const SetArray& array, const Literal& literal, int64_t index, int component);
// log2 of the number of values that they accept together.
double Log2CountOf(const std::vector<AcceptanceSet>& sets, PrimitiveType type);
// "1, 3 or [4, 5]"
std::string ChoicesText(const std::vector<AcceptanceSet>& sets, PrimitiveType type);
// The text of an element's accepted values: "1 or [4, 5]"; "(1, [2, 3])" for a complex one.
std::string ElementSetText(const SetArray& array, int64_t index);
// Attaches the map to the array unless it is empty.
void GiveChoices(ChoiceMap map, SetArray& array);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_CHOICES_H_
