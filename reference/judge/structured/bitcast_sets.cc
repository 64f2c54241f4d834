// SPDX-License-Identifier: Apache-2.0
// Computes the sets of bitcast-convert: the bits of known values, of NaNs that an earlier operation
// may have made quiet, and of intervals.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "reference/judge/interpreter/handlers.h"
#include "spec/ir/element_width.h"
#include "spec/ir/instruction.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

// Sets the quiet bit of the signalling NaNs. Returns true if there are any.
bool QuietenNans(Literal& values) {
  const PrimitiveType type = ComponentType(values.element_type());
  if (!IsFloat(type) || !FormatOf(type).has_infinity()) return false;
  const FloatFormat& format = FormatOf(type);
  const int bytes = StorageBytes(type);
  const uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
  const int64_t count = values.element_count() * (StorageBytes(values.element_type()) / bytes);
  uint8_t* data = values.mutable_raw_data();
  bool any = false;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = StoredBits(data + i * bytes, bytes);
    if (!IsNanBits(format, bits) || (bits & quiet)) continue;
    bits |= quiet;
    std::memcpy(data + i * bytes, &bits, bytes);
    any = true;
  }
  return any;
}

// Joins the results for signalling and quiet NaNs, which differ only in the quiet bits.
void JoinQuietened(const SetArray& quietened, uint32_t origin, SetArray& result) {
  const bool integers = !IsFloat(ComponentType(result.element_type()));
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  const std::vector<AcceptanceSet> others = quietened.AsSets();
  for (size_t i = 0; i < sets.size(); ++i) {
    if (integers && sets[i].ilo == others[i].ilo) continue;
    sets[i] = integers ? Join(sets[i], others[i])
                       : AcceptanceSet::Unspecified(WideningCause::kNan, origin);
    sets[i].cause = WideningCause::kNan;
    sets[i].origin = origin;
  }
}

// A range of bit patterns, read as unsigned integers.
struct Bits {
  uint64_t first, last;
};

uint64_t Ones(int width) { return ~uint64_t{0} >> (64 - width); }

// Returns the bits of the values in a set, at most two ranges. If the set contains NaNs, or the
// format has no sign or no infinity, returns all bit patterns.
std::vector<Bits> BitsOfSet(const AcceptanceSet& s, PrimitiveType type) {
  const uint64_t ones = Ones(BitWidth(type));
  const std::vector<Bits> any = {{0, ones}};
  if (s.unspecified()) return any;
  if (!IsFloat(type)) {
    const uint64_t first = static_cast<uint64_t>(s.ilo) & ones;
    const uint64_t last = static_cast<uint64_t>(s.ihi) & ones;
    if (first <= last) return {{first, last}};
    return {{0, last}, {first, ones}};
  }
  const FloatFormat& format = FormatOf(type);
  if (s.Has(AcceptanceSet::kNan) || !format.has_infinity() || !format.has_sign) return any;
  std::vector<Bits> parts;
  for (const bool negative : {false, true}) {
    const double lo = negative ? -s.hi : s.lo, hi = negative ? -s.lo : s.hi;
    const bool zero = s.Has(negative ? AcceptanceSet::kNegZero : AcceptanceSet::kPosZero);
    const bool infinity = s.Has(negative ? AcceptanceSet::kNegInf : AcceptanceSet::kPosInf);
    const bool numbers = s.finite() && hi > 0;
    if (!zero && !infinity && !numbers) continue;
    uint64_t first = format.infinity_bits(), last = 0;
    if (numbers) first = lo > 0 ? EncodeFloat(format, lo) : 1, last = EncodeFloat(format, hi);
    if (zero) first = 0;
    if (infinity) last = format.infinity_bits();
    const uint64_t sign = negative ? format.sign_mask() : 0;
    parts.push_back({sign | first, sign | last});
  }
  return parts.empty() ? any : parts;
}

// Returns the floats with bits in this range. For each sign, bits grow with magnitude (lemma 22).
AcceptanceSet FloatsOfBits(const Bits& bits, const FloatFormat& format) {
  const uint64_t sign = format.sign_mask(), infinity = format.infinity_bits();
  const bool negative = (bits.first & sign) != 0;
  const uint64_t least = bits.first & ~sign, most = bits.last & ~sign;
  AcceptanceSet floats;
  if (least < infinity) {
    const double lo = DecodeFloat(format, least);
    const double hi = DecodeFloat(format, std::min(most, infinity - 1));
    floats = AcceptanceSet::Interval(negative ? -hi : lo, negative ? -lo : hi);
    floats.flags &= ~(AcceptanceSet::kPosZero | AcceptanceSet::kNegZero);
    if (least == 0) floats.flags |= negative ? AcceptanceSet::kNegZero : AcceptanceSet::kPosZero;
  }
  if (least <= infinity && most >= infinity) {
    floats.flags |= negative ? AcceptanceSet::kNegInf : AcceptanceSet::kPosInf;
  }
  if (most > infinity) floats.flags |= AcceptanceSet::kNan;
  return floats;
}

// Appends the sets of a range of bits, one for each sign. Returns false if any value is possible.
bool AppendSets(const Bits& bits, PrimitiveType type, std::vector<AcceptanceSet>& sets) {
  const uint64_t ones = Ones(BitWidth(type));
  if (bits.first == 0 && bits.last == ones) return false;
  const bool has_sign = IsFloat(type) ? FormatOf(type).has_sign : IsSigned(type);
  const uint64_t sign = has_sign ? (ones >> 1) + 1 : 0;
  if (((bits.first ^ bits.last) & sign) != 0)
    return AppendSets({bits.first, sign - 1}, type, sets) &&
           AppendSets({sign, bits.last}, type, sets);
  if (IsFloat(type)) {
    if (!has_sign || !FormatOf(type).has_infinity()) return false;
    sets.push_back(FloatsOfBits(bits, FormatOf(type)));
    return true;
  }
  const Int128 wrap = (bits.first & sign) != 0 ? Int128{1} << BitWidth(type) : 0;
  sets.push_back(AcceptanceSet::Integers(Int128{bits.first} - wrap, Int128{bits.last} - wrap));
  return true;
}

// Returns `width` bits, from bit `at` upwards, of the numbers in a range. If the bits above these
// are equal at both ends of the range, the result is the range between the ends' bits, else any
// bits.
Bits PartOf(const Bits& bits, int at, int width) {
  const uint64_t ones = Ones(width), first = bits.first >> at, last = bits.last >> at;
  return (first ^ last) > ones ? Bits{0, ones} : Bits{first & ones, last & ones};
}

absl::StatusOr<SetArray> BitsOf(SetInterpreter& interpreter, const Instruction& instruction,
                                const Shape& shape, const Literal& values) {
  HLOCTS_ASSIGN_OR_RETURN(Literal bits, interpreter.runner().Run(instruction, shape, {values}));
  SetArray result(std::move(bits));
  const Rule rule = interpreter.RuleOf(instruction.opcode(), values.element_type());
  Literal quiet = values;
  if (!rule.Allows(kQuietNan) || !QuietenNans(quiet)) return result;
  HLOCTS_ASSIGN_OR_RETURN(Literal others, interpreter.runner().Run(instruction, shape, {quiet}));
  JoinQuietened(SetArray(std::move(others)), interpreter.OriginOf(instruction, rule), result);
  return Compress(std::move(result));
}

// Returns the bits of result element `i`: at most two ranges if it comes from one operand element,
// or one range from the least to the largest bits if it comes from several (lemma 22).
std::vector<Bits> BitsAt(const SetArray& array, int width, int64_t i, int64_t narrower,
                         int64_t wider) {
  std::vector<Bits> ranges;
  if (wider == 1) {
    ranges = BitsOfSet(array.At(i / narrower), array.element_type());
    const int at = static_cast<int>(i % narrower) * width;
    for (Bits& range : ranges) range = PartOf(range, at, width);
    return ranges;
  }
  Bits all = {0, 0};
  const int part = BitWidth(array.element_type());
  for (int64_t k = 0; k < wider; ++k) {
    const std::vector<Bits> of = BitsOfSet(array.At(i * wider + k), array.element_type());
    uint64_t first = ~uint64_t{0}, last = 0;
    for (const Bits& range : of) {
      first = std::min(first, range.first);
      last = std::max(last, range.last);
    }
    all.first |= first << (k * part);
    all.last |= last << (k * part);
  }
  return {all};
}

// Returns true if the element has several values or is a NaN with unknown bits.
bool IsOpen(const AcceptanceSet& s) {
  return !s.IsPoint() || (s.Has(AcceptanceSet::kNan) && !s.Has(AcceptanceSet::kBitsKnown));
}

}  // namespace

// Known values have known bits; a NaN with known bits is a known value. If the widths differ, an
// element of the result has only the bits of the operand elements that it consists of (lemma 22).
absl::StatusOr<SetValue> BitcastConvertSets(SetInterpreter& interpreter,
                                            const Instruction& instruction, const Shape& shape,
                                            absl::Span<const SetValue> operands) {
  const SetArray& array = operands[0].array;
  if (IsFullyKnown(operands[0])) {
    HLOCTS_ASSIGN_OR_RETURN(SetArray result,
                            BitsOf(interpreter, instruction, shape, array.literal()));
    result.runtime_sizes = array.runtime_sizes;
    return SetValue(std::move(result));
  }
  const PrimitiveType from = array.element_type(), to = shape.element_type();
  const int64_t count = array.element_count(), results = shape.ElementCount();
  if (IsComplex(from) || IsComplex(to) || count == 0 || results == 0 ||
      count * BitWidth(from) != results * BitWidth(to))
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  const int64_t narrower = std::max<int64_t>(1, results / count);
  const int64_t wider = std::max<int64_t>(1, count / results);
  // Computes known elements with the plain evaluator, and others from their ranges of bits.
  Literal values(array.shape());
  std::vector<int64_t> open(static_cast<size_t>(results), -1);  // the operand's open element
  for (int64_t i = 0; i < count; ++i) {
    AcceptanceSet s = array.At(i);
    s.flags &= ~AcceptanceSet::kPreRounding;
    if (IsOpen(s)) {
      std::fill_n(open.begin() + i / wider * narrower, narrower, i);
      continue;
    }
    SetArray one = Compress(SetArray(Shape::Scalar(from), {s}));
    const int bytes = StorageBytes(from);
    std::memcpy(values.mutable_raw_data() + i * bytes, one.literal().raw_data(), bytes);
  }
  HLOCTS_ASSIGN_OR_RETURN(SetArray result, BitsOf(interpreter, instruction, shape, values));
  const uint32_t origin =
      interpreter.OriginOf(instruction, interpreter.RuleOf(instruction.opcode(), from));
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  ChoiceMap map;
  for (int64_t i = 0; i < results; ++i) {
    if (open[i] < 0) continue;
    const AcceptanceSet of = array.At(open[i]);
    std::vector<AcceptanceSet> few;
    bool known = true;
    for (const Bits& bits : BitsAt(array, BitWidth(to), i, narrower, wider)) {
      known = known && AppendSets(bits, to, few);
    }
    sets[i] = AcceptanceSet::Unspecified(WideningCause::kNan, origin);
    if (!known) continue;
    for (AcceptanceSet& s : few) s.cause = of.cause, s.origin = of.origin;
    sets[i] = std::accumulate(few.begin() + 1, few.end(), few[0], Join);
    if (std::adjacent_find(few.begin(), few.end(), HaveGapBetween) != few.end())
      map.Put(i, std::move(few));
  }
  SetChoices(std::move(map), result);
  result.runtime_sizes = array.runtime_sizes;
  return SetValue(std::move(result));
}

// Permits either neighbour of a value, or only the value itself if it is representable.
absl::StatusOr<SetValue> StochasticConvertSets(SetInterpreter& interpreter,
                                               const Instruction& instruction, const Shape& shape,
                                               absl::Span<const SetValue> operands) {
  const SetArray& operand = operands[0].array;
  if (!IsFloat(shape.element_type())) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  SetContext context =
      interpreter.ContextOf(instruction, operand.element_type(), shape.element_type());
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    AcceptanceSet s = operand.At(i);
    if (s.unspecified() || !s.finite() ||
        s.flags & (AcceptanceSet::kNan | AcceptanceSet::kPosInf | AcceptanceSet::kNegInf)) {
      sets.push_back(ConvertFloatToFloat(s, context));
      continue;
    }
    double lo = context.result->RoundDown(s.lo), hi = context.result->RoundUp(s.hi);
    AcceptanceSet neighbours = lo == hi && s.lo == 0
                                   ? s
                                   : AcceptanceSet::Interval(std::max(lo, -context.result->max),
                                                             std::min(hi, context.result->max));
    if (hi > context.result->max) neighbours.flags |= AcceptanceSet::kPosInf;
    if (lo < -context.result->max) neighbours.flags |= AcceptanceSet::kNegInf;
    neighbours.cause = WideningCause::kFreedom;
    neighbours.origin = context.origin;
    sets.push_back(neighbours);
  }
  SetArray result(shape, std::move(sets));
  result.origin = context.origin;
  return SetValue(Compress(std::move(result)));
}

}  // namespace hlocts::reference
