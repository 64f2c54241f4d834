// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/reducers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "reference/kernels/reduce_window.h"
#include "reference/kernels/window_geometry.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/real.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

const Instruction& WithoutCopies(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCopy ? WithoutCopies(instruction.operand(0))
                                               : instruction;
}
// Returns x for convert(x) to type `wide`, else the instruction itself.
const Instruction& Widened(const Instruction& instruction, PrimitiveType wide) {
  const bool widens =
      instruction.opcode() == Opcode::kConvert && instruction.shape().element_type() == wide;
  return widens ? WithoutCopies(instruction.operand(0)) : instruction;
}
// Returns true if widening 16-bit numbers and narrowing the result changes nothing (lemma 2).
bool SameByWayOf(PrimitiveType wide, PrimitiveType narrow, RecognizedReducer reducer) {
  const bool alike = reducer == RecognizedReducer::kAdd || reducer == RecognizedReducer::kMaximum ||
                     reducer == RecognizedReducer::kMinimum;
  if (!alike || !IsFloat(wide) || !IsFloat(narrow) || BitWidth(narrow) != 16) return false;
  return FactsOf(wide).p >= 2 * FactsOf(narrow).p + 2;
}

// Returns the reducer that `root` computes: a single operation on parameters a and b. Conversions
// to a wider type before it and back after it are permitted.
RecognizedReducer ReducerAt(const Instruction& root, int64_t a, int64_t b) {
  const Instruction& result = WithoutCopies(root);
  const bool narrows = result.opcode() == Opcode::kConvert;
  const Instruction& operation = narrows ? WithoutCopies(result.operand(0)) : result;
  if (operation.operand_count() != 2) return RecognizedReducer::kNone;
  const PrimitiveType wide = operation.shape().element_type();
  const auto operand = [&](int64_t i) -> const Instruction& {
    const Instruction& from = WithoutCopies(operation.operand(i));
    return narrows ? Widened(from, wide) : from;
  };
  const bool direct = operand(0).IsParameter(a) && operand(1).IsParameter(b);
  const bool swapped = operand(0).IsParameter(b) && operand(1).IsParameter(a);
  if (!direct && !swapped) return RecognizedReducer::kNone;
  const RecognizedReducer reducer = RecognizedReducerOf(operation.opcode());
  const PrimitiveType type = result.shape().element_type();
  const bool one_type =
      operand(0).shape().element_type() == type && operand(1).shape().element_type() == type;
  if (narrows && !(one_type && SameByWayOf(wide, type, reducer))) return RecognizedReducer::kNone;
  return reducer;
}

bool OnlySelects(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    const bool only_selects = ops::IsOneOf(
        instruction->opcode(),
        {Opcode::kParameter, Opcode::kConstant, Opcode::kTuple, Opcode::kCompare, Opcode::kSelect,
         Opcode::kMinimum, Opcode::kMaximum, Opcode::kAnd, Opcode::kOr, Opcode::kNot});
    if (!only_selects) return false;
  }
  return true;
}

// One of the two pairs that the body combines.
struct Pair {
  double key;
  int64_t index;
};
void SetSlot(Slot& slot, PrimitiveType type, double value) {
  if (type == PrimitiveType::kF32) return slot.Set(static_cast<float>(value));
  if (type == PrimitiveType::kF64) return slot.Set(value);
  uint64_t bits = IsFloat(type) ? EncodeFloat(FormatOf(type), value)
                                : static_cast<uint64_t>(static_cast<int64_t>(value));
  std::memcpy(slot.bytes.data(), &bits, sizeof(bits));
}
double SlotValue(const Slot& slot, PrimitiveType type) {
  if (type == PrimitiveType::kF32) return slot.Get<float>();
  if (type == PrimitiveType::kF64) return slot.Get<double>();
  uint64_t bits = slot.Get<uint64_t>();
  int width = StorageBytes(type) * 8;
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  if (IsFloat(type)) return DecodeFloat(FormatOf(type), bits);
  if (!IsSigned(type) || width == 64) return static_cast<double>(static_cast<int64_t>(bits));
  return static_cast<double>(static_cast<int64_t>(bits << (64 - width)) >> (64 - width));
}
Pair Apply(const ScalarFunction& body, Pair a, Pair b) {
  Slot arguments[4], results[2];
  SetSlot(arguments[0], body.argument_type(0), a.key);
  SetSlot(arguments[1], body.argument_type(1), static_cast<double>(a.index));
  SetSlot(arguments[2], body.argument_type(2), b.key);
  SetSlot(arguments[3], body.argument_type(3), static_cast<double>(b.index));
  body.Run(arguments, results);
  return {SlotValue(results[0], body.result_type(0)),
          static_cast<int64_t>(SlotValue(results[1], body.result_type(1)))};
}

}  // namespace

std::vector<RecognizedReducer> RecognizeEach(const Computation& computation, int64_t results) {
  const Instruction& root = *computation.root();
  if (results == 1 && root.opcode() != Opcode::kTuple) {
    RecognizedReducer reducer = ReducerAt(root, 0, 1);
    if (reducer == RecognizedReducer::kNone) return {};
    return {reducer};
  }
  if (root.opcode() != Opcode::kTuple || root.operand_count() != results) return {};
  std::vector<RecognizedReducer> reducers;
  for (int64_t i = 0; i < results; ++i) {
    RecognizedReducer reducer = ReducerAt(root.operand(i), i, i + results);
    if (reducer == RecognizedReducer::kNone) return {};
    reducers.push_back(reducer);
  }
  return reducers;
}

std::optional<ArgReducer> RecognizeArgReducer(const Computation& computation) {
  if (!OnlySelects(computation)) return std::nullopt;
  auto compiled = ScalarFunction::Compile(computation);
  if (!compiled.ok() || *compiled == nullptr) return std::nullopt;
  const ScalarFunction& body = **compiled;
  if (body.argument_count() != 4 || body.result_count() != 2) return std::nullopt;
  if (IsComplex(body.argument_type(0)) || !IsInteger(body.argument_type(1))) return std::nullopt;
  bool pred = body.argument_type(0) == PrimitiveType::kPred;
  double low = pred ? 0 : 1, high = pred ? 1 : 2;
  ArgReducer reducer;
  reducer.largest = Apply(body, {low, 3}, {high, 5}).key == high;
  double better = reducer.largest ? high : low, worse = reducer.largest ? low : high;
  // The body must return the better pair unchanged, on either side and for any indices.
  for (auto [i, j] : {std::pair<int64_t, int64_t>{3, 5}, {5, 3}, {4, 4}}) {
    Pair left = Apply(body, {better, i}, {worse, j}), right = Apply(body, {worse, j}, {better, i});
    if (left.key != better || left.index != i || right.key != better || right.index != i) {
      return std::nullopt;
    }
  }
  int64_t up = Apply(body, {better, 3}, {better, 5}).index;
  int64_t down = Apply(body, {better, 5}, {better, 3}).index;
  reducer.ties = up == down ? (up == 3 ? -1 : 1) : 0;
  if (IsFloat(body.argument_type(0))) {
    double nan = std::numeric_limits<double>::quiet_NaN();
    reducer.nan_wins = std::isnan(Apply(body, {nan, 3}, {1, 5}).key) &&
                       std::isnan(Apply(body, {1, 3}, {nan, 5}).key);
  }
  return reducer;
}

SelectRule RecognizeSelect(const Computation& computation) {
  SelectRule rule;
  const Instruction& root = *computation.root();
  if (root.opcode() != Opcode::kCompare || root.operand_count() != 2) return rule;
  bool direct = root.operand(0).IsParameter(0) && root.operand(1).IsParameter(1);
  bool swapped = root.operand(0).IsParameter(1) && root.operand(1).IsParameter(0);
  absl::string_view direction = root.WordOr(Attr::kDirection, "");
  bool greater = direction == "GE" || direction == "GT",
       less = direction == "LE" || direction == "LT";
  if (!(direct || swapped) || !(greater || less)) return rule;
  if (root.WordOr(Attr::kType, "FLOAT") == "TOTALORDER") return rule;
  rule.recognized = true;
  rule.largest = direct ? greater : less;
  return rule;
}

namespace {

ReductionTerms TermsOfReduce(const Instruction& reduce, absl::Span<const int64_t> sizes,
                             absl::Span<const int64_t> bounds) {
  const std::vector<int64_t>& reduced = reduce.IntList(Attr::kDimensions);
  std::vector<int64_t> kept_sizes, kept;
  for (int64_t d = 0; d < static_cast<int64_t>(bounds.size()); ++d) {
    if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
    kept.push_back(d);
    kept_sizes.push_back(bounds[d]);
  }
  std::vector<int64_t> out_strides = RowMajorStrides(kept_sizes),
                       in_strides = RowMajorStrides(bounds);
  ReductionTerms result;
  int64_t outputs = 1;
  for (int64_t size : kept_sizes) outputs *= size;
  result.terms.resize(outputs);
  result.padded.resize(outputs, 0);
  ForEachIndex(sizes, [&](absl::Span<const int64_t> index) {
    int64_t out = 0;
    for (size_t k = 0; k < kept.size(); ++k) out += index[kept[k]] * out_strides[k];
    result.terms[out].push_back(LinearIndex(index, in_strides));
  });
  return result;
}

// Returns the size in bytes of the lists of elements under all windows, which may exceed an int64.
double BytesOfTerms(const WindowGeometry& geometry) {
  double terms = 1, outputs = 1;
  for (const WindowAxis& axis : geometry.axes) {
    double seen = 0;
    for (const WindowPosition& at : axis.positions) seen += static_cast<double>(at.count);
    terms *= seen;
    outputs *= static_cast<double>(axis.positions.size());
  }
  return terms * sizeof(int64_t) + outputs * (sizeof(std::vector<int64_t>) + sizeof(int64_t));
}

}  // namespace

absl::StatusOr<ReductionTerms> TermsOf(const Instruction& reduction,
                                       absl::Span<const int64_t> operand_sizes,
                                       absl::Span<const int64_t> operand_bounds,
                                       int64_t bytes_max) {
  if (reduction.opcode() == Opcode::kReduce) {
    return TermsOfReduce(reduction, operand_sizes, operand_bounds);
  }
  ReductionTerms result;
  static const Window* none = new Window();
  const Window* window = reduction.Get<Window>(Attr::kWindow);
  if (window == nullptr) window = none;
  int64_t positions = 1;
  for (const WindowDimension& d : window->dimensions) positions *= d.size;
  WindowGeometry geometry = MakeWindowGeometry(operand_bounds, *window);
  if (BytesOfTerms(geometry) > static_cast<double>(bytes_max)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the list of the elements in all windows of ", reduction.name(), " needs ",
                     BytesOfTerms(geometry), " bytes, more than the limit of ", bytes_max));
  }
  ForEachWindow(geometry, [&](int64_t, absl::Span<const int64_t> position) {
    std::vector<int64_t>& terms = result.terms.emplace_back();
    ForEachWindowRun(geometry, position, [&](int64_t first, int64_t count, int64_t step) {
      for (int64_t i = 0; i < count; ++i) terms.push_back(first + i * step);
    });
    result.padded.push_back(positions - static_cast<int64_t>(terms.size()));
  });
  return result;
}

}  // namespace hlocts::reference
