// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/centred/likely.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "reference/deep_stack.h"
#include "reference/judge/centred/open_element.h"
#include "spec/ir/module.h"
#include "spec/judge/joint.h"
#include "spec/judge/unusual.h"
#include "spec/ops/groups.h"

namespace hlocts::reference {
namespace {

// The least and the largest number of elements of an output from which sweeps start. Half of them
// are the elements farthest from the reference execution; the others are spread evenly. All sweeps
// together make about kVisits visits. No output is tested if one sweep may exceed kVisitsMost.
constexpr double kSweptLeast = 2, kSweptMost = 24, kVisits = 0x1p32, kVisitsMost = 0x1p30;
// The least and the largest number of results that LeafTests::JointSizes compares.
constexpr int64_t kTogetherLeast = 8, kTogetherMost = 4096;
// LeafTests::Bits returns 0 for fewer tested elements than this, unless the output is smaller.
constexpr int64_t kResolvedLeast = 12;
// A sum agrees by terms if it differs from the f64 run by at most this share of a typical term.
constexpr double kTermShare = 0.25;
constexpr int64_t kStackBytes = 64 << 10;

// The change of the result if an element changes by one unit. `together` is the change if all paths
// to the result deviate equally, so that they may cancel. `square` is a sum of squares, for paths
// that deviate independently: fma(a, b, -ab), for example, need not be 0.
struct Way {
  double together = 0;
  Square square = 0;
};
using Ways = std::vector<Way>;

class Sweeper {
 public:
  Sweeper(absl::Span<const std::unique_ptr<Node>> nodes, int32_t node)
      : nodes_(nodes), ways_(static_cast<size_t>(node) + 1) {}

  LikelyError From(int32_t node, int64_t element) {
    At(node)[element] = {1, 1};
    for (int32_t k = node; k >= 0; --k) {
      if (!ways_[k].empty()) Pass(*nodes_[k], ways_[k]);
      Ways().swap(ways_[k]);
    }
    error_.at = nodes_[node]->boxes[element].at;
    Square squares = 0;
    for (const auto& [instruction, share] : error_.shares)
      squares += share.squares + SquareOf(share.common / kDeviations);
    error_.deviation = static_cast<double>(std::sqrt(squares));
    return std::move(error_);
  }

 private:
  Ways& At(int32_t node) {
    if (ways_[node].empty()) ways_[node].resize(nodes_[node]->boxes.size());
    return ways_[node];
  }
  void Add(int32_t node, int64_t element, double slope, const Way& from) {
    if (slope == 0 || nodes_[node]->silent) return;
    Way& to = At(node)[element];
    to.together += slope * from.together;
    to.square += SquareOf(slope) * from.square;
  }
  void Pass(const Node& node, const Ways& ways) {
    RoundingContribution& share = error_.shares[node.instruction];
    for (size_t i = 0; i < ways.size(); ++i) {
      const Way& way = ways[i];
      if (way.square == 0) continue;
      const double noise = node.noise_once[i] + node.noise_use[i];
      share.squares += std::max(SquareOf(way.together), way.square) * SquareOf(noise);
      share.common += way.together * noise;
      if (node.states[i] == Node::kBroken) share.squares = HUGE_VAL;
      if (node.states[i] != Node::kOpen) continue;
      // All readers of a value that is computed once see the same number.
      const bool once = node.IsOnce(static_cast<int64_t>(i));
      Propagate(node, static_cast<int64_t>(i),
                {way.together, once ? SquareOf(way.together) : way.square});
    }
  }
  void Propagate(const Node& node, int64_t i, const Way& way) {
    switch (node.kind) {
      case NodeKind::kLeaf:
        return;
      case NodeKind::kElementwise:
        for (size_t k = 0; k < node.operands.size(); ++k) {
          // Not the middle: it is 0 for the sine of a large argument, whose slopes are in [-1, 1].
          const double steepest = Steepest(node.slopes[i * node.operands.size() + k]);
          Add(node.operands[k], ElementOf(nodes_[node.operands[k]]->set, i), steepest, way);
        }
        return;
      case NodeKind::kSelect: {
        const SetArray& chooser = nodes_[node.operands[0]]->set;
        const bool first = chooser.At(ElementOf(chooser, i)).ilo != 0;
        const int32_t arm = node.operands[first ? 1 : 2];
        return Add(arm, ElementOf(nodes_[arm]->set, i), 1, way);
      }
      case NodeKind::kMove: {
        int64_t number = node.terms.lhs[i];
        size_t k = 0;
        while (number >= nodes_[node.operands[k]]->set.element_count())
          number -= nodes_[node.operands[k++]]->set.element_count();
        return Add(node.operands[k], number, 1, way);
      }
      case NodeKind::kSum:
      case NodeKind::kProducts:
      case NodeKind::kPick:
        return ToTerms(node, i, way);
    }
  }
  void ToTerms(const Node& node, int64_t i, const Way& way) {
    const int32_t left = node.operands[0];
    int64_t t = node.terms.first[i];
    if (node.kind != NodeKind::kProducts) {
      return node.terms.ForEach(i, [&](int64_t l, int64_t) {
        Add(left, l, node.kind == NodeKind::kPick ? Steepest(node.slopes[t++]) : 1, way);
      });
    }
    const int32_t right = node.operands[1];
    node.terms.ForEach(i, [&](int64_t l, int64_t r) {
      Add(left, l, SteepestFactor(nodes_[right]->boxes[r]), way);
      Add(right, r, SteepestFactor(nodes_[left]->boxes[l]), way);
    });
  }

  absl::Span<const std::unique_ptr<Node>> nodes_;
  std::vector<Ways> ways_;
  LikelyError error_;
};

void AppendLeaves(const SetValue& value, std::vector<SetArray>& arrays) {
  if (!value.tuple) return arrays.push_back(value.array);
  for (const SetValue& element : value.elements) AppendLeaves(element, arrays);
}

using Test = StatisticalTestResult::Test;
using Clock = std::chrono::steady_clock;

// Returns the median of the effective bits if the judge passes the output with these sets, else 0.
// Returns infinity if the output is not a float.
double BitsOfPass(const SetArray& set, const Literal& actual) {
  const JudgeResult judged = JudgeLeaves({{{set.shape(), false, set}}, {Origin()}}, {&actual, 1});
  if (judged.outcome != Outcome::kPass) return 0;
  return judged.effective.elements > 0 ? judged.effective.median : HUGE_VAL;
}

// Compares one output of the engine with the reference execution.
class LeafTests {
 public:
  LeafTests(ReferencePointRun& run, size_t leaf, const Literal& actual,
            StatisticalTestResult& found)
      : run_(run), leaf_(leaf), actual_(actual), node_(run.NodeOf(leaf)), found_(found) {}

  // If the output is a sum of certain operands, compares all elements: their deviations need no
  // sweep. Otherwise sweeps from elements until the next sweep might exceed the deadline.
  void Elements(int64_t most, Clock::time_point deadline) {
    if (IsSumOfCertain()) {
      const int64_t count = actual_.element_count(), step = (count - 1) / kTogetherMost + 1;
      const double common = std::sqrt(1 + 1 / (kDeviations * kDeviations));
      for (int64_t i = 0; i < count; ++i)
        Compare(i, node_.boxes[i].at, common * NoiseOf(i), i % step == 0);
      return;
    }
    Clock::time_point begin = Clock::now();
    for (int64_t i : Chosen(most)) {
      const Clock::time_point now = Clock::now();
      if (now - begin > deadline - now) return;
      begin = now;
      const LikelyError error = run_.From(leaf_, i);
      // The first-order estimate is unusable for an element smaller than kDeviations deviations.
      const bool small = kDeviations * error.deviation > std::fabs(error.at);
      Compare(i, error.at, small ? HUGE_VAL : error.deviation, true);
    }
  }
  // Returns BitsOfPass of the kept elements, with sets as wide as the limit (see Compare).
  double Bits() const {
    const auto count = static_cast<int64_t>(kept_.size());
    if (count < std::min(actual_.element_count(), kResolvedLeast)) return 0;
    Literal some(Shape(actual_.element_type(), {count}));
    const int64_t size = StorageBytes(actual_.element_type());
    for (int64_t k = 0; k < count; ++k)
      std::memcpy(some.mutable_raw_data() + k * size, actual_.raw_data() + kept_[k] * size, size);
    return BitsOfPass({some.shape(), sets_}, some);
  }
  // The accumulation errors of a dot or a sum of exact operands are independent of each other. This
  // test limits their sum and the sum of their squares.
  void JointSizes() {
    if (!IsSumOfCertain()) return;
    const int64_t count = std::min<int64_t>(actual_.element_count(), kTogetherMost);
    absl::flat_hash_set<double> seen;  // equal results have equal errors
    double squares = 0, sum = 0, most = 0, deviation = 0;
    int64_t farthest = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double noise = NoiseOf(i);
      const double off = (RealAt(actual_, i) - node_.boxes[i].at) / noise;
      if (noise == 0 || !std::isfinite(noise) || !std::isfinite(off)) continue;
      if (!seen.insert(node_.boxes[i].at).second) continue;
      squares += off * off;
      sum += off;
      if (std::fabs(off) > most) most = std::fabs(off), farthest = i, deviation = noise;
    }
    const double m = static_cast<double>(seen.size()), mean = squares / std::max(m, 1.0);
    if (m < kTogetherLeast) return;
    if (mean > 1) {
      const double exponent = m * (mean - 1 - std::log(mean));
      Take(Test::kVariance, farthest, std::sqrt(exponent + 2 * std::log(2.0)), deviation);
    }
    Take(Test::kBias, farthest, std::fabs(sum) / std::sqrt(m), deviation);
  }

 private:
  // An element with an infinite deviation (due to its range, not to rounding) is not tested.
  void Compare(int64_t i, double at, double deviation, bool keep) {
    const double distance = std::fabs(RealAt(actual_, i) - at);
    const double off = distance == 0 ? 0 : distance / deviation;
    const bool tested = std::isfinite(off) && std::isfinite(deviation);
    const double width = found_.limit * deviation;
    if (keep) {
      kept_.push_back(i);
      sets_.push_back(tested ? AcceptanceSet::Interval(at - width, at + width)
                             : AcceptanceSet::Unspecified());
    }
    if (!tested) return;
    ++found_.elements;
    Take(Test::kElement, i, off, deviation);
  }
  double NoiseOf(int64_t i) const {
    return node_.states[i] == Node::kBroken ? HUGE_VAL : node_.noise_once[i] + node_.noise_use[i];
  }
  bool IsSumOfCertain() const {
    if (node_.kind != NodeKind::kProducts && node_.kind != NodeKind::kSum) return false;
    return std::all_of(node_.operands.begin(), node_.operands.end(),
                       [&](int32_t operand) { return run_.nodes()[operand]->silent; });
  }
  // Returns up to `most` elements: half are the farthest from the reference, half evenly spaced.
  std::vector<int64_t> Chosen(int64_t most) const {
    const int64_t count = actual_.element_count(), half = most / 2;
    std::vector<int64_t> chosen(static_cast<size_t>(count));
    std::iota(chosen.begin(), chosen.end(), 0);
    if (count <= most) return chosen;
    std::vector<double> off(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      const double distance = std::fabs(RealAt(actual_, i) - node_.boxes[i].at);
      off[i] = std::isfinite(distance) ? distance : 0;
    }
    std::partial_sort(chosen.begin(), chosen.begin() + half, chosen.end(),
                      [&](int64_t a, int64_t b) { return off[a] > off[b]; });
    chosen.resize(static_cast<size_t>(half));
    for (int64_t k = 0; k < half; ++k) chosen.push_back(count * k / half);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
  }
  void Take(Test test, int64_t element, double off, double deviation) {
    if (!(off > found_.most)) return;
    found_.most = off;
    found_.test = test;
    found_.output = static_cast<int64_t>(leaf_);
    found_.element = element;
    found_.found = RealAt(actual_, element);
    found_.expected = node_.boxes[element].at;
    found_.deviation = deviation;
  }

  ReferencePointRun& run_;
  const size_t leaf_;
  const Literal& actual_;
  const Node& node_;
  StatisticalTestResult& found_;
  std::vector<int64_t> kept_;  // the kept elements; sets_ has the values within the limit
  std::vector<AcceptanceSet> sets_;
};

double RootMeanSquare(const Literal& literal) {
  Square squares = 0;
  for (int64_t i = 0; i < literal.element_count(); ++i) squares += SquareOf(RealAt(literal, i));
  return static_cast<double>(std::sqrt(squares / std::max<int64_t>(literal.element_count(), 1)));
}

// Returns true if all elements of a sum or contraction agree by terms (kTermShare), nullopt if the
// operands are not exact. Records the farthest element.
std::optional<bool> AgreeByTerms(const ReferencePointRun& run, size_t leaf, const Literal& actual,
                                 StatisticalTestResult& farthest) {
  const Node& node = run.Recorded(leaf);
  if (node.sums.values.empty()) return std::nullopt;
  double term = 1;
  for (size_t k = 0; k < (ops::IsContraction(node.instruction->opcode()) ? 2 : 1); ++k) {
    const SetArray& operand = run.nodes()[node.operands[k]]->set;
    if (!operand.exact()) return std::nullopt;
    term *= RootMeanSquare(operand.literal());
  }
  if (!std::isfinite(term)) return std::nullopt;
  for (int64_t i = 0; i < actual.element_count(); ++i) {
    const double at = node.sums.values[i], found = RealAt(actual, i);
    const double distance = std::fabs(found - at);
    if (!(distance <= kTermShare * term)) return false;
    ++farthest.elements;
    if (distance <= farthest.most * term) continue;
    farthest.most = distance / term;
    farthest.output = static_cast<int64_t>(leaf), farthest.element = i;
    farthest.found = found, farthest.expected = at, farthest.deviation = term;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ReferencePointRun>> ReferencePointRun::Of(
    const Module& module, absl::Span<const Literal> arguments, const JudgeOptions& options) {
  std::unique_ptr<ReferencePointRun> made(new ReferencePointRun(module, options));
  std::vector<std::vector<SetValue>> values(1);
  for (const Literal& literal : arguments) values[0].push_back(ExactValue(literal));
  absl::StatusOr<std::vector<SetValue>> run = absl::InternalError("not run");
  HLOCTS_RETURN_IF_ERROR(RunOnStackFor(module, kStackBytes, [&] {
    run = made->interpreter_.Run(*module.entry(), std::move(values), {{0}, &made->tape_});
  }));
  HLOCTS_RETURN_IF_ERROR(run.status());
  AppendLeaves((*run)[0], made->leaves_);
  return made;
}

bool ReferencePointRun::CanSweep(size_t leaf) const {
  const SetArray& array = leaves_[leaf];
  const PrimitiveType type = array.element_type();
  return array.shape().IsArray() && IsFloat(type) && BitWidth(type) >= 16 && !array.exact() &&
         array.node >= 0 && array.joint == nullptr && array.runtime_sizes.empty();
}

const Node& ReferencePointRun::NodeOf(size_t leaf) {
  tape_.Prepare(leaves_[leaf]);
  return *tape_.nodes()[leaves_[leaf].node];
}

LikelyError ReferencePointRun::From(size_t leaf, int64_t element) {
  NodeOf(leaf);
  const int32_t node = leaves_[leaf].node;
  return Sweeper(tape_.nodes(), node).From(node, element);
}

absl::StatusOr<StatisticalTestResult> RunStatisticalTests(const Module& module,
                                                          absl::Span<const Literal> arguments,
                                                          absl::Span<const Literal> actual_leaves,
                                                          const JudgeOptions& options) {
  StatisticalTestResult found;
  // Fast convolutions and the relaxed profile have no error bound per operation.
  if (options.facts.convolution_fast || options.profile == Profile::kRelaxed) return found;
  JudgeOptions single = options;
  single.replicas = single.partitions = 1;
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<ReferencePointRun> run,
                          ReferencePointRun::Of(module, arguments, single));
  const bool sweeps = run->work() <= kVisitsMost;
  const double leaves = static_cast<double>(run->leaves().size());
  const double swept = kVisits / (std::max(run->work(), 1.0) * std::max(leaves, 1.0));
  if (run->leaves().size() != actual_leaves.size()) return found;
  std::vector<size_t> swept_leaves;
  int64_t tests = 0;
  double bits = HUGE_VAL;
  for (size_t k = 0; k < actual_leaves.size(); ++k) {
    const Literal& actual = actual_leaves[k];
    if (!actual.shape().IsArray() || actual.element_count() == 0) continue;
    if (run->CanSweep(k) && actual.element_count() == run->leaves()[k].element_count()) {
      swept_leaves.push_back(k);
      tests += actual.element_count() + 2;
    } else {
      bits = std::min(bits, BitsOfPass(run->leaves()[k], actual));
    }
  }
  found.limit = VeryLikelyFactor(tests);
  StatisticalTestResult terms;
  terms.test = Test::kTerms, terms.limit = kTermShare;
  for (size_t k : swept_leaves) {
    const std::optional<bool> agrees = AgreeByTerms(*run, k, actual_leaves[k], terms);
    double bits_of_leaf = sweeps && !agrees ? 0 : BitsOfPass(run->leaves()[k], actual_leaves[k]);
    if (sweeps) {
      LeafTests leaf(*run, k, actual_leaves[k], found);
      leaf.Elements(static_cast<int64_t>(std::clamp(swept, kSweptLeast, kSweptMost)),
                    options.deadline);
      leaf.JointSizes();
      if (!agrees) bits_of_leaf = leaf.Bits();
    }
    if (!agrees.value_or(false)) bits = std::min(bits, bits_of_leaf);
  }
  const bool by_terms = bits > 0 && terms.elements > 0 && !found.IsSuspect();
  StatisticalTestResult& result = by_terms ? terms : found;
  result.bits = std::isfinite(bits) ? bits : 0;
  return result;
}

}  // namespace hlocts::reference
