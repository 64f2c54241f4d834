// SPDX-License-Identifier: Apache-2.0
// Tests sweeps over a graph built by hand. Sweeps that run together must return the same distances
// as single sweeps, and no execution may be farther away.
#include "reference/judge/centred/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kElements = 40, kTerms = 6;

// Builds a graph of four nodes; node 3 reads each sum twice.
// 0 (sources) -> 1 (element-wise) -> 2 (sums of 1) -> 3 (element-wise)
class SweepTest : public testing::Test {
 protected:
  SweepTest() {
    for (int n = 0; n < 4; ++n) {
      auto node = std::make_unique<Node>();
      node->set = SetArray(Literal(Shape(PrimitiveType::kF32, {kElements})));
      node->states.assign(kElements, n == 0 ? Node::kClosed : Node::kOpen);
      node->once = n == 0 || n == 2;
      for (int64_t i = 0; i < kElements; ++i) {
        node->boxes.push_back({-kReach[n], kReach[n], 0});
        node->noise_once.push_back(node->once ? Between(0, 1) : 0);
        node->noise_use.push_back(n == 0 ? 0 : Between(0, 0.1));
      }
      nodes_.push_back(std::move(node));
    }
    MakeElementwise(*nodes_[1], {0});
    MakeElementwise(*nodes_[3], {2, 2});
    nodes_[2]->kind = NodeKind::kSum;
    nodes_[2]->operands = {1};
    for (int64_t t = 0; t <= kElements * kTerms; ++t) {
      if (t % kTerms == 0) nodes_[2]->terms.first.push_back(t);
      if (t < kElements * kTerms) nodes_[2]->terms.lhs.push_back(random_() % kElements);
    }
  }

  double Between(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(random_);
  }

  // The second slope almost cancels the first; some elements have slopes with a radius.
  void MakeElementwise(Node& node, std::vector<int32_t> operands) {
    node.kind = NodeKind::kElementwise;
    for (int64_t i = 0; i < kElements; ++i) {
      const double middle = i % 5 == 0 ? 0 : Between(-2, 2);
      const double other = i % 5 == 0 ? 0 : 0.01 - middle;
      node.slopes.push_back({middle, Between(0.1, 0.3)});
      if (operands.size() == 2) node.slopes.push_back({other, Between(0.1, 0.3)});
    }
    node.operands = std::move(operands);
  }

  // Returns the distances of the last node's elements from 0 in a random execution.
  std::vector<double> Execution() {
    std::vector<std::vector<double>> x(4, std::vector<double>(kElements));
    for (double& v : x[0]) v = nodes_[0]->noise_once[&v - x[0].data()] * Sign();
    // Element-wise values are computed again for each reader.
    const auto function_of = [&](int64_t i) {
      return SlopeOf(1, i) * x[0][i] + nodes_[1]->noise_use[i] * Sign();
    };
    for (int64_t i = 0; i < kElements; ++i) {
      x[2][i] = nodes_[2]->noise_once[i] * Sign();
      for (int64_t t = 0; t < kTerms; ++t) {
        x[2][i] += function_of(nodes_[2]->terms.lhs[i * kTerms + t]);
      }
    }
    for (int64_t i = 0; i < kElements; ++i) {
      const double first = x[2][i] + nodes_[2]->noise_use[i] * Sign();
      const double second = x[2][i] + nodes_[2]->noise_use[i] * Sign();
      x[3][i] = SlopeOf(3, 2 * i) * first + SlopeOf(3, 2 * i + 1) * second +
                nodes_[3]->noise_use[i] * Sign();
    }
    return x[3];
  }

  double SlopeOf(int node, int64_t k) {
    const Slope& slope = nodes_[node]->slopes[k];
    return slope.middle + slope.radius * Sign();
  }
  // Returns 1 or -1 in most cases, since extremes show errors best.
  double Sign() { return random_() % 4 == 0 ? Between(-1, 1) : random_() % 2 == 0 ? 1 : -1; }

  std::vector<double> Alone(double given_away) {
    Sweep<1> sweep(nodes_);
    std::vector<double> distances;
    for (int64_t i = 0; i < kElements; ++i) {
      distances.push_back(sweep.DistancesAt(3, {i}, 1 << 20, given_away)[0]);
    }
    return distances;
  }

  // No sum of node 2 is farther than 2.4 * 6 + 1 from its value in the reference execution.
  static constexpr double kReach[] = {1, 2.4, 15.5, 100};
  std::mt19937 random_{11};
  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_F(SweepTest, SeveralTogetherSayWhatEachSaysAlone) {
  for (const bool settled : {false, true}) {
    nodes_[2]->settled = settled;
    for (const double given_away : {0.0, 0.2}) {
      const std::vector<double> alone = Alone(given_away);
      Sweep<kSweepLanes> sweep(nodes_);
      std::vector<int64_t> elements;
      for (int64_t i = kElements - kSweepLanes; i < kElements; ++i) elements.push_back(i);
      const auto together = sweep.DistancesAt(3, elements, 1 << 20, given_away);
      for (size_t l = 0; l < elements.size(); ++l) {
        EXPECT_NEAR(together[l] / alone[elements[l]], 1, 1e-3) << settled << given_away;
      }
    }
  }
}

TEST_F(SweepTest, NoExecutionIsFartherThanTheySay) {
  for (const bool settled : {false, true}) {
    nodes_[2]->settled = settled;
    for (const double given_away : {0.0, 0.2, 1.0}) {
      const std::vector<double> most = Alone(given_away);
      for (int trial = 0; trial < 3000; ++trial) {
        const std::vector<double> x = Execution();
        for (int64_t i = 0; i < kElements; ++i) ASSERT_LE(std::fabs(x[i]), most[i]) << i;
      }
    }
  }
}

// Executions at the ends of a box are within the distances of sweeps that stop at or pass the box.
TEST_F(SweepTest, WhereItStopsAllOfTheBoxCounts) {
  Sweep<1> sweep(nodes_);
  for (int64_t i = 0; i < kElements; ++i) {
    const Slope* s = &nodes_[3]->slopes[2 * i];
    const double own = nodes_[3]->noise_use[i];
    const double of_reader = nodes_[2]->noise_use[i];
    const double both = std::fabs(s[0].middle + s[1].middle) + s[0].radius + s[1].radius;
    const double paths =
        std::fabs(s[0].middle) + std::fabs(s[1].middle) + s[0].radius + s[1].radius;
    const double distance = sweep.DistancesAt(3, {i}, /*visits_max=*/3, 0)[0];
    const double expected = std::min(both, paths) * kReach[2] + paths * of_reader + own;
    EXPECT_GE(distance, expected);
    EXPECT_LE(distance, expected * 1.001);
  }
}

// Slopes that are too small or too large for f32 do not make a distance too small.
TEST_F(SweepTest, SlopesFarFromOneAreNoLess) {
  for (const auto& node : nodes_) {
    node->noise_use.assign(kElements, 0);
    node->noise_once.assign(kElements, node == nodes_[0] ? 1e20 : 0);
  }
  for (const double factor : {1e-50, 1e50}) {
    for (int64_t i = 0; i < kElements; ++i) {
      nodes_[3]->slopes[2 * i] = {1e-20 / factor, 0};
      nodes_[3]->slopes[2 * i + 1] = {0, 0};
      nodes_[1]->slopes[i] = {factor, 0};
    }
    for (double distance : Alone(0)) EXPECT_FALSE(distance < kTerms) << factor;
  }
}

}  // namespace
}  // namespace hlocts::reference
