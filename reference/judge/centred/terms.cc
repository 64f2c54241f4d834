// SPDX-License-Identifier: Apache-2.0
// Finds the operands' elements that each element of a node is computed from.
#include <numeric>

#include "reference/judge/centred/prepare.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/reducers.h"
#include "reference/kernels/convolution.h"
#include "reference/kernels/dot.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/ir/instruction.h"
#include "spec/ops/op_facts.h"

namespace hlocts::reference {
namespace {

std::vector<int64_t> InDenseOrder(const CopyGeometry& copy, int64_t operand, int64_t dense) {
  std::vector<int64_t> numbers(static_cast<size_t>(operand)), moved(static_cast<size_t>(dense));
  std::iota(numbers.begin(), numbers.end(), 0);
  CopyKernel<int64_t>(copy, numbers, absl::MakeSpan(moved));
  return moved;
}

void DotTerms(const Node& node, const Shape& lhs, const Shape& rhs, NodeTerms& terms) {
  const DotGeometry geometry =
      DotGeometryOf(DotDimensionsOf(*node.instruction), lhs.dimensions(), rhs.dimensions());
  const auto [batch, m, n, k] = std::tuple(geometry.batch, geometry.m, geometry.n, geometry.k);
  terms.lhs_order = InDenseOrder(geometry.lhs, lhs.ElementCount(), batch * m * k);
  terms.rhs_order = InDenseOrder(geometry.rhs, rhs.ElementCount(), batch * k * n);
  terms.length = k;
  terms.step = n;
  for (int64_t row = 0; row < batch * m; ++row) {
    for (int64_t j = 0; j < n; ++j) {
      terms.first.push_back(static_cast<int64_t>(terms.lhs.size()));
      terms.lhs.push_back(row * k);
      terms.rhs.push_back(row / m * k * n + j);
    }
  }
}

// The batch and the feature of an element of a convolution, in the geometry's dense order.
struct ConvolutionElement {
  int64_t batch, feature;
};

void AppendTaps(const ConvolutionGeometry& g, absl::Span<const int64_t> position,
                const ConvolutionElement& at, int64_t base_count, NodeTerms& terms) {
  const int64_t feature_group = at.feature / g.output_features_per_feature_group;
  const int64_t batch_group = at.feature / g.output_features_per_batch_group;
  const int64_t row = (batch_group * g.batch + at.batch) * base_count;
  ForEachTap(g, position, [&](int64_t base, int64_t tap) {
    terms.lhs.push_back((row + base) * g.lhs_features + feature_group * g.input_features);
    terms.rhs.push_back(tap * g.input_features * g.output_features + at.feature);
  });
}

void ConvolutionTerms(const Node& node, const Shape& lhs, const Shape& rhs, NodeTerms& terms) {
  const ConvolutionGeometry g =
      ConvolutionGeometryOf(*node.instruction, lhs.dimensions(), rhs.dimensions());
  terms.lhs_order = InDenseOrder(g.lhs, lhs.ElementCount(), g.lhs_size);
  terms.rhs_order = InDenseOrder(g.rhs, rhs.ElementCount(), g.rhs_size);
  terms.length = g.input_features;
  terms.step = g.output_features;
  int64_t base_count = 1, positions = 1;
  for (int64_t size : g.base_sizes) base_count *= size;
  for (int64_t size : g.positions) positions *= size;
  // dense[i] is the number of result i in the order [batch, position, feature].
  const auto dense = InDenseOrder(g.out, g.out_size, g.out_size);
  std::vector<int64_t> position(g.positions.size(), 0);
  for (int64_t number : dense) {
    terms.first.push_back(static_cast<int64_t>(terms.lhs.size()));
    const ConvolutionElement at = {number / (positions * g.output_features),
                                   number % g.output_features};
    int64_t rest = number / g.output_features % positions;
    for (size_t d = position.size(); d-- > 0;) {
      position[d] = rest % g.positions[d];
      rest /= g.positions[d];
    }
    AppendTaps(g, position, at, base_count, terms);
  }
}

bool ReductionTermsOf(SetInterpreter& interpreter, const Node& node, const Shape& operand,
                      NodeTerms& terms) {
  absl::StatusOr<ReductionTerms> lists =
      TermsOf(*node.instruction, operand.dimensions(), operand.dimensions(),
              interpreter.runner().options().memory_bytes_max);
  if (!lists.ok()) return false;
  for (const std::vector<int64_t>& list : lists->terms) {
    terms.first.push_back(static_cast<int64_t>(terms.lhs.size()));
    terms.lhs.insert(terms.lhs.end(), list.begin(), list.end());
  }
  return true;
}

// Returns the number of leading operands whose elements move; the others are indices.
size_t MovedOperands(const Instruction& instruction) {
  int64_t k = 0;
  while (k < instruction.operand_count() && !IsIndexOperand(instruction, k)) ++k;
  return static_cast<size_t>(k);
}

// Finds where each element comes from by moving element numbers instead of the elements.
bool MovedNumbers(SetInterpreter& interpreter, absl::Span<const std::unique_ptr<Node>> nodes,
                  Node& node) {
  std::vector<Literal> literals;
  int64_t next = 0;
  const size_t moved = MovedOperands(*node.instruction);
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const SetArray& set = nodes[node.operands[k]]->set;
    if (k >= moved && !set.exact()) return false;
    literals.push_back(k < moved ? ElementNumbers(set, next) : set.literal());
    if (k < moved) next += set.element_count();
  }
  const Shape shape = node.set.shape().WithElementType(PrimitiveType::kS64);
  absl::StatusOr<Literal> numbers = interpreter.runner().Run(*node.instruction, shape, literals);
  if (!numbers.ok()) return false;
  auto data = numbers->data<int64_t>();
  node.terms.lhs.assign(data.begin(), data.end());
  for (int64_t number : node.terms.lhs) {
    if (number < 0 || number >= next) return false;
  }
  return true;
}

}  // namespace

bool TermsOfNode(SetInterpreter& interpreter, absl::Span<const std::unique_ptr<Node>> nodes,
                 Node& node) {
  const Shape& lhs = nodes[node.operands[0]]->set.shape();
  if (node.kind == NodeKind::kMove) return MovedNumbers(interpreter, nodes, node);
  bool known = true;
  if (node.kind != NodeKind::kProducts) {
    known = ReductionTermsOf(interpreter, node, lhs, node.terms);
  } else {
    const Shape& rhs = nodes[node.operands[1]]->set.shape();
    auto terms_of = node.instruction->opcode() == Opcode::kDot ? DotTerms : ConvolutionTerms;
    terms_of(node, lhs, rhs, node.terms);
  }
  const size_t results = static_cast<size_t>(node.set.element_count());
  if (!known || node.terms.first.size() != results) return false;
  node.terms.first.push_back(static_cast<int64_t>(node.terms.lhs.size()));
  return true;
}

}  // namespace hlocts::reference
