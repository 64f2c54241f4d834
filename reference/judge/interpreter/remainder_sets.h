// SPDX-License-Identifier: Apache-2.0
// Narrows sums x + (c - x), where x is part of a loop's state, to c (lemma 45). A loop that
// shortens its last step in order to end at c computes such a sum.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/ir/module_fwd.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

class SetInterpreter;

class RemainderSets {
 public:
  // `module` must outlive this object.
  explicit RemainderSets(const Module& module);
  // Returns true if `instruction` is such a sum, or if a sum depends on its sets.
  bool Concerns(const Instruction& instruction) const {
    return sums_.contains(&instruction) || needed_.contains(&instruction);
  }
  // Between these calls, the state that the body reads is the stored result of the previous trip.
  void EnterBody(const Computation& body) { handed_on_.insert(&body); }
  void LeaveBody(const Computation& body) { handed_on_.erase(&body); }
  // Must be called after an instruction for which Concerns is true has run on a device. Stores the
  // sets on which a sum depends. If `instruction` is a sum that is certainly c, replaces the sum's
  // sets by the sets of c.
  void Pass(SetInterpreter& interpreter, const Instruction& instruction,
            absl::Span<const SetValue> operands, SetValue& result);

 private:
  // x + `remainder`, or x + a min, max or select (`chooser`) whose operand `arm` is `remainder`.
  struct Sum {
    const Instruction* x;
    const Instruction* remainder;  // c - x; if subtracted, x - c or x (c is 0)
    const Instruction* chooser = nullptr;
    int arm = 0;
  };
  struct Kept {
    std::vector<SetArray> operands;
    SetArray result;
  };
  bool IsCertain(const Sum& sum, int64_t device, const AcceptanceSet& remainder, int64_t i) const;
  void Narrow(const Sum& sum, int64_t device, const SetArray& x, const SetContext& context,
              SetArray& result) const;
  std::optional<AcceptanceSet> End(const Sum& sum, int64_t device, const AcceptanceSet& x,
                                   int64_t i, const SetContext& context) const;

  absl::flat_hash_map<const Instruction*, Sum> sums_;
  absl::flat_hash_set<const Instruction*> needed_;
  absl::flat_hash_set<const Computation*> handed_on_;
  std::map<std::pair<int64_t, const Instruction*>, Kept> kept_;
};

}  // namespace hlocts::reference
