// SPDX-License-Identifier: Apache-2.0
// The sweep from one element back over the tape: how far executions may be from the reference
// execution there (RULES 43).
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_SWEEP_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_SWEEP_H_

#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "absl/types/span.h"
#include "reference/judge/centred/tape.h"

namespace hlocts::reference {

class Sweep {
 public:
  // All nodes up to the one swept from are prepared.
  explicit Sweep(absl::Span<const std::unique_ptr<Node>> nodes) : nodes_(nodes) {}

  // No execution is farther from nodes[node].boxes[element].at than this. After `visits_max` visits
  // the sweep goes on from no further element.
  double DistanceAt(int32_t node, int64_t element, int64_t visits_max);
  int64_t visits() const { return visits_; }  // of the last sweep

 private:
  // What one unit of an element's deviation does to the result. `sum`: where all uses of the
  // element deviate alike, within `radius`; `paths`: if each use may deviate by itself.
  struct Weight {
    double sum = 0, radius = 0, paths = 0;
  };
  struct Weights {
    std::vector<Weight> of;        // by element
    std::vector<int64_t> touched;  // elements with some weight
  };

  static double Together(const Weight& weight);
  void Add(int32_t node, int64_t element, const Slope& slope, const Weight& from, double paths);
  double Leave(const Node& node, int64_t element, const Weight& weight, bool stop);
  void GoOn(const Node& node, int64_t element, const Weight& weight);
  void ToTerms(const Node& node, int64_t element, const Weight& weight, double paths);

  absl::Span<const std::unique_ptr<Node>> nodes_;
  std::vector<Weights> weights_;  // by node; empty again after each sweep
  std::priority_queue<int32_t> waiting_;
  int64_t visits_ = 0;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_SWEEP_H_
