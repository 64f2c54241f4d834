// SPDX-License-Identifier: Apache-2.0
// Joint predicates: acceptance rules that intervals of single elements cannot express. A predicate
// is checked on whole arrays if all arrays that it reads are outputs.
#pragma once

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
    bool checked = false;  // false if a value that the predicate reads is not an output
    bool ok = true;
    bool nan_bits = false;  // the predicate would be true if all NaNs were equal (lemma 22)
    int slot = 0;           // the slot of the wrong value
    int64_t index = 0;
    std::string expected;  // the requirement in words, with figures
    // Bits of information per element that the check used, for bits_checked_mean.
    double bits_per_element = 0;
  };
  // Returns the name of the kind: "residual", "normwise", "permutation", "distribution".
  virtual std::string kind() const = 0;
  // Returns the number of values that the predicate reads. Check() receives the outputs in slot
  // order, with nullptr for a value that is not an output.
  virtual int slot_count() const = 0;
  // Returns true if the predicate reads element `index` of value `slot`. Elements that it does not
  // read may be missing from a moved array.
  virtual bool Reads(int slot, int64_t index) const { return true; }
  // Returns true if the values are random draws, whose elements can only be checked for range.
  virtual bool draws() const { return false; }
  virtual Verdict Check(absl::Span<const Literal* const> slots) const = 0;
  // Returns the parameters as JSON members, `"bound":1.5e-06`, without braces.
  virtual std::string ParametersJson() const { return ""; }
  // Returns the slot for an array that has only a part of value `slot`, such as the triangle of a
  // QR factorization; -1 if there is none.
  virtual int SlotOfPart(int slot) const { return -1; }
};

// The positions of a predicate's elements in an array that data movement derived from its value.
struct MovedJoint {
  Shape shape;                  // the shape of the value as the predicate reads it
  std::vector<int64_t> places;  // position of each element in the array; -1: missing and not read
};

// Returns component `component` of a float or complex element as a double.
double RealAt(const Literal& literal, int64_t index, int component = 0);

}  // namespace hlocts
