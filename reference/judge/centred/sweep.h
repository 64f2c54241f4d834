// SPDX-License-Identifier: Apache-2.0
// Sweeps from elements back over the tape and bounds how far executions may be from the reference
// execution (lemma 43).
//
// An interval evaluation treats two operands as independent even if both depend on one value. This
// directory records the evaluation (tape.h) and sweeps backwards from a wide result. The sweep
// bounds the distance of any permitted execution from a reference execution in f64; the result's
// set is intersected with the numbers within this distance. Proof: lemma 43
// (spec/judge/rules/centred.md). A sweep ends at an operation without slopes and uses the interval
// of its result.
//
// A new operation needs a row of kRows in slopes.cc and a range in centred_test.cc. IsComputedOnce
// must be false for an operation that a compiler may repeat for each reader. All rounding errors
// must come from the rule table.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "absl/types/span.h"
#include "reference/judge/centred/tape.h"

namespace hlocts::reference {

// The number of elements whose sweeps run together. Each slope is looked up once for all of these
// sweeps, and their weights are adjacent in memory.
inline constexpr int kSweepLanes = 32;

// One or several sweeps from elements of one array. Used with 1 and with kSweepLanes lanes.
template <int kLanes>
class Sweep {
 public:
  using Lanes = std::array<double, kLanes>;
  using Sizes = std::array<float, kLanes>;

  // Requires that all nodes up to the start of the sweep are prepared.
  explicit Sweep(absl::Span<const std::unique_ptr<Node>> nodes) : nodes_(nodes) {}

  // Returns a distance for each of at most kLanes elements: no execution is farther from
  // nodes[node].boxes[elements[l]].at than the l-th distance. The sweep stops after `visits_max`
  // visits. It also stops early at nodes, as long as all these stops together add at most the share
  // `given_away` of the distance.
  Lanes DistancesAt(int32_t node, absl::Span<const int64_t> elements, int64_t visits_max,
                    double given_away);
  int64_t visits() const { return visits_; }  // of the last sweep

 private:
  // The change of the result if an element changes by one unit. `sum` and `radius` are the midpoint
  // and radius of this change if all uses of the element deviate equally. `paths` is the change if
  // each use may deviate independently.
  struct Weight {
    Lanes sum{};
    Sizes radius{}, paths{};
  };
  // The weights of a node. Most sweeps reach few of its elements.
  struct Weights {
    std::vector<int32_t> place;    // 1 + the index in `of` of each element's weight; 0: no weight
    std::vector<int64_t> touched;  // elements that have a weight
    std::vector<Weight> of;        // the weight of each touched element
  };
  // A weight that is passed on to the operands.
  struct Outgoing {
    Lanes sum;
    Sizes radius, paths, together;
    Sizes least;  // exceeds the loss by underflow; 0 where the weight is 0
  };

  static Sizes JointSizes(const Weight& weight);
  static Outgoing OutgoingOf(const Node& node, int64_t element, const Weight& weight);
  Weight& Visit(int32_t node, int64_t element);
  void Add(int32_t node, int64_t element, const Slope& slope, const Outgoing& from);
  void AddResidualError(const Node& node, int64_t element, const Weight& weight, Lanes& passed,
                        Lanes& stopped) const;
  std::array<bool, kLanes> StopsAt(const Node& node, Weights& weights, bool all);
  void CollapseToMidpoint(const Node& node, int64_t element, Weight& weight);
  void Pass(const Node& node, Weights& weights, int64_t visits_max);
  void Propagate(const Node& node, int64_t element, const Outgoing& from);
  void ToTerms(const Node& node, int64_t element, const Outgoing& from);

  absl::Span<const std::unique_ptr<Node>> nodes_;
  std::vector<Weights> weights_;                       // by node; empty again after each sweep
  std::vector<std::vector<Weight>> recycled_weights_;  // storage that other nodes no longer need
  std::priority_queue<int32_t> waiting_;
  Lanes distance_{}, early_stop_error_{};  // distances so far; the part due to early stops
  int64_t visits_ = 0;
  double early_stop_share_ = 0;
};

// Runs sweeps from one element or from several, and counts their cost.
class Sweeps {
 public:
  explicit Sweeps(absl::Span<const std::unique_ptr<Node>> nodes)
      : one_(nodes), joint_sweep_(nodes) {}
  void SetEarlyStopShare(double share) { early_stop_share_ = share; }
  // Returns the distances of DistancesAt at a cost of at most `budget`; valid until the next call.
  absl::Span<const double> From(int32_t node, absl::Span<const int64_t> elements, double budget);
  // Returns the cost of the last call to From, in visits of a one-lane sweep.
  double cost() const { return cost_; }

 private:
  template <int kLanes>
  absl::Span<const double> Run(Sweep<kLanes>& sweep, int32_t node,
                               absl::Span<const int64_t> elements, double budget);
  Sweep<1> one_;
  Sweep<kSweepLanes> joint_sweep_;
  std::vector<double> distances_;
  double cost_ = 0, early_stop_share_ = 0;
};

extern template class Sweep<1>;
extern template class Sweep<kSweepLanes>;

}  // namespace hlocts::reference
