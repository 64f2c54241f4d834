// SPDX-License-Identifier: Apache-2.0
// JointValues: the outputs of a module in the form in which the joint predicates read them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/judge/joint.h"
#include "spec/judge/judge.h"

namespace hlocts {

class JointValues {
 public:
  // Keeps references to both arguments. `actual` has one output per leaf.
  JointValues(const ModuleAcceptance& accepted, absl::Span<const Literal> actual);

  using Slots = std::map<const JointPredicate*, std::vector<const Literal*>>;
  const Slots& slots() const { return slots_; }
  // Returns the output that is value `slot` of the predicate, else the predicate's first output.
  int64_t OutputOf(const JointPredicate& predicate, int slot) const;
  // Returns the position in the output of element `index` of the predicate's value.
  static int64_t PlaceOf(const SetArray& set, int64_t index);

 private:
  Slots slots_;
  std::map<std::pair<const JointPredicate*, int>, int64_t> outputs_;
  std::deque<Literal> moved_back_;
};

}  // namespace hlocts
