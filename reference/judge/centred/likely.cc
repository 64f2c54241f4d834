// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/centred/likely.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reference/deep_stack.h"
#include "reference/judge/centred/open_element.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

// Beyond this many roots of squares an element is with probability 2 exp(-t^2 / 2) = 2.6e-9.
constexpr double kDeviations = 6.4;
constexpr int64_t kElementsOfLeaf = 24;
constexpr int64_t kStackBytes = 64 << 10;

// The effect of a unit of an element on the result: along all ways together, and its square if each
// way deviates by itself (fma(a, b, -ab) is not 0).
struct Way {
  double together = 0, square = 0;
};
using Ways = std::vector<Way>;

class Sweeper {
 public:
  Sweeper(absl::Span<const std::unique_ptr<Node>> nodes, int32_t node)
      : nodes_(nodes), ways_(static_cast<size_t>(node) + 1) {}

  double From(int32_t node, int64_t element) {
    At(node)[element] = {1, 1};
    for (int32_t k = node; k >= 0; --k) {
      for (int64_t i = 0; i < static_cast<int64_t>(ways_[k].size()); ++i) {
        if (ways_[k][i].square != 0) Pass(*nodes_[k], i, ways_[k][i]);
      }
      Ways().swap(ways_[k]);
    }
    return std::sqrt(squares_);
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
    to.square += slope * slope * from.square;
  }
  void Pass(const Node& node, int64_t i, const Way& way) {
    const double noise = node.noise_once[i] + node.noise_use[i];
    squares_ += std::max(way.together * way.together, way.square) * noise * noise;
    if (node.states[i] == Node::kBroken) squares_ = HUGE_VAL;
    if (node.states[i] != Node::kOpen) return;
    switch (node.kind) {
      case NodeKind::kLeaf:
        return;
      case NodeKind::kElementwise:
        for (size_t k = 0; k < node.operands.size(); ++k) {
          const Slope& slope = node.slopes[i * node.operands.size() + k];
          Add(node.operands[k], ElementOf(*nodes_[node.operands[k]], i), slope.middle, way);
        }
        return;
      case NodeKind::kSelect: {
        const SetArray& chooser = nodes_[node.operands[0]]->set;
        const bool first = chooser.At(chooser.shape().rank() == 0 ? 0 : i).ilo != 0;
        const int32_t arm = node.operands[first ? 1 : 2];
        return Add(arm, ElementOf(*nodes_[arm], i), 1, way);
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
    for (int64_t t = node.terms.first[i]; t < node.terms.first[i + 1]; ++t) {
      const int64_t l = node.terms.lhs[t];
      if (node.kind != NodeKind::kProducts) {
        Add(left, l, node.kind == NodeKind::kPick ? node.slopes[t].middle : 1, way);
        continue;
      }
      const int32_t right = node.operands[1];
      const int64_t r = node.terms.rhs[t];
      Add(left, l, nodes_[right]->boxes[r].at, way);
      Add(right, r, nodes_[left]->boxes[l].at, way);
    }
  }

  absl::Span<const std::unique_ptr<Node>> nodes_;
  std::vector<Ways> ways_;
  double squares_ = 0;
};

void AppendArrays(const SetValue& value, std::vector<SetArray>& arrays) {
  if (!value.tuple) return arrays.push_back(value.array);
  for (const SetValue& element : value.elements) AppendArrays(element, arrays);
}

// The element that is farthest off, in roots of squares.
std::string Farthest(Tape& tape, const SetArray& array, int64_t output, const Literal& actual) {
  const int64_t count = array.element_count(), sampled = std::min(count, kElementsOfLeaf);
  double most = kDeviations;
  std::string text;
  for (int64_t k = 0; k < sampled; ++k) {
    const int64_t i = count * k / sampled;
    const auto [at, deviation] = tape.LikelyAt(array, i);
    const double found = RealAt(actual, i), off = std::fabs(found - at) / deviation;
    // Infinities are a matter of range.
    const bool said = std::isfinite(found) && std::isfinite(deviation) && deviation > 0;
    if (!said || !(off > most)) continue;
    most = off;
    text = absl::StrFormat("output %d at [%s]: %.9g is %.1f deviations from %.9g, of %.2g each",
                           output, absl::StrJoin(MultiIndex(i, actual.shape().dimensions()), ","),
                           found, off, at, deviation);
  }
  return text;
}

}  // namespace

double RootOfSquares(absl::Span<const std::unique_ptr<Node>> nodes, int32_t node, int64_t element) {
  return Sweeper(nodes, node).From(node, element);
}

absl::StatusOr<std::string> FindSuspect(const Module& module, absl::Span<const Literal> arguments,
                                        absl::Span<const Literal> actual_leaves,
                                        const JudgeOptions& options) {
  // Engines that read operands as fewer bits are out of scope.
  const TargetFacts& facts = options.facts;
  const bool coarse = facts.dot_tf32 || facts.dot_f32 != DotPasses::kFull ||
                      facts.dot_partials.has_value() || facts.convolution_fast;
  if (coarse || options.profile == Profile::kRelaxed) return std::string();
  JudgeOptions single = options;
  single.replicas = single.partitions = 1;
  SetInterpreter interpreter(module, single);
  Tape tape(interpreter, /*points=*/true);
  std::vector<std::vector<SetValue>> values(1);
  for (const Literal& literal : arguments) values[0].push_back(ExactValue(literal));
  absl::StatusOr<std::vector<SetValue>> run = absl::InternalError("not run");
  HLOCTS_RETURN_IF_ERROR(RunOnStackFor(module, kStackBytes, [&] {
    run = interpreter.Run(*module.entry(), std::move(values), {{0}, &tape});
  }));
  HLOCTS_RETURN_IF_ERROR(run.status());
  std::vector<SetArray> arrays;
  AppendArrays((*run)[0], arrays);
  for (size_t k = 0; k < arrays.size() && k < actual_leaves.size(); ++k) {
    const SetArray& array = arrays[k];
    const PrimitiveType type = array.element_type();
    const bool real = actual_leaves[k].shape().IsArray() && IsFloat(type) && BitWidth(type) >= 16;
    if (!real || array.exact() || array.node < 0 || array.joint != nullptr) continue;
    if (actual_leaves[k].element_count() != array.element_count()) continue;
    std::string text = Farthest(tape, array, static_cast<int64_t>(k), actual_leaves[k]);
    if (!text.empty()) return text;
  }
  return std::string();
}

}  // namespace hlocts::reference
