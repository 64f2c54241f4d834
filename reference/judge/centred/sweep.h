// SPDX-License-Identifier: Apache-2.0
// The sweep from elements back over the tape: how far executions may be from the reference
// execution there (RULES 43).
//
// An interval evaluation treats two operands as independent even where both depend on one value.
// This directory records the evaluation (tape.h) and propagates backwards from a wide result: the
// largest distance of any permitted execution from a reference execution in f64 is intersected with
// the set. Proof: lemma 43 (spec/judge/rules/centred.md). An operation without slopes is not
// propagated through; its interval remains.
//
// New operation: a row of kRows in slopes.cc and a range in centred_test.cc. An operation that a
// compiler may repeat for each reader is not in IsComputedOnce. Rounding errors come from the rule
// table only.
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_SWEEP_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_SWEEP_H_

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "absl/types/span.h"
#include "reference/judge/centred/tape.h"

namespace hlocts::reference {

// The number of elements whose sweeps go back together. A slope is then looked up once for all of
// them, and their weights are adjacent.
inline constexpr int kSweptTogether = 32;

// One sweep, or several of elements of one array. There are such of 1 and of kSweptTogether lanes.
template <int kLanes>
class Sweep {
 public:
  using Lanes = std::array<double, kLanes>;
  using Sizes = std::array<float, kLanes>;

  // All nodes up to the one swept from are prepared.
  explicit Sweep(absl::Span<const std::unique_ptr<Node>> nodes) : nodes_(nodes) {}

  // No execution is farther from nodes[node].boxes[elements[l]].at than the l-th distance. At most
  // kLanes elements. After `visits_max` visits the sweep continues from no further node, nor where
  // stopping adds no more than the share `given_away` of the distance.
  Lanes DistancesAt(int32_t node, absl::Span<const int64_t> elements, int64_t visits_max,
                    double given_away);
  int64_t visits() const { return visits_; }  // of the last sweep

 private:
  // The change of the result by one unit of an element's deviation. `sum`: if all uses of the
  // element deviate alike, within `radius`; `paths`: if each use may deviate by itself.
  struct Weight {
    Lanes sum{};
    Sizes radius{}, paths{};
  };
  // The weights of a node; most sweeps reach few of its elements.
  struct Weights {
    std::vector<int32_t> place;    // of an element's weight among them, and 1; 0: it has none
    std::vector<int64_t> touched;  // elements with some weight
    std::vector<Weight> of;        // of each of these
  };
  // A weight as operands see it.
  struct Outgoing {
    Lanes sum;
    Sizes radius, paths, together;
    Sizes least;  // more than what is lost by underflow, where there is a weight
  };

  static Sizes Together(const Weight& weight);
  static Outgoing OutgoingOf(const Node& node, int64_t element, const Weight& weight);
  Weight& Visit(int32_t node, int64_t element);
  void Add(int32_t node, int64_t element, const Slope& slope, const Outgoing& from);
  void AddWhatItLeaves(const Node& node, int64_t element, const Weight& weight, Lanes& passed,
                       Lanes& stopped) const;
  std::array<bool, kLanes> StopsAt(const Node& node, Weights& weights, bool all);
  void KeepTheMiddle(const Node& node, int64_t element, Weight& weight);
  void Pass(const Node& node, Weights& weights, int64_t visits_max);
  void GoOn(const Node& node, int64_t element, const Outgoing& from);
  void ToTerms(const Node& node, int64_t element, const Outgoing& from);

  absl::Span<const std::unique_ptr<Node>> nodes_;
  std::vector<Weights> weights_;            // by node; empty again after each sweep
  std::vector<std::vector<Weight>> spare_;  // storage that other nodes no longer need
  std::priority_queue<int32_t> waiting_;
  Lanes distance_{}, given_{};  // so far; what stopping early has added of it
  int64_t visits_ = 0;
  double given_away_ = 0;
};

// Sweeps of one element or of some, and their cost.
class Sweeps {
 public:
  explicit Sweeps(absl::Span<const std::unique_ptr<Node>> nodes) : one_(nodes), together_(nodes) {}
  void GiveAway(double share) { given_away_ = share; }
  // Like Sweep::DistancesAt; valid until the next call. `budget`: the largest cost.
  absl::Span<const double> From(int32_t node, absl::Span<const int64_t> elements, double budget);
  // The cost of the last ones, in visits of a sweep of one element.
  double cost() const { return cost_; }

 private:
  template <int kLanes>
  absl::Span<const double> Run(Sweep<kLanes>& sweep, int32_t node,
                               absl::Span<const int64_t> elements, double budget);
  Sweep<1> one_;
  Sweep<kSweptTogether> together_;
  std::vector<double> distances_;
  double cost_ = 0, given_away_ = 0;
};

extern template class Sweep<1>;
extern template class Sweep<kSweptTogether>;

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_SWEEP_H_
