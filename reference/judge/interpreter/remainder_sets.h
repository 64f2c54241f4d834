// SPDX-License-Identifier: Apache-2.0
// Numbers of a loop's state to which their own distance from another is added: x + (c - x) is c
// (RULES 45), as in the last trip of a loop whose step is cut to end at c.
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_REMAINDER_SETS_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_REMAINDER_SETS_H_

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
  // `module` must outlive it.
  explicit RemainderSets(const Module& module);
  // Returns true if an instruction of the module is such a sum, or if one in its computation
  // depends on its sets.
  bool Concerns(const Instruction& instruction) const {
    return !sums_.empty() && (sums_.contains(&instruction) || needed_.contains(&instruction));
  }
  // The state that the body reads from now on is the stored result of a trip, or no longer.
  void HandOn(const Computation& body) { handed_on_.insert(&body); }
  void Leave(const Computation& body) { handed_on_.erase(&body); }
  // For each of them, when it has run on a device: keeps the sets that a sum depends on, and gives
  // a sum the sets of c where it is c for certain.
  void Pass(SetInterpreter& interpreter, const Instruction& instruction,
            absl::Span<const SetValue> operands, SetValue& result);

 private:
  // The sum adds `remainder`, or the operand `arm` of `chooser`, a minimum, maximum or select.
  struct Sum {
    const Instruction* x;
    const Instruction* remainder;  // c - x; x - c where it is subtracted; x itself: c is 0
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

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_REMAINDER_SETS_H_
