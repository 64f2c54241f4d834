// SPDX-License-Identifier: Apache-2.0
// The probable distance of outputs from one execution in f64 (RULES 44): a statistic, which is
// useful where intervals are too wide, and proves nothing.
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "reference/judge/centred/tape.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// The effect of one instruction's roundings, in all trips and uses, on an output element.
struct NoiseShare {
  double squares = 0;  // sum of (weight * bound)^2: they err independently
  double common = 0;   // sum of weight * bound: they err alike, to one side
};

// One sweep back from an output element.
struct LikelyError {
  double at = 0;         // the element in the reference execution, in f64
  double deviation = 0;  // root of the sum of squares, in units of the output; infinite: unknown
  // By instruction; nullptr: the sets at which sweeps end.
  absl::flat_hash_map<const Instruction*, NoiseShare> shares;
};

// One execution in f64 with bounds of all roundings and slopes of all operations, on one device.
class PointRun {
 public:
  // `module` and `options` must outlive it. Errors are those of AcceptanceOf.
  static absl::StatusOr<std::unique_ptr<PointRun>> Of(const Module& module,
                                                      absl::Span<const Literal> arguments,
                                                      const JudgeOptions& options);
  // The outputs, in root order.
  const std::vector<SetArray>& leaves() const { return leaves_; }
  // The leaf has floating-point elements of at least 16 bits that sweeps may begin from.
  bool CanSweep(size_t leaf) const;
  // The node of such a leaf, prepared: its elements in the reference execution are its boxes' `at`.
  const Node& NodeOf(size_t leaf);
  LikelyError From(size_t leaf, int64_t element);
  // All arrays of the run, in order; those up to NodeOf are prepared.
  absl::Span<const std::unique_ptr<Node>> nodes() const { return tape_.nodes(); }
  // Elements and terms that the outputs depend on: the most visits of a sweep.
  double work() const { return tape_.work(); }

 private:
  PointRun(const Module& module, const JudgeOptions& options)
      : interpreter_(module, options), tape_(interpreter_, /*points=*/true) {}

  SetInterpreter interpreter_;
  Tape tape_;
  std::vector<SetArray> leaves_;
};

// The outcome of the tests of lemma 44: the value farthest beyond probable roundings.
struct Suspicion {
  enum class Test : uint8_t { kElement, kVariance, kBias };
  int64_t elements = 0;  // that a sweep went back from
  double limit = 0;      // in deviations; all tests of a right engine keep it with 1 - 1e-7
  double most = 0;       // the largest, in deviations
  Test test = Test::kElement;
  int64_t output = 0, element = 0;  // where it is; of variance and bias the farthest
  double found = 0, expected = 0, deviation = 0;
  bool IsSuspect() const { return most > limit; }
};

// Errors are those of AcceptanceOf. No elements: there is no statement.
absl::StatusOr<Suspicion> FindSuspect(const Module& module, absl::Span<const Literal> arguments,
                                      absl::Span<const Literal> actual_leaves,
                                      const JudgeOptions& options);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_
