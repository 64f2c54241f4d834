// SPDX-License-Identifier: Apache-2.0
// Rules that are exact only for real numbers. The outputs of the original module are judged by its
// acceptance sets, and the outputs of the variant by those of the variant.
#include <algorithm>

#include "generators/metamorphic/rules.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

// The dimensions to which both operands of a dot are broadcast before they are multiplied.
struct Spread {
  Dims sizes;        // sizes of the array of products
  Dims left, right;  // position in `sizes` of each dimension of an operand
};

bool Holds(const Dims& dims, int64_t d) {
  return std::find(dims.begin(), dims.end(), d) != dims.end();
}

Spread SpreadOf(const Site& s, const DotDimensionNumbers& numbers) {
  const Shape& lhs = s.operand(0)->shape();
  const Shape& rhs = s.operand(1)->shape();
  Spread spread = {s.dims(), Dims(static_cast<size_t>(lhs.rank())),
                   Dims(static_cast<size_t>(rhs.rank()))};
  int64_t place = 0;
  for (size_t b = 0; b < numbers.lhs_batch.size(); ++b, ++place) {
    spread.left[static_cast<size_t>(numbers.lhs_batch[b])] = place;
    spread.right[static_cast<size_t>(numbers.rhs_batch[b])] = place;
  }
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (!Holds(numbers.lhs_batch, d) && !Holds(numbers.lhs_contracting, d))
      spread.left[static_cast<size_t>(d)] = place++;
  }
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (!Holds(numbers.rhs_batch, d) && !Holds(numbers.rhs_contracting, d))
      spread.right[static_cast<size_t>(d)] = place++;
  }
  for (size_t c = 0; c < numbers.lhs_contracting.size(); ++c, ++place) {
    spread.left[static_cast<size_t>(numbers.lhs_contracting[c])] = place;
    spread.right[static_cast<size_t>(numbers.rhs_contracting[c])] = place;
    spread.sizes.push_back(lhs.dimension(numbers.lhs_contracting[c]));
  }
  return spread;
}

// Broadcasts an operand. First sorts its dimensions by position, which broadcast requires.
Instruction* BroadcastSorted(Site& s, Instruction* operand, const Dims& places, const Dims& sizes) {
  Dims order = Iotas(operand->shape().rank());
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return places[static_cast<size_t>(a)] < places[static_cast<size_t>(b)];
  });
  Dims sorted = places;
  std::sort(sorted.begin(), sorted.end());
  return s.Broadcast(s.Transpose(operand, order), sizes, sorted);
}

bool IsSimpleReduce(const Site& s) {
  return s.opcode() == Opcode::kReduce && s.at->operand_count() == 2;
}

}  // namespace

bool DotAsReduce(Site& s) {
  constexpr int64_t kElementsMax = 4096;
  if (s.opcode() != Opcode::kDot || !Contains(RowOf(Opcode::kMultiply).types, s.type()))
    return false;
  for (const Instruction* one : s.at->operands()) {
    if (one->shape().element_type() != s.type()) return false;
  }
  Spread spread = SpreadOf(s, DotDimensionsOf(*s.at));
  if (Shape(s.type(), spread.sizes).ElementCount() > kElementsMax) return false;
  Instruction* products =
      s.Make(Opcode::kMultiply, {BroadcastSorted(s, s.operand(0), spread.left, spread.sizes),
                                 BroadcastSorted(s, s.operand(1), spread.right, spread.sizes)});
  const Shape scalar = Shape::Scalar(s.type());
  Computation* sum =
      s.Define("sum", {scalar, scalar}, [&](const Operands& p) { return s.Make(Opcode::kAdd, p); });
  Dims contracting;
  for (int64_t d = s.rank(); d < static_cast<int64_t>(spread.sizes.size()); ++d)
    contracting.push_back(d);
  return s.Use(s.Make(Opcode::kReduce, {products, s.Number(s.type(), 0)},
                      {{Attr::kDimensions, contracting}, {Attr::kToApply, sum}}));
}

bool ReduceReversed(Site& s) {
  if (s.opcode() != Opcode::kReduce) return false;
  Operands operands = s.at->operands();
  for (size_t i = 0; i < operands.size() / 2; ++i) {
    operands[i] = s.Make(Opcode::kReverse, {operands[i]},
                         {{Attr::kDimensions, s.at->IntList(Attr::kDimensions)}});
  }
  return s.Use(s.Again(operands, s.shape()));
}

// Moves the reduced dimensions to the front. The others keep their order.
bool ReduceTransposed(Site& s) {
  if (!IsSimpleReduce(s)) return false;
  const Dims& reduced = s.at->IntList(Attr::kDimensions);
  Dims order = reduced;
  for (int64_t d = 0; d < s.operand(0)->shape().rank(); ++d) {
    if (!Holds(reduced, d)) order.push_back(d);
  }
  Attributes attributes =
      s.AttributesWith(Attr::kDimensions, Iotas(static_cast<int64_t>(reduced.size())));
  return s.Use(s.Again({s.Transpose(s.operand(0), order), s.operand(1)}, s.shape(), attributes));
}

bool ReduceAsWindow(Site& s) {
  if (!IsSimpleReduce(s) || s.operand(0)->shape().rank() == 0) return false;
  const Dims& reduced = s.at->IntList(Attr::kDimensions);
  Window window;
  for (int64_t d = 0; d < s.operand(0)->shape().rank(); ++d) {
    int64_t size = s.operand(0)->shape().dimension(d);
    if (size == 0) return false;
    window.dimensions.emplace_back();
    if (Holds(reduced, d)) window.dimensions.back().size = size;
  }
  Instruction* windows =
      s.Make(Opcode::kReduceWindow, s.at->operands(),
             {{Attr::kWindow, window}, {Attr::kToApply, s.at->CalledComputation(Attr::kToApply)}});
  return s.Use(s.Reshape(windows, s.dims()));
}

}  // namespace hlocts::generators
