// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets/module_work.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module.h"
#include "spec/ops/kinds.h"

namespace hlocts::fuzz {
namespace {

double ElementsOf(const Shape& shape) {
  double elements = 0;
  for (const Shape& leaf : LeafShapes(shape)) {
    double of_leaf = 1;
    if (!leaf.IsArray()) continue;
    for (int64_t size : leaf.dimensions()) of_leaf *= static_cast<double>(size);
    elements += of_leaf;
  }
  return elements;
}

double LongestOf(const Shape& shape) {
  int64_t longest = 1;
  for (const Shape& leaf : LeafShapes(shape)) {
    if (!leaf.IsArray()) continue;
    for (int64_t size : leaf.dimensions()) longest = std::max(longest, size);
  }
  return static_cast<double>(longest);
}

// Returns the number of terms per element of the result.
double TermsOf(const Instruction& instruction) {
  double terms = 1;
  if (const Window* window = instruction.Get<Window>(Attr::kWindow)) {
    for (const WindowDimension& d : window->dimensions) terms *= static_cast<double>(d.size);
  }
  if (instruction.opcode() == Opcode::kConvolution)
    terms = ElementsOf(instruction.operand(1).shape());
  if (const auto* contracted = instruction.Get<std::vector<int64_t>>(Attr::kLhsContractingDims)) {
    for (int64_t d : *contracted)
      terms *= static_cast<double>(instruction.operand(0).shape().dimension(d));
  }
  // Each element is combined with all others along a dimension.
  if (ops::IsOneOf(instruction.opcode(), {Opcode::kFft, Opcode::kCholesky, Opcode::kTriangularSolve,
                                          Opcode::kSort, Opcode::kTopk}))
    terms = std::max(LongestOf(instruction.shape()), LongestOf(instruction.operand(0).shape()));
  return terms;
}

double StepsOf(const Instruction& instruction, double trips_max, double elements_max,
               const absl::flat_hash_map<const Computation*, double>& steps) {
  double elements = ElementsOf(instruction.shape());
  for (const Instruction* operand : instruction.operands())
    elements += ElementsOf(operand->shape());
  if (elements > elements_max) return 0;
  double called = 0;
  for (const Computation* callee : instruction.called_computations()) {
    auto found = steps.find(callee);
    if (found != steps.end()) called += found->second;
  }
  const double own = (1 + elements) * TermsOf(instruction);
  if (instruction.opcode() == Opcode::kWhile) return own + called * trips_max;
  return ops::IsCaller(instruction.opcode()) ? own + called : own * (1 + called);
}

}  // namespace

double WorkOf(const Module& module, int64_t trips_max, int64_t bytes_max) {
  absl::flat_hash_map<const Computation*, double> steps;
  const double elements_max = 8.0 * static_cast<double>(bytes_max);  // elements of one bit
  for (const Computation* computation : module.CallOrder()) {
    double sum = 0;
    for (const auto& instruction : computation->instructions())
      sum += StepsOf(*instruction, static_cast<double>(trips_max), elements_max, steps);
    steps[computation] = sum;
  }
  return steps[module.entry()];
}

}  // namespace hlocts::fuzz
