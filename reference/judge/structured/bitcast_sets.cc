// SPDX-License-Identifier: Apache-2.0
// Computes the sets of bitcast-convert: the bits of known values, and of NaNs that may have become
// quiet before.
#include <algorithm>
#include <cstring>
#include <optional>

#include "reference/judge/interpreter/handlers.h"
#include "spec/ir/instruction.h"
#include "spec/judge/acceptance_set.h"

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
    uint64_t bits = 0;
    std::memcpy(&bits, data + i * bytes, bytes);
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

// Returns the floats with the bits of `s`, which grow with magnitude for each sign (RULES 22).
std::optional<AcceptanceSet> FloatsOfBits(const AcceptanceSet& s, const FloatFormat& format) {
  const uint64_t sign = format.sign_mask(), infinity = format.infinity_bits();
  const uint64_t mask = sign | (sign - 1);
  const uint64_t first = static_cast<uint64_t>(s.ilo) & mask;
  const uint64_t last = static_cast<uint64_t>(s.ihi) & mask;
  if (first > last || ((first ^ last) & sign) != 0) return std::nullopt;
  const bool negative = (first & sign) != 0;
  const uint64_t least = first & ~sign, most = last & ~sign;
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

std::optional<AcceptanceSet> BitsOfFloats(const AcceptanceSet& s, PrimitiveType type,
                                          const FloatFormat& format) {
  const bool negative = s.hi < 0;
  if ((s.flags & ~AcceptanceSet::kContractible) != AcceptanceSet::kFinite) return std::nullopt;
  if (!negative && s.lo <= 0) return std::nullopt;
  Int128 first = static_cast<Int128>(EncodeFloat(format, negative ? s.hi : s.lo));
  Int128 last = static_cast<Int128>(EncodeFloat(format, negative ? s.lo : s.hi));
  const Int128 wrap = negative && IsSigned(type) ? Int128{1} << format.width() : 0;
  return AcceptanceSet::Integers(first - wrap, last - wrap);
}

// Returns the bits of a set of several values, read as the other type; nullopt if unknown.
std::optional<AcceptanceSet> OtherReading(const AcceptanceSet& s, PrimitiveType from,
                                          PrimitiveType to) {
  if (s.unspecified() || IsFloat(from) == IsFloat(to)) return std::nullopt;
  const FloatFormat& format = FormatOf(IsFloat(from) ? from : to);
  if (!format.has_infinity() || !format.has_sign) return std::nullopt;
  std::optional<AcceptanceSet> read =
      IsFloat(to) ? FloatsOfBits(s, format) : BitsOfFloats(s, to, format);
  if (read.has_value()) read->cause = s.cause, read->origin = s.origin;
  return read;
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

}  // namespace

// The bits of single values are single values (also for NaNs with known bits), and the bits of an
// interval of one sign are an interval. If the types have different widths, an element of the
// result depends only on its own operand elements (RULES 22).
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
  const int64_t count = array.element_count(), results = shape.ElementCount();
  const bool same_width = count == results;
  if (array.components() != 1 || IsComplex(shape.element_type()) || count == 0 || results == 0 ||
      (results % count != 0 && count % results != 0))
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  // Computes single values with the plain evaluator and intervals from their ends.
  Literal values(array.shape());
  std::vector<bool> open(array.element_count());
  std::vector<std::optional<AcceptanceSet>> read(array.element_count());
  for (int64_t i = 0; i < array.element_count(); ++i) {
    AcceptanceSet s = array.At(i);
    s.flags &= ~AcceptanceSet::kHull;
    bool nan_free = s.Has(AcceptanceSet::kNan) && !s.Has(AcceptanceSet::kBitsKnown);
    open[i] = !s.IsPoint() || nan_free;
    if (open[i] && same_width)
      read[i] = OtherReading(s, array.element_type(), shape.element_type());
    if (open[i]) continue;
    SetArray one = Compress(SetArray(Shape::Scalar(array.element_type()), {s}));
    int bytes = StorageBytes(array.element_type());
    std::memcpy(values.mutable_raw_data() + i * bytes, one.literal().raw_data(), bytes);
  }
  HLOCTS_ASSIGN_OR_RETURN(SetArray result, BitsOf(interpreter, instruction, shape, values));
  const Rule rule = interpreter.RuleOf(instruction.opcode(), array.element_type());
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  const int64_t narrower = std::max<int64_t>(1, results / count);
  const int64_t wider = std::max<int64_t>(1, count / results);
  for (int64_t i = 0; i < count; ++i) {
    if (!open[i]) continue;
    const AcceptanceSet set = read[i].value_or(
        AcceptanceSet::Unspecified(WideningCause::kNan, interpreter.OriginOf(instruction, rule)));
    const int64_t first = i / wider * narrower;
    std::fill(sets.begin() + first, sets.begin() + first + narrower, set);
  }
  result.runtime_sizes = array.runtime_sizes;
  return SetValue(std::move(result));
}

}  // namespace hlocts::reference
