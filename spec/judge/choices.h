// SPDX-License-Identifier: Apache-2.0
// Elements that are one of a few sets (RULES 31): the last of three updates, either arm of a
// select, the index of one of the tied elements. The interval around them all would hold what lies
// between.
#ifndef HLOCTS_SPEC_JUDGE_CHOICES_H_
#define HLOCTS_SPEC_JUDGE_CHOICES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

// At most eight, of which none holds another.
class Choices {
 public:
  static constexpr size_t kMax = 8;

  // False: they would be more than kMax, and nothing but their join is known.
  bool Add(const AcceptanceSet& set);
  bool AddAll(const std::vector<AcceptanceSet>& sets);
  const std::vector<AcceptanceSet>& sets() const { return sets_; }

 private:
  std::vector<AcceptanceSet> sets_;
};

// By element * components + component. An element that is missing has the set of its array.
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

// Numbers lie between the two sets that are in neither. Where none do, their join says as much.
bool LeaveAGap(const AcceptanceSet& a, const AcceptanceSet& b);
// The sets of which one holds at element * components + component: those of the map, or At() alone.
std::vector<AcceptanceSet> ChoicesAt(const SetArray& array, int64_t at);
// Whether one of them holds that component of the literal's element.
bool AcceptsChoice(const SetArray& array, const AcceptanceSet& set, const Literal& literal,
                   int64_t index, int component);
// A NaN where the set has one of known bits, whatever its own are (RULES 22).
bool IsNanOfOtherBits(const AcceptanceSet& set, const Literal& literal, int64_t index,
                      int component);
// The same of the sets of which one holds there.
bool IsNanOfOtherBits(const SetArray& array, const Literal& literal, int64_t index, int component);
// log2 of how many values they accept together.
double Log2CountOf(const std::vector<AcceptanceSet>& sets, PrimitiveType type);
// "1, 3 or [4, 5]"
std::string ChoicesText(const std::vector<AcceptanceSet>& sets, PrimitiveType type);
// What is accepted of an element: "1 or [4, 5]", "(1, [2, 3])" of a complex one.
std::string ElementSetText(const SetArray& array, int64_t index);
// Hands the map to the array unless it is empty.
void GiveChoices(ChoiceMap map, SetArray& array);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_CHOICES_H_
