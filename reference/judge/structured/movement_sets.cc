// SPDX-License-Identifier: Apache-2.0
// Computes the sets of operations that only move elements. The plain evaluator moves element
// numbers; sets and pre-rounding intervals are then copied accordingly.
#include <algorithm>
#include <cstring>

#include "absl/algorithm/container.h"
#include "reference/dynamic_sizes.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/within_sizes.h"
#include "spec/ir/instruction.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kIndexChoices = 16, kPlacesOfIndex = 64;

Rule MoveRule(SetInterpreter& interpreter, const Instruction& instruction,
              absl::Span<const SetValue> operands) {
  PrimitiveType type = operands.empty() ? PrimitiveType::kS32 : operands[0].array.element_type();
  return interpreter.RuleOf(instruction.opcode(), type);
}

bool AllExact(absl::Span<const SetValue> operands) {
  return std::all_of(operands.begin(), operands.end(), IsExact);
}

// Moves elements of the first `data_count` operands; the other operands are exact indices.
absl::StatusOr<SetValue> Trace(SetInterpreter& interpreter, const Instruction& instruction,
                               const Shape& shape, absl::Span<const SetValue> operands,
                               size_t data_count) {
  std::vector<Literal> literals;
  std::vector<const SetArray*> sources;
  int64_t next = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const SetArray& array = operands[i].array;
    if (i < data_count) {
      literals.push_back(ElementNumbers(array, next));
      sources.push_back(&array);
      next += array.element_count();
    } else {
      literals.push_back(array.literal());
    }
  }
  HLOCTS_ASSIGN_OR_RETURN(
      Literal numbers,
      interpreter.runner().Run(instruction, shape.WithElementType(PrimitiveType::kS64), literals));
  uint32_t origin = interpreter.OriginOf(instruction, MoveRule(interpreter, instruction, operands));
  return SetValue(PickElements(numbers, shape, sources, origin));
}

// Returns the values of an index operand as literals; empty if there are more than kIndexChoices.
std::vector<Literal> IndexChoices(const SetArray& array) {
  if (array.exact()) return {array.literal()};
  std::vector<Literal> choices = {Literal(array.shape())};
  int bytes = StorageBytes(array.element_type());
  for (int64_t i = 0; i < array.element_count(); ++i) {
    AcceptanceSet s = array.At(i);
    if (s.unspecified() || s.ihi - s.ilo >= kIndexChoices) return {};
    std::vector<Literal> more;
    for (Int128 value = s.ilo; value <= s.ihi; ++value) {
      for (const Literal& choice : choices) {
        more.push_back(choice);
        int64_t bits = static_cast<int64_t>(value);
        std::memcpy(more.back().mutable_raw_data() + i * bytes, &bits, bytes);
      }
    }
    if (static_cast<int64_t>(more.size()) > kIndexChoices) return {};
    choices = std::move(more);
  }
  return choices;
}

// Joins the results of every combination of index values; Unspecified if there are too many.
absl::StatusOr<SetValue> OverIndices(SetInterpreter& interpreter, const Instruction& instruction,
                                     const Shape& shape, absl::Span<const SetValue> operands,
                                     size_t data_count) {
  std::vector<std::vector<SetValue>> combinations = {{}};
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<Literal> choices;
    if (i >= data_count) choices = IndexChoices(operands[i].array);
    std::vector<std::vector<SetValue>> longer;
    for (const auto& prefix : combinations) {
      if (i < data_count) {
        longer.push_back(prefix);
        longer.back().push_back(operands[i]);
        continue;
      }
      for (const Literal& choice : choices) {
        longer.push_back(prefix);
        longer.back().push_back(ExactValue(choice));
      }
    }
    combinations = std::move(longer);
    if (combinations.empty() || static_cast<int64_t>(combinations.size()) > kIndexChoices) {
      return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kJump);
    }
  }
  SetValue joined;
  for (size_t i = 0; i < combinations.size(); ++i) {
    HLOCTS_ASSIGN_OR_RETURN(SetValue one,
                            Trace(interpreter, instruction, shape, combinations[i], data_count));
    joined = i == 0 ? std::move(one) : JoinValues(joined, one);
  }
  return joined;
}

// Returns the possible values of element `i` of an index operand, clamped to [0, last] like the
// indices of a gather. Returns an empty list if there are too many.
std::vector<int64_t> PlacesOf(const SetArray& array, int64_t i, int64_t last) {
  std::vector<int64_t> places;
  for (const AcceptanceSet& s : ChoicesAt(array, i)) {
    const Int128 lo = s.unspecified() ? Int128{0} : std::clamp<Int128>(s.ilo, 0, last);
    const Int128 hi = s.unspecified() ? Int128{last} : std::clamp<Int128>(s.ihi, 0, last);
    if (hi - lo >= kPlacesOfIndex) return {};
    for (Int128 place = lo; place <= hi; ++place) places.push_back(static_cast<int64_t>(place));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places.size() > static_cast<size_t>(kPlacesOfIndex) ? std::vector<int64_t>() : places;
}

// An index vector of a gather, with the number of combinations of its uncertain elements.
struct IndexVector {
  std::vector<int64_t> elements;             // positions of its elements in the array of indices
  std::vector<std::vector<int64_t>> places;  // by element: its possible values
  int64_t combinations = 1;
};

// Returns an empty vector if an index vector has too many combinations.
std::vector<IndexVector> IndexVectors(const Instruction& gather, const SetArray& indices) {
  const std::vector<int64_t>& sizes = indices.shape().dimensions();
  const int64_t dimension = gather.IntOr(Attr::kIndexVectorDim, 0);
  const std::vector<int64_t> start_map = gather.IntList(Attr::kStartIndexMap);
  const std::vector<int64_t> slices = gather.IntList(Attr::kSliceSizes);
  int64_t inner = 1;  // elements per step of the index vector's dimension
  for (size_t d = sizes.size(); d-- > static_cast<size_t>(dimension) + 1;) inner *= sizes[d];
  const int64_t length = dimension < static_cast<int64_t>(sizes.size()) ? sizes[dimension] : 1;
  std::vector<IndexVector> vectors(static_cast<size_t>(indices.element_count() / length));
  for (int64_t i = 0; i < indices.element_count(); ++i) {
    IndexVector& vector = vectors[i / (inner * length) * inner + i % inner];
    const int64_t operand_dimension = start_map[i / inner % length];
    const int64_t last =
        gather.operand(0).shape().dimension(operand_dimension) - slices[operand_dimension];
    const std::vector<int64_t> places = PlacesOf(indices, i, last);
    vector.combinations *= static_cast<int64_t>(places.size());
    if (places.empty() || vector.combinations > kPlacesOfIndex) return {};
    vector.elements.push_back(i);
    vector.places.push_back(places);
  }
  return vectors;
}

// Joins the results for all possible indices. Each element of a gather depends on one index vector,
// so round n uses the n-th combination of every vector, until all are used (lemma 31).
absl::StatusOr<SetValue> OverIndexVectors(SetInterpreter& interpreter,
                                          const Instruction& instruction, const Shape& shape,
                                          absl::Span<const SetValue> operands) {
  const SetArray& indices = operands[1].array;
  const std::vector<IndexVector> vectors = IndexVectors(instruction, indices);
  if (vectors.empty()) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kJump);
  }
  int64_t rounds = 1;
  for (const IndexVector& vector : vectors) rounds = std::max(rounds, vector.combinations);
  const int bytes = StorageBytes(indices.element_type());
  SetValue joined;
  for (int64_t round = 0; round < rounds; ++round) {
    Literal chosen(indices.shape());
    for (const IndexVector& vector : vectors) {
      int64_t rest = round % vector.combinations;
      for (size_t k = 0; k < vector.elements.size(); ++k) {
        const int64_t count = static_cast<int64_t>(vector.places[k].size());
        const int64_t place = vector.places[k][rest % count];
        rest /= count;
        std::memcpy(chosen.mutable_raw_data() + vector.elements[k] * bytes, &place, bytes);
      }
    }
    HLOCTS_ASSIGN_OR_RETURN(
        SetValue one, Trace(interpreter, instruction, shape, {operands[0], ExactValue(chosen)}, 1));
    joined = round == 0 ? std::move(one) : JoinValues(joined, one);
  }
  return joined;
}

absl::StatusOr<SetValue> Indexed(SetInterpreter& interpreter, const Instruction& instruction,
                                 const Shape& shape, absl::Span<const SetValue> operands,
                                 size_t data_count) {
  if (AllExact(operands)) return PlainResult(interpreter, instruction, shape, operands);
  return OverIndices(interpreter, instruction, shape, operands, data_count);
}

}  // namespace

std::vector<Literal> Literals(absl::Span<const SetValue> operands) {
  std::vector<Literal> literals;
  for (const SetValue& operand : operands) literals.push_back(ToLiteral(operand));
  return literals;
}

SetValue UnspecifiedResult(SetInterpreter& interpreter, const Instruction& instruction,
                           const Shape& shape, WideningCause cause) {
  uint32_t origin = interpreter.OriginOf(instruction, Rule{RuleClass::kUnknown});
  return UnspecifiedValue(shape, cause, origin);
}

absl::StatusOr<SetValue> PlainResult(SetInterpreter& interpreter, const Instruction& instruction,
                                     const Shape& shape, absl::Span<const SetValue> operands) {
  HLOCTS_ASSIGN_OR_RETURN(Literal literal,
                          interpreter.runner().Run(instruction, shape, Literals(operands)));
  bool nan_free = false, zero_free = false;
  for (const SetValue& operand : operands) {
    nan_free = nan_free || operand.array.nan_bits_free;
    zero_free = zero_free || operand.array.zero_sign_free;
  }
  uint32_t origin = interpreter.OriginOf(instruction, MoveRule(interpreter, instruction, operands));
  SetValue value = ExactValue(literal);
  if (value.IsArray()) {
    bool floats = IsFloat(shape.element_type()) || IsComplex(shape.element_type());
    value.array.nan_bits_free = nan_free && floats;
    value.array.zero_sign_free = zero_free && floats;
    value.array.origin = origin;
  }
  return value;
}

Literal WithRuntimeSizes(Literal literal, const SetArray& like) {
  for (size_t d = 0; d < like.runtime_sizes.size(); ++d) {
    if (like.shape().is_dynamic_dimension(d) ||
        like.runtime_sizes[d] != like.shape().dimensions()[d]) {
      literal.SetRuntimeSize(static_cast<int64_t>(d), like.runtime_sizes[d]);
    }
  }
  return literal;
}

Literal ElementNumbers(const SetArray& array, int64_t first) {
  Literal numbers(array.shape().WithElementType(PrimitiveType::kS64));
  for (int64_t& number : numbers.mutable_data<int64_t>()) number = first++;
  return WithRuntimeSizes(std::move(numbers), array);
}

SetArray WithinSizes(const SetArray& array) {
  if (array.runtime_sizes.empty()) return array;
  const Literal numbers = CutToSizes(ElementNumbers(array, 0));
  const Shape shape = numbers.shape().WithElementType(array.element_type());
  return PickElements(numbers, shape, {&array}, array.origin);
}

SetArray InBounds(const SetArray& dense, const Shape& shape) {
  const Shape bounds = shape.WithElementType(PrimitiveType::kS64);
  return PickElements(PadToBounds(ElementNumbers(dense, 0), bounds), shape, {&dense}, dense.origin);
}

absl::StatusOr<SetValue> OnDenseArrays(
    const Instruction& instruction, const Shape& shape, absl::Span<const SetValue> operands,
    const std::function<absl::StatusOr<SetValue>(const Shape&, absl::Span<const SetValue>)>& work) {
  std::vector<SetValue> dense;
  std::vector<std::vector<int64_t>> sizes;
  for (const SetValue& operand : operands) {
    dense.emplace_back(WithinSizes(operand.array));
    sizes.push_back(dense.back().array.shape().dimensions());
  }
  HLOCTS_RETURN_IF_ERROR(CheckRuntimeSizes(instruction, sizes));
  if (!shape.IsTuple()) {
    HLOCTS_ASSIGN_OR_RETURN(const SetValue result, work(dense[0].array.shape(), dense));
    return SetValue(InBounds(result.array, shape));
  }
  std::vector<Shape> leaves;
  for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) leaves.push_back(dense[i].array.shape());
  HLOCTS_ASSIGN_OR_RETURN(SetValue results, work(Shape::Tuple(leaves), dense));
  for (size_t i = 0; i < leaves.size(); ++i)
    results.elements[i] = SetValue(InBounds(results.elements[i].array, shape.tuple_shapes()[i]));
  return results;
}

absl::StatusOr<SetValue> MovementSets(SetInterpreter& interpreter, const Instruction& instruction,
                                      const Shape& shape, absl::Span<const SetValue> operands) {
  if (AllExact(operands)) return PlainResult(interpreter, instruction, shape, operands);
  size_t data = operands.size();
  if (instruction.opcode() == Opcode::kPad) data = 2;
  if (instruction.opcode() == Opcode::kDynamicReshape) data = 1;
  return Indexed(interpreter, instruction, shape, operands, data);
}

absl::StatusOr<SetValue> DynamicSliceSets(SetInterpreter& interpreter,
                                          const Instruction& instruction, const Shape& shape,
                                          absl::Span<const SetValue> operands) {
  return Indexed(interpreter, instruction, shape, operands, 1);
}

absl::StatusOr<SetValue> DynamicUpdateSliceSets(SetInterpreter& interpreter,
                                                const Instruction& instruction, const Shape& shape,
                                                absl::Span<const SetValue> operands) {
  return Indexed(interpreter, instruction, shape, operands, 2);
}

absl::StatusOr<SetValue> GatherSets(SetInterpreter& interpreter, const Instruction& instruction,
                                    const Shape& shape, absl::Span<const SetValue> operands) {
  if (AllExact(operands)) return PlainResult(interpreter, instruction, shape, operands);
  if (absl::c_linear_search(instruction.IntList(Attr::kSliceSizes), 0))
    return ExactValue(Literal(shape));  // nothing is read (ruling 0037)
  const SetArray& indices = operands[1].array;
  const bool vectors =
      !indices.exact() && indices.runtime_sizes.empty() && indices.element_count() > 0;
  return vectors ? OverIndexVectors(interpreter, instruction, shape, operands)
                 : OverIndices(interpreter, instruction, shape, operands, 1);
}

absl::StatusOr<SetValue> SetDimensionSizeSets(SetInterpreter& interpreter,
                                              const Instruction& instruction, const Shape& shape,
                                              absl::Span<const SetValue> operands) {
  if (!operands[1].array.exact()) {
    return Unsupported(instruction.name(), ": the size of the dimension is uncertain");
  }
  HLOCTS_ASSIGN_OR_RETURN(SetValue result, Indexed(interpreter, instruction, shape, operands, 1));
  const auto d = static_cast<size_t>(instruction.IntList(Attr::kDimensions)[0]);
  const int64_t bound = shape.dimensions()[d];
  const auto size_of = [&](const SetArray& array) {
    return array.runtime_sizes.empty() ? bound : array.runtime_sizes[d];
  };
  const int64_t before = size_of(operands[0].array);
  if (size_of(result.array) <= before) return result;
  // Elements beyond the earlier size have no value (ruling 0064).
  int64_t inner = result.array.components();
  for (size_t k = d + 1; k < shape.dimensions().size(); ++k) inner *= shape.dimensions()[k];
  const uint32_t origin = interpreter.OriginOf(instruction, Rule{RuleClass::kUnknown});
  std::vector<AcceptanceSet> sets = result.array.AsSets();
  for (size_t i = 0; i < sets.size(); ++i) {
    if (static_cast<int64_t>(i) / inner % bound >= before)
      sets[i] = AcceptanceSet::Unspecified(WideningCause::kUnknown, origin);
  }
  SetArray grown(shape, std::move(sets));
  grown.runtime_sizes = result.array.runtime_sizes;
  grown.origin = origin;
  return SetValue(std::move(grown));
}

absl::StatusOr<SetValue> GetDimensionSizeSets(SetInterpreter& interpreter,
                                              const Instruction& instruction, const Shape& shape,
                                              absl::Span<const SetValue> operands) {
  std::vector<Literal> literals = {ElementNumbers(operands[0].array, 0)};
  HLOCTS_ASSIGN_OR_RETURN(Literal size, interpreter.runner().Run(instruction, shape, literals));
  return ExactValue(size);
}

absl::StatusOr<SetValue> BitcastSets(SetInterpreter& interpreter, const Instruction& instruction,
                                     const Shape& shape, absl::Span<const SetValue> operands) {
  if (shape.IsTuple() || operands[0].tuple) return operands[0];
  if (AllExact(operands)) return PlainResult(interpreter, instruction, shape, operands);
  bool same_type = operands[0].array.element_type() == shape.element_type();
  if (!same_type) return BitcastConvertSets(interpreter, instruction, shape, operands);
  return Trace(interpreter, instruction, shape, operands, 1);
}

absl::StatusOr<SetValue> ForwardSets(SetInterpreter&, const Instruction& instruction, const Shape&,
                                     absl::Span<const SetValue> operands) {
  if (instruction.opcode() == Opcode::kCopyDone) return operands[0].elements[0];
  return operands[0];
}

absl::StatusOr<SetValue> CopyStartSets(SetInterpreter& interpreter, const Instruction& instruction,
                                       const Shape& shape, absl::Span<const SetValue> operands) {
  std::vector<SetValue> elements = {operands[0], operands[0]};
  for (size_t i = 2; i < shape.tuple_shapes().size(); ++i) {
    elements.push_back(UnspecifiedResult(interpreter, instruction, shape.tuple_shapes()[i],
                                         WideningCause::kUnknown));
  }
  return SetValue::Tuple(std::move(elements));
}

}  // namespace hlocts::reference
