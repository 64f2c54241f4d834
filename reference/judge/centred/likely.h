// SPDX-License-Identifier: Apache-2.0
// Computes the probable distance of outputs from one execution in f64 (lemma 44). This is a
// statistic: it is useful where intervals are too wide, but it proves nothing.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "reference/judge/centred/tape.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// The effect that one instruction's roundings have on an output element, over all trips and uses.
struct RoundingContribution {
  Square squares = 0;  // sum of (weight * bound)^2, for independent errors
  double common = 0;   // sum of weight * bound, for errors of the same sign
};

// The result of one sweep back from an output element.
struct LikelyError {
  double at = 0;         // the element's value in the reference execution, in f64
  double deviation = 0;  // root of the sum of squares, in units of the output; infinity if unknown
  // Contributions by instruction; the key nullptr is used for the sets at which sweeps end.
  absl::flat_hash_map<const Instruction*, RoundingContribution> shares;
};

// One execution in f64 on one device, with bounds of all roundings and slopes of all operations.
class ReferencePointRun {
 public:
  // Runs `module`. It and `options` must outlive the result. Returns AcceptanceOf's errors.
  static absl::StatusOr<std::unique_ptr<ReferencePointRun>> Of(const Module& module,
                                                               absl::Span<const Literal> arguments,
                                                               const JudgeOptions& options);
  // Returns the outputs, in root order.
  const std::vector<SetArray>& leaves() const { return leaves_; }
  // Returns true if sweeps can begin from the leaf: its elements are floats of at least 16 bits.
  bool CanSweep(size_t leaf) const;
  // Returns the leaf's node, which may not be prepared. Needs CanSweep(leaf).
  const Node& Recorded(size_t leaf) const { return *nodes()[leaves_[leaf].node]; }
  // Prepares the leaf's node and returns it. Its boxes contain the reference execution. Needs
  // CanSweep(leaf).
  const Node& NodeOf(size_t leaf);
  LikelyError From(size_t leaf, int64_t element);
  // Returns the nodes of all arrays in tape order, prepared up to the result of the last NodeOf.
  absl::Span<const std::unique_ptr<Node>> nodes() const { return tape_.nodes(); }
  // Returns the number of elements and terms that outputs depend on: a bound of a sweep's visits.
  double work() const { return tape_.work(); }

 private:
  ReferencePointRun(const Module& module, const JudgeOptions& options)
      : interpreter_(module, options), tape_(interpreter_, /*points=*/true) {}

  SetInterpreter interpreter_;
  Tape tape_;
  std::vector<SetArray> leaves_;
};

// The result of the tests of lemma 44: the element that exceeds the probable error the most.
// kTerms: no element is improbable, and outputs that the tests cannot resolve agree by terms.
// `element` is then the farthest element of these outputs, `deviation` the size of a typical term.
struct StatisticalTestResult {
  enum class Test : uint8_t { kElement, kVariance, kBias, kTerms };
  int64_t elements = 0;  // the number of elements that were tested singly
  double limit = 0;      // in deviations; a correct engine stays below it with probability 1 - 1e-7
  double most = 0;       // the largest deviation found, in standard deviations
  // The least of the outputs' median effective bits, with sets as wide as the limit. Outputs that
  // agree by terms are excluded. 0 if the judge would not pass an output with such sets, or if all
  // outputs agree by terms.
  double bits = 0;
  Test test = Test::kElement;
  int64_t output = 0, element = 0;  // the element; for kVariance and kBias the farthest element
  double found = 0, expected = 0, deviation = 0;
  bool IsSuspect() const { return most > limit; }
  // Returns true if each output is resolved by these tests or agrees by terms.
  bool IsResolved() const { return bits > 0 || test == Test::kTerms; }
};

// Finds the most improbable element. `elements` is 0 if none is tested. Errors: AcceptanceOf's.
absl::StatusOr<StatisticalTestResult> RunStatisticalTests(const Module& module,
                                                          absl::Span<const Literal> arguments,
                                                          absl::Span<const Literal> actual_leaves,
                                                          const JudgeOptions& options);

}  // namespace hlocts::reference
