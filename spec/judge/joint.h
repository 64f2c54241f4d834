// SPDX-License-Identifier: Apache-2.0
// Joint predicates: acceptance that intervals per element cannot express. They are checked on whole
// tensors if all their values are outputs.
#ifndef HLOCTS_SPEC_JUDGE_JOINT_H_
#define HLOCTS_SPEC_JUDGE_JOINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/literal.h"

namespace hlocts {

class JointPredicate {
 public:
  virtual ~JointPredicate() = default;
  struct Verdict {
    bool checked = false;  // false: a value that it reads is not among the outputs
    bool ok = true;
    bool nan_bits = false;  // it would hold if all NaNs were equal (RULES 22)
    int slot = 0;           // the slot that fails
    int64_t index = 0;
    std::string expected;  // in words, with figures
    // Bits of information per element the check used, for bits_checked_mean.
    double bits_per_element = 0;
  };
  // "residual", "normwise", "permutation", "distribution".
  virtual std::string kind() const = 0;
  // The number of values that it reads. Outputs are in slot order, nullptr for a value that is not
  // an output.
  virtual int slot_count() const = 0;
  // Returns true if it reads element `index` of value `slot`. Other elements may be missing from a
  // moved array.
  virtual bool Reads(int slot, int64_t index) const { return true; }
  // Its values are random draws: only their range can be checked per element.
  virtual bool draws() const { return false; }
  virtual Verdict Check(absl::Span<const Literal* const> slots) const = 0;
  // Its parameters as JSON members, `"bound":1.5e-06`; no braces.
  virtual std::string ParametersJson() const { return ""; }
  // The slot of an array that lacks elements of value `slot`; -1: none.
  virtual int SlotOfPart(int slot) const { return -1; }
};

// The positions of a predicate's value's elements in an array that was derived from it by moves.
struct MovedJoint {
  Shape shape;                  // of the value, as the predicate reads it
  std::vector<int64_t> places;  // of its elements in the array; -1: missing, and not read
};

// Reads element i (component c) of a float or complex literal as a double.
double RealAt(const Literal& literal, int64_t index, int component = 0);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_JOINT_H_
