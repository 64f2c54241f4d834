// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/centred/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hlocts::reference {
namespace {

// An upper bound of the rounding errors of midpoints, which are summed in f64. At most 2^20 weights
// are added in one element, and the error of each is 2^-53 of its contribution to `paths`.
constexpr float kRounding = 0x1p-32F;
// kRoundingOfSizes is the relative error of an f32 sum or product, doubled to cover the effect of
// these errors on each other. kRoundingsAtNode is the number of such operations on a weight at each
// node, except the additions of weights.
constexpr double kRoundingOfSizes = 2 * 0x1p-24, kRoundingsAtNode = 8;
// Exceeds what any product loses by underflow.
constexpr float kLeastWeight = 0x1p-100F;
constexpr int64_t kVisitsMax = 1 << 20;
// The cost of visiting an element in kSweepLanes lanes, relative to a visit in one lane.
constexpr double kCostTogether = 5;

// Returns `size` rounded to f32, or the least normal f32 if `size` is smaller but not 0.
float Size(double size) {
  return size == 0 ? 0 : std::max(static_cast<float>(size), std::numeric_limits<float>::min());
}

// Returns the average number of visits that a sweep makes next from one element of the node.
double VisitsFrom(const Node& node) {
  if (node.terms.first.empty()) return static_cast<double>(node.operands.size());
  return static_cast<double>(node.terms.lhs.size() * node.terms.length) /
         static_cast<double>(node.boxes.size());
}

}  // namespace

// Returns the weight of an element if all of its uses deviate equally.
template <int kLanes>
typename Sweep<kLanes>::Sizes Sweep<kLanes>::JointSizes(const Weight& weight) {
  Sizes together;
  for (int l = 0; l < kLanes; ++l) {
    const float sum = static_cast<float>(std::fabs(weight.sum[l]));
    together[l] = std::min(weight.paths[l], sum + weight.radius[l] + kRounding * weight.paths[l]);
  }
  return together;
}

template <int kLanes>
typename Sweep<kLanes>::Outgoing Sweep<kLanes>::OutgoingOf(const Node& node, int64_t element,
                                                           const Weight& weight) {
  Outgoing out = {weight.sum, weight.radius, weight.paths, JointSizes(weight), {}};
  for (int l = 0; l < kLanes; ++l) out.least[l] = weight.paths[l] == 0 ? 0 : kLeastWeight;
  if (!node.IsOnce(element)) return out;
  // From here on `paths` no longer includes the rounding loss of `sum`.
  for (int l = 0; l < kLanes; ++l) out.radius[l] += kRounding * weight.paths[l];
  out.paths = out.together;
  return out;
}

template <int kLanes>
typename Sweep<kLanes>::Weight& Sweep<kLanes>::Visit(int32_t node, int64_t element) {
  ++visits_;
  Weights& weights = weights_[node];
  if (weights.place.empty()) weights.place.resize(nodes_[node]->boxes.size());
  if (weights.touched.empty()) {
    waiting_.push(node);
    if (!recycled_weights_.empty()) {
      weights.of = std::move(recycled_weights_.back());
      recycled_weights_.pop_back();
    }
  }
  int32_t& place = weights.place[element];
  if (place == 0) {
    weights.touched.push_back(element);
    weights.of.emplace_back();
    place = static_cast<int32_t>(weights.of.size());
  }
  return weights.of[place - 1];
}

template <int kLanes>
void Sweep<kLanes>::Add(int32_t node, int64_t element, const Slope& slope, const Outgoing& from) {
  if (slope.IsZero()) return;
  Weight& to = Visit(node, element);
  const float size = Size(std::fabs(slope.middle));
  const float radius = Size(slope.radius), apart = Size(slope.apart);
  for (int l = 0; l < kLanes; ++l) to.sum[l] += slope.middle * from.sum[l];
  if (radius == 0) {
    for (int l = 0; l < kLanes; ++l) {
      to.radius[l] += size * from.radius[l] + from.least[l];
      to.paths[l] += size * from.paths[l] + from.least[l];
    }
    return;
  }
  for (int l = 0; l < kLanes; ++l) {
    // A reader's slope is a slope common to all readers plus at most `apart`. (An infinite `apart`
    // times zero `paths` is a NaN, which std::min does not return here.)
    const float paths = from.paths[l];
    const float varies = std::min(radius * paths, radius * from.together[l] + apart * paths);
    to.radius[l] += size * from.radius[l] + varies + from.least[l];
    to.paths[l] += (size + radius) * paths + from.least[l];
  }
}

template <int kLanes>
void Sweep<kLanes>::ToTerms(const Node& node, int64_t element, const Outgoing& from) {
  const int32_t left = node.operands[0];
  const bool products = node.kind == NodeKind::kProducts;
  const int32_t right = products ? node.operands[1] : left;
  const bool to_left = !nodes_[left]->silent, to_right = products && !nodes_[right]->silent;
  int64_t t = node.terms.first[element];
  if (!products) {
    return node.terms.ForEach(element, [&](int64_t l, int64_t) {
      if (to_left) Add(left, l, node.kind == NodeKind::kSum ? Slope{1, 0} : node.slopes[t++], from);
    });
  }
  node.terms.ForEach(element, [&](int64_t l, int64_t r) {
    if (to_left) Add(left, l, nodes_[right]->factors[r], from);
    if (to_right) Add(right, r, nodes_[left]->factors[l], from);
  });
}

template <int kLanes>
void Sweep<kLanes>::Propagate(const Node& node, int64_t element, const Outgoing& from) {
  const auto at = [&](int32_t operand) { return ElementOf(nodes_[operand]->set, element); };
  switch (node.kind) {
    case NodeKind::kLeaf:
      return;
    case NodeKind::kElementwise: {
      const size_t count = node.operands.size();
      for (size_t k = 0; k < count; ++k) {
        const int32_t operand = node.operands[k];
        if (nodes_[operand]->silent) continue;
        Add(operand, at(operand), node.slopes[element * count + k], from);
      }
      return;
    }
    case NodeKind::kSelect: {
      const SetArray& chooser = nodes_[node.operands[0]]->set;
      const bool first = chooser.At(ElementOf(chooser, element)).ilo != 0;
      const int32_t arm = node.operands[first ? 1 : 2];
      return Add(arm, at(arm), {1, 0}, from);
    }
    case NodeKind::kMove: {
      int64_t number = node.terms.lhs[element];
      size_t k = 0;
      for (; number >= nodes_[node.operands[k]]->set.element_count(); ++k) {
        number -= nodes_[node.operands[k]]->set.element_count();
      }
      return Add(node.operands[k], number, {1, 0}, from);
    }
    case NodeKind::kSum:
    case NodeKind::kProducts:
    case NodeKind::kPick:
      return ToTerms(node, element, from);
  }
}

// Adds the element's noise to `passed` (for a sweep that continues) and its box to `stopped`.
template <int kLanes>
void Sweep<kLanes>::AddResidualError(const Node& node, int64_t element, const Weight& weight,
                                     Lanes& passed, Lanes& stopped) const {
  const Sizes size = node.IsOnce(element) ? JointSizes(weight) : weight.paths;
  const bool open = node.states[element] == Node::kOpen;
  const bool broken = node.states[element] == Node::kBroken;
  const Box& box = node.boxes[element];
  const double noise = broken ? HUGE_VAL : node.noise_once[element];
  const double reach = open ? std::max(box.hi - box.at, box.at - box.lo) : noise;
  // The box of the stored value does not contain the readers' roundings, so they are added.
  const double own = node.noise_use[element];
  for (int l = 0; l < kLanes; ++l) {
    const double uses = weight.paths[l] * own;
    passed[l] += weight.paths[l] == 0 ? 0 : size[l] * noise + uses;
    stopped[l] += weight.paths[l] == 0 ? 0 : size[l] * reach + uses;
  }
}

// Passes on only the midpoint of a settled element's weight. The rest, `radius`, ends here: its
// contribution is bounded by the element's box. The elements from which this element was computed
// would contribute at least as much.
template <int kLanes>
void Sweep<kLanes>::CollapseToMidpoint(const Node& node, int64_t element, Weight& weight) {
  if (!node.settled || !node.IsOnce(element) || node.states[element] != Node::kOpen) return;
  const Box& box = node.boxes[element];
  const double reach = std::max(box.hi - box.at, box.at - box.lo);
  const Sizes size = JointSizes(weight);
  for (int l = 0; l < kLanes; ++l) {
    if (weight.radius[l] < size[l]) {
      distance_[l] += weight.radius[l] * reach;
    } else {  // the uncertain part is the whole weight
      distance_[l] += size[l] * reach + weight.paths[l] * node.noise_use[element];
      weight.sum[l] = 0, weight.paths[l] = 0;
    }
    weight.radius[l] = 0;
  }
}

// Returns true for each lane whose sweep stops at `node`: if `all`, or if a stop adds little error.
template <int kLanes>
std::array<bool, kLanes> Sweep<kLanes>::StopsAt(const Node& node, Weights& weights, bool all) {
  Lanes stopped{}, passed{};
  for (size_t k = 0; k < weights.touched.size(); ++k) {
    CollapseToMidpoint(node, weights.touched[k], weights.of[k]);
    AddResidualError(node, weights.touched[k], weights.of[k], passed, stopped);
  }
  std::array<bool, kLanes> stops;
  for (int l = 0; l < kLanes; ++l) {
    const double given = early_stop_error_[l] + (stopped[l] - passed[l]);
    stops[l] = all || given <= early_stop_share_ * (distance_[l] + passed[l]);
    distance_[l] += stops[l] ? stopped[l] : passed[l];
    if (stops[l]) early_stop_error_[l] = given;
  }
  return stops;
}

// Passes weights from a node's elements to its operands. Must run after all readers of the node.
template <int kLanes>
void Sweep<kLanes>::Pass(const Node& node, Weights& weights, int64_t visits_max) {
  const double ahead = VisitsFrom(node) * static_cast<double>(weights.touched.size());
  const bool spent = static_cast<double>(visits_) + ahead > static_cast<double>(visits_max);
  const std::array<bool, kLanes> stops = StopsAt(node, weights, spent);
  const bool done = std::all_of(stops.begin(), stops.end(), [](bool stop) { return stop; });
  for (size_t k = 0; k < weights.touched.size(); ++k) {
    const int64_t i = weights.touched[k];
    weights.place[i] = 0;
    if (done || node.states[i] != Node::kOpen) continue;
    Weight& weight = weights.of[k];
    bool any = false;
    for (int l = 0; l < kLanes; ++l) {
      if (stops[l]) weight.sum[l] = 0, weight.radius[l] = weight.paths[l] = 0;
      any = any || weight.paths[l] != 0;
    }
    if (any) Propagate(node, i, OutgoingOf(node, i, weight));
  }
  weights.touched.clear();
  weights.of.clear();
  recycled_weights_.push_back(std::move(weights.of));
}

template <int kLanes>
typename Sweep<kLanes>::Lanes Sweep<kLanes>::DistancesAt(int32_t node,
                                                         absl::Span<const int64_t> elements,
                                                         int64_t visits_max, double given_away) {
  weights_.resize(nodes_.size());
  visits_ = 0;
  early_stop_share_ = given_away;
  distance_ = early_stop_error_ = {};
  for (size_t l = 0; l < elements.size(); ++l) {
    Weight& weight = Visit(node, elements[l]);
    weight.sum[l] = weight.paths[l] = 1;
  }
  double passed_nodes = 0;
  for (; !waiting_.empty(); ++passed_nodes) {
    const int32_t at = waiting_.top();
    waiting_.pop();
    Pass(*nodes_[at], weights_[at], std::min(visits_max, kVisitsMax));
  }
  const double roundings = static_cast<double>(visits_) + kRoundingsAtNode * passed_nodes;
  for (double& d : distance_) d *= 1 + kRoundingOfSizes * roundings;
  return distance_;
}

template <int kLanes>
absl::Span<const double> Sweeps::Run(Sweep<kLanes>& sweep, int32_t node,
                                     absl::Span<const int64_t> elements, double budget) {
  constexpr double kCost = kLanes == 1 ? 1 : kCostTogether;
  const auto lanes =
      sweep.DistancesAt(node, elements, static_cast<int64_t>(budget / kCost), early_stop_share_);
  cost_ = kCost * static_cast<double>(sweep.visits());
  distances_.assign(lanes.begin(), lanes.begin() + elements.size());
  return distances_;
}

absl::Span<const double> Sweeps::From(int32_t node, absl::Span<const int64_t> elements,
                                      double budget) {
  if (elements.size() == 1) return Run(one_, node, elements, budget);
  return Run(joint_sweep_, node, elements, budget);
}

template class Sweep<1>;
template class Sweep<kSweepLanes>;

}  // namespace hlocts::reference
