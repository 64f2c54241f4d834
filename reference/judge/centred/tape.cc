// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/centred/tape.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reference/judge/centred/slopes.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/init_values.h"
#include "reference/judge/sums/reducers.h"
#include "spec/ir/module.h"
#include "spec/ops/groups.h"

namespace hlocts::reference {
namespace {

// Returns true for operations whose results are computed once for all readers, since no compiler
// repeats them for each reader (lemma 43). Two readers of another operation may see two results.
bool IsComputedOnce(Opcode opcode) {
  constexpr Opcode kOnce[] = {
      Opcode::kDot,     Opcode::kConvolution,      Opcode::kReduce,         Opcode::kReduceWindow,
      Opcode::kScatter, Opcode::kSelectAndScatter, Opcode::kSort,           Opcode::kTopk,
      Opcode::kFft,     Opcode::kCholesky,         Opcode::kTriangularSolve};
  return std::find(std::begin(kOnce), std::end(kOnce), opcode) != std::end(kOnce);
}

// Reductions with fewer terms may be computed again for each reader (lemma 43), like cheap
// element-wise operations. XLA:GPU's priority fusion does this.
constexpr int64_t kLongReduction = 16;

// Arrays of at most this size, like a scalar divisor, are always narrowed, which costs little.
constexpr int64_t kFewElements = 4;

// A node with more sources than this stores only one of them and sets `meets`.
constexpr size_t kSourcesMax = 64;

// Returns true for operations that only move elements, at indices that are certain.
bool IsMove(Opcode opcode) {
  constexpr Opcode kMoves[] = {
      Opcode::kBroadcast,    Opcode::kReshape, Opcode::kTranspose,  Opcode::kReverse,
      Opcode::kSlice,        Opcode::kPad,     Opcode::kCopy,       Opcode::kConcatenate,
      Opcode::kDynamicSlice, Opcode::kGather,  Opcode::kOptBarrier, Opcode::kDynamicUpdateSlice};
  return std::find(std::begin(kMoves), std::end(kMoves), opcode) != std::end(kMoves);
}

// Returns true for operations that return an operand unchanged, so the operand's node is reused.
bool PassesValues(Opcode opcode) {
  constexpr Opcode kPasses[] = {
      Opcode::kCopy,          Opcode::kTuple,  Opcode::kGetTupleElement, Opcode::kOptBarrier,
      Opcode::kAddDependency, Opcode::kDomain, Opcode::kCopyDone,        Opcode::kSelect};
  return std::find(std::begin(kPasses), std::end(kPasses), opcode) != std::end(kPasses);
}

bool IsPlainFloat(const SetArray& array) {
  return IsFloat(array.element_type()) && array.runtime_sizes.empty() && array.joint == nullptr;
}

bool AllStaticArrays(absl::Span<const SetValue> operands) {
  return std::all_of(operands.begin(), operands.end(), [](const SetValue& operand) {
    return operand.IsArray() && operand.array.runtime_sizes.empty();
  });
}

bool AllFloats(absl::Span<const SetValue> operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [](const SetValue& operand) { return IsFloat(operand.array.element_type()); });
}

double ProductOfSizes(const Shape& shape, const std::vector<int64_t>& dimensions) {
  double product = 1;
  for (int64_t d : dimensions) product *= static_cast<double>(shape.dimension(d));
  return product;
}

// The largest number of elements on a tape of sets, and the bytes per element of a tape of points.
constexpr int64_t kElementsMax = 1 << 22, kBytesOfPoint = 256;

// Returns the number of elements and terms that the instruction reads; the budget of sweeps grows
// with it. The terms of a convolution are counted only on a tape of points.
double WorkOf(const Instruction& instruction, absl::Span<const SetValue> operands,
              const SetArray& result, bool points) {
  const double results = static_cast<double>(result.element_count());
  if (operands.empty() || !operands[0].IsArray()) return results;
  const Shape& first = operands[0].array.shape();
  if (instruction.opcode() == Opcode::kDot) {
    return results * ProductOfSizes(first, instruction.IntList(Attr::kLhsContractingDims));
  }
  if (points && instruction.opcode() == Opcode::kConvolution) {
    const Shape& kernel = operands[1].array.shape();
    const auto& numbers = *instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
    const int64_t features = kernel.dimension(numbers.kernel_output_feature);
    return results * static_cast<double>(kernel.ElementCount() / std::max<int64_t>(features, 1));
  }
  return results + static_cast<double>(first.ElementCount());
}

}  // namespace

bool IsOneNumber(SetInterpreter& interpreter, const Instruction& instruction) {
  if (interpreter.options().facts.values_once) return true;
  const Opcode opcode = instruction.opcode();
  if (ops::IsOneOf(opcode, {Opcode::kReduce, Opcode::kReduceWindow})) return false;
  const PrimitiveType type = instruction.shape().element_type();
  return IsComputedOnce(opcode) && !interpreter.ReadsUnrounded(instruction.shape()) &&
         !interpreter.RuleOf(Opcode::kMaximum, type).Allows(kSkipRounding);
}

NodeKind Tape::KindOf(const Instruction& instruction, absl::Span<const SetValue> operands,
                      const SetArray& result, bool has_sum_errors) {
  const Opcode opcode = instruction.opcode();
  if (result.exact() || !IsPlainFloat(result)) return NodeKind::kLeaf;
  if (!AllStaticArrays(operands)) return NodeKind::kLeaf;
  if (IsMove(opcode)) return NodeKind::kMove;
  if (opcode == Opcode::kSelect) return NodeKind::kSelect;
  if (!AllFloats(operands)) return NodeKind::kLeaf;
  if (SlopeRowOf(opcode) != nullptr) return NodeKind::kElementwise;
  if (ops::IsContraction(opcode)) {
    return has_sum_errors && operands.size() == 2 ? NodeKind::kProducts : NodeKind::kLeaf;
  }
  if (!ops::IsFold(opcode)) return NodeKind::kLeaf;
  const auto reducers = RecognizeEach(*instruction.CalledComputation(Attr::kToApply), 1);
  if (operands.size() != 2 || reducers.empty()) return NodeKind::kLeaf;
  if (reducers[0] == RecognizedReducer::kAdd) {
    return has_sum_errors ? NodeKind::kSum : NodeKind::kLeaf;
  }
  const bool picks =
      reducers[0] == RecognizedReducer::kMaximum || reducers[0] == RecognizedReducer::kMinimum;
  const bool neutral =
      picks && IsNeutral(reducers[0], operands[1].array.At(0), result.element_type());
  return neutral ? NodeKind::kPick : NodeKind::kLeaf;
}

bool Tape::Full() const {
  return elements_ >
         (points_ ? interpreter_.options().memory_bytes_max / kBytesOfPoint : kElementsMax);
}

int32_t Tape::Add(Node node) {
  elements_ += node.set.element_count();
  nodes_.push_back(std::make_unique<Node>(std::move(node)));
  return static_cast<int32_t>(nodes_.size()) - 1;
}

// An array without a recorded instruction (argument, joined branches) gets a leaf with its sets.
int32_t Tape::NumberOf(const SetArray& array) {
  if (array.node >= 0) return array.node;
  if (array.exact()) return NumberOfExact(array);
  Node leaf;
  leaf.set = array;
  return Add(std::move(leaf));
}

// Returns the number of the node of an exact array; makes the node if necessary. Exact arrays get
// nodes only when an instruction with an inexact result reads them, which is rare. The node owns
// the elements, so no other array reuses their address.
int32_t Tape::NumberOfExact(const SetArray& array) {
  const auto [found, inserted] = exact_.try_emplace(array.literal().raw_data(), -1);
  if (!inserted) {
    const SetArray& noted = nodes_[found->second]->set;
    const bool same = noted.shape() == array.shape() &&
                      noted.zero_sign_free == array.zero_sign_free &&
                      noted.nan_bits_free == array.nan_bits_free;
    if (same) return found->second;
  }
  Node leaf;
  leaf.set = array;
  found->second = Add(std::move(leaf));
  return found->second;
}

void Tape::NoteSources(Node& node) const {
  const bool sums = node.kind == NodeKind::kSum || node.kind == NodeKind::kProducts ||
                    node.kind == NodeKind::kPick;
  for (const int32_t operand : node.operands) {
    const Node& from = *nodes_[operand];
    if (from.set.exact()) continue;
    node.meets = node.meets || from.meets;
    std::vector<int32_t> all = from.sources;
    if (from.once) all.push_back(operand);
    for (const int32_t source : all) {
      // A sum over results of a sum reaches each term of the inner sums by several paths.
      node.meets = node.meets || (sums && !nodes_[source]->sources.empty());
      const auto at = std::lower_bound(node.sources.begin(), node.sources.end(), source);
      const bool again = at != node.sources.end() && *at == source;
      node.meets = node.meets || again;
      if (!again) node.sources.insert(at, source);
    }
  }
  if (node.sources.size() <= kSourcesMax) return;
  node.meets = true;
  node.sources.resize(1);
}

bool Tape::IsReadBySum(const Instruction& instruction) {
  const Computation* computation = instruction.parent();
  if (computation == nullptr) return false;
  if (visited_.insert(computation).second) {
    for (const auto& reader : computation->instructions()) {
      const Opcode opcode = reader->opcode();
      if (opcode != Opcode::kDot && opcode != Opcode::kConvolution && opcode != Opcode::kReduce) {
        continue;
      }
      feed_sums_.insert(reader->operands().begin(), reader->operands().end());
    }
  }
  return feed_sums_.contains(&instruction);
}

void Tape::Record(const Instruction& instruction, absl::Span<const SetValue> operands,
                  const AccumulatedSums& sums, SetValue& result) {
  if (result.token) return;
  if (instruction.opcode() == Opcode::kWhile) return EnterBody(operands[0], result);
  if (result.tuple) {
    for (SetValue& element : result.elements) Record(instruction, {}, {}, element);
    return;
  }
  SetArray& array = result.array;
  if (array.node >= 0 && PassesValues(instruction.opcode())) return;
  if (!operands.empty()) work_ += WorkOf(instruction, operands, array, points_);
  if (array.exact()) return;
  // No sweep starts from an array that is recorded after the tape is full, so it need not be kept.
  if (Full()) {
    array.node = -1;
    return;
  }
  Node node{.instruction = &instruction, .set = array};
  node.set.node = -1;
  node.rounded_once = interpreter_.options().facts.values_once;
  node.once = node.rounded_once || IsComputedOnce(instruction.opcode());
  if (ops::IsOneOf(instruction.opcode(), {Opcode::kReduce, Opcode::kReduceWindow})) {
    node.once_from = kLongReduction;
  }
  if (!operands.empty()) {
    const bool errors = sums.errors.size() == static_cast<size_t>(array.element_count());
    node.kind = KindOf(instruction, operands, array, errors);
  }
  if (node.kind != NodeKind::kLeaf) {
    for (const SetValue& operand : operands) node.operands.push_back(NumberOf(operand.array));
    node.sums.errors = sums.errors;
    if (points_) node.sums.values = sums.values;
    NoteSources(node);
  }
  if (node.kind == NodeKind::kPick) {
    node.terms.largest = RecognizeEach(*instruction.CalledComputation(Attr::kToApply), 1)[0] ==
                         RecognizedReducer::kMaximum;
    // Readers of unrounded terms may see them rounded in different ways.
    node.once = node.rounded_once ||
                !interpreter_.RuleOf(Opcode::kMaximum, array.element_type()).Allows(kSkipRounding);
  }
  bool narrow = node.kind == NodeKind::kSum || node.kind == NodeKind::kProducts;
  const bool few = array.element_count() <= kFewElements;
  narrow = narrow || (node.kind == NodeKind::kElementwise && (few || IsReadBySum(instruction)));
  array.node = Add(std::move(node));
  if (narrow) Tighten(array, /*output=*/false);
}

void Tape::EnterBody(const SetValue& made, SetValue& state) {
  if (state.token) return;
  for (size_t i = 0; i < state.elements.size(); ++i) EnterBody(made.elements[i], state.elements[i]);
  SetArray& array = state.array;
  const int64_t count = state.tuple || array.exact() ? 0 : array.element_count();
  if (count == 0 || !IsPlainFloat(array) || Full()) return;
  Node node{.kind = NodeKind::kMove, .once = true, .set = array};
  node.set.node = -1;
  node.operands = {NumberOf(made.array)};
  node.terms.lhs.resize(static_cast<size_t>(count));
  std::iota(node.terms.lhs.begin(), node.terms.lhs.end(), 0);
  NoteSources(node);
  work_ += static_cast<double>(count);
  array.node = Add(std::move(node));
  Tighten(array, /*output=*/false);
}

}  // namespace hlocts::reference
