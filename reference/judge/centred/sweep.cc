// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/centred/sweep.h"

#include <algorithm>
#include <cmath>

namespace hlocts::reference {
namespace {

// Products and sums of weights are rounded: less than 2^20 of them meet in one element, each off by
// 2^-53 of what `paths` counts. Of sums of magnitudes alone the same.
constexpr double kRounding = 0x1p-32, kTotal = 1 + 0x1p-20;
// More than any of them loses where it underflows.
constexpr double kLeastWeight = 0x1p-900;
constexpr int64_t kVisitsMax = 1 << 20;
// Of the distance so far, what stopping early may add.
constexpr double kGivenAway = 0.2;

// The factor that a product has for one of its operands: half the sum of what the other is here and
// there (slopes.cc).
Slope FactorSlope(const Box& other) {
  const double lo = other.lo / 2 + other.at / 2, hi = other.hi / 2 + other.at / 2;
  const double most = std::max(std::fabs(lo), std::fabs(hi));
  return {lo / 2 + hi / 2, (hi - lo) / 2 + most * 0x1p-40 + kLeastWeight, other.spread / 2};
}

}  // namespace

// If all uses deviate alike.
double Sweep::Together(const Weight& weight) {
  return std::min(weight.paths, std::fabs(weight.sum) + weight.radius + kRounding * weight.paths);
}

void Sweep::Add(int32_t node, int64_t element, const Slope& slope, const Weight& from,
                double paths) {
  if (slope.IsZero()) return;
  // The slopes of all readers are one of the interval and, for each, no more than `apart` besides.
  const double varies =
      std::min(slope.radius * paths, slope.radius * Together(from) + slope.apart * paths);
  ++visits_;
  Weights& weights = weights_[node];
  if (weights.of.empty()) weights.of.resize(nodes_[node]->boxes.size());
  if (weights.touched.empty()) waiting_.push(node);
  Weight& to = weights.of[element];
  if (to.paths == 0) weights.touched.push_back(element);
  const double size = std::fabs(slope.middle);
  to.sum += slope.middle * from.sum;
  to.radius += size * from.radius + varies + kLeastWeight;
  to.paths += (size + slope.radius) * paths + kLeastWeight;
}

void Sweep::ToTerms(const Node& node, int64_t element, const Weight& weight, double paths) {
  const NodeTerms& terms = node.terms;
  const int32_t left = node.operands[0];
  for (int64_t t = terms.first[element]; t < terms.first[element + 1]; ++t) {
    const int64_t l = terms.lhs[t];
    switch (node.kind) {
      case NodeKind::kSum:
        Add(left, l, {1, 0}, weight, paths);
        break;
      case NodeKind::kPick:
        Add(left, l, node.slopes[t], weight, paths);
        break;
      default: {
        const int32_t right = node.operands[1];
        const int64_t r = terms.rhs[t];
        Add(left, l, FactorSlope(nodes_[right]->boxes[r]), weight, paths);
        Add(right, r, FactorSlope(nodes_[left]->boxes[l]), weight, paths);
      }
    }
  }
}

void Sweep::GoOn(const Node& node, int64_t element, const Weight& weight) {
  const auto at = [&](int32_t operand) {
    return nodes_[operand]->set.shape().rank() == 0 ? 0 : element;
  };
  const double paths = node.IsOnce(element) ? Together(weight) : weight.paths;
  switch (node.kind) {
    case NodeKind::kLeaf:
      return;
    case NodeKind::kElementwise: {
      const size_t count = node.operands.size();
      for (size_t k = 0; k < count; ++k) {
        Add(node.operands[k], at(node.operands[k]), node.slopes[element * count + k], weight,
            paths);
      }
      return;
    }
    case NodeKind::kSelect: {
      const SetArray& chooser = nodes_[node.operands[0]]->set;
      const bool first = chooser.At(chooser.shape().rank() == 0 ? 0 : element).ilo != 0;
      const int32_t arm = node.operands[first ? 1 : 2];
      return Add(arm, at(arm), {1, 0}, weight, paths);
    }
    case NodeKind::kMove: {
      int64_t from = node.terms.lhs[element];
      size_t k = 0;
      for (; from >= nodes_[node.operands[k]]->set.element_count(); ++k) {
        from -= nodes_[node.operands[k]]->set.element_count();
      }
      return Add(node.operands[k], from, {1, 0}, weight, paths);
    }
    case NodeKind::kSum:
    case NodeKind::kProducts:
    case NodeKind::kPick:
      return ToTerms(node, element, weight, paths);
  }
}

// What the element's own noise does to the result.
double Sweep::Leave(const Node& node, int64_t element, const Weight& weight, bool stop) {
  const double size = node.IsOnce(element) ? Together(weight) : weight.paths;
  if (!stop || node.states[element] != Node::kOpen) {
    return size * node.noise_once[element] + weight.paths * node.noise_use[element];
  }
  const Box& box = node.boxes[element];
  // What readers make of it themselves is not in the box of what is stored: once more on top.
  const double reach = std::max(box.hi - box.at, box.at - box.lo);
  return size * reach + weight.paths * node.noise_use[element];
}

double Sweep::DistanceAt(int32_t node, int64_t element, int64_t visits_max) {
  visits_max = std::min(visits_max, kVisitsMax);
  weights_.resize(nodes_.size());
  visits_ = 0;
  double distance = 0, given = 0;
  Add(node, element, {1, 0}, {1, 0, 1}, 1);
  while (!waiting_.empty()) {
    const int32_t at = waiting_.top();
    waiting_.pop();
    const Node& here = *nodes_[at];
    Weights& weights = weights_[at];
    // Where all of them may stop at little cost, they do.
    double cost = 0;
    for (const int64_t i : weights.touched) cost += Leave(here, i, weights.of[i], /*stop=*/true);
    const bool cheap = given + cost <= kGivenAway * distance;
    if (cheap) given += cost;
    for (const int64_t i : weights.touched) {
      const Weight weight = weights.of[i];
      weights.of[i] = Weight();
      if (here.states[i] == Node::kBroken) distance = HUGE_VAL;
      const bool stop = cheap || visits_ >= visits_max;
      distance += Leave(here, i, weight, stop);
      if (here.states[i] == Node::kOpen && !stop) GoOn(here, i, weight);
    }
    weights.touched.clear();
  }
  return distance * kTotal;
}

}  // namespace hlocts::reference
