// SPDX-License-Identifier: Apache-2.0
// Faults of integers and pred: widths, signs, wrapping (as in openxla/xla#9431, #49123).

#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"

namespace hlocts::backends {
namespace {

struct Whole {
  int64_t x, y;
  int64_t result;
  int bits;        // width of the result
  bool is_signed;  // signedness of the result
  PrimitiveType operand;
  int64_t top() const { return bits >= 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1; }
  int64_t bottom() const { return -top() - 1; }
};
using Value = int64_t (*)(const Whole&);
struct IntegerRow {
  const char* id;
  Opcode opcode;
  const char* what;
  Value value;
};

int64_t Unsigned(int64_t value, int bits) { return WrapInteger(value, bits, false); }
bool Less(const Whole& n, int64_t a, int64_t b) {
  return n.is_signed ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
}

constexpr IntegerRow kIntegerRows[] = {
    {"add.saturates", Opcode::kAdd, "integer addition saturates instead of wrapping",
     [](const Whole& n) {
       if (!n.is_signed || n.bits >= 64) return n.result;
       int64_t sum = n.x + n.y;
       return sum > n.top() ? n.top() : sum < n.bottom() ? n.bottom() : n.result;
     }},
    {"subtract.saturates-at-zero", Opcode::kSubtract, "unsigned subtraction stops at 0",
     [](const Whole& n) { return !n.is_signed && Less(n, n.x, n.y) ? 0 : n.result; }},
    {"multiply.through-f32", Opcode::kMultiply, "integers are multiplied as f32",
     [](const Whole& n) {
       float product = static_cast<float>(n.x) * static_cast<float>(n.y);
       return n.bits >= 32 && product < 2e9f && product > -2e9f ? static_cast<int64_t>(product)
                                                                : n.result;
     }},
    {"multiply.64-bit-as-32", Opcode::kMultiply, "64-bit products are truncated to 32 bits",
     [](const Whole& n) { return n.bits == 64 ? WrapInteger(n.result, 32, true) : n.result; }},
    {"abs.of-least-is-largest", Opcode::kAbs, "abs of the least integer saturates",
     [](const Whole& n) { return n.x == n.bottom() && n.is_signed ? n.top() : n.result; }},
    {"negate.of-least-is-largest", Opcode::kNegate, "negation of the least integer saturates",
     [](const Whole& n) { return n.x == n.bottom() && n.is_signed ? n.top() : n.result; }},
    {"divide.floors", Opcode::kDivide,
     "quotients of operands with different signs are rounded down",
     [](const Whole& n) {
       bool rest = n.is_signed && n.y != 0 && n.y != -1 && n.x % n.y != 0;
       return rest && (n.x < 0) != (n.y < 0) ? n.result - 1 : n.result;
     }},
    {"divide.unsigned-as-signed", Opcode::kDivide, "unsigned division is computed as signed",
     [](const Whole& n) {
       int64_t x = WrapInteger(n.x, n.bits, true), y = WrapInteger(n.y, n.bits, true);
       return !n.is_signed && y != 0 && y != -1 ? x / y : n.result;
     }},
    {"remainder.integer-sign-of-divisor", Opcode::kRemainder,
     "the remainder has the divisor's sign",
     [](const Whole& n) {
       return n.is_signed && n.result != 0 && (n.result < 0) != (n.y < 0) ? n.result + n.y
                                                                          : n.result;
     }},
    {"shift-left.amount-modulo-width", Opcode::kShiftLeft, "too large an amount wraps around",
     [](const Whole& n) {
       int64_t amount = Unsigned(n.y, n.bits);
       if (amount >= 0 && amount < n.bits) return n.result;
       return static_cast<int64_t>(static_cast<uint64_t>(n.x) << (amount & (n.bits - 1)));
     }},
    {"shift-right-arithmetic.is-logical", Opcode::kShiftRightArithmetic,
     "zeros are shifted in from the left",
     [](const Whole& n) {
       if (n.y <= 0 || n.y >= n.bits) return n.result;
       return static_cast<int64_t>(static_cast<uint64_t>(Unsigned(n.x, n.bits)) >> n.y);
     }},
    {"shift-right-logical.is-arithmetic", Opcode::kShiftRightLogical, "the sign is shifted in",
     [](const Whole& n) {
       if (n.y <= 0 || n.y >= n.bits) return n.result;
       return WrapInteger(n.x, n.bits, true) >> n.y;
     }},
    {"shift-right-logical.of-widened", Opcode::kShiftRightLogical,
     "a narrow signed operand is widened before it is shifted",
     [](const Whole& n) {
       if (n.bits >= 32 || n.y <= 0 || n.y >= n.bits) return n.result;
       return static_cast<int64_t>(static_cast<uint32_t>(n.x) >> n.y);
     }},
    {"maximum.unsigned-as-signed", Opcode::kMaximum, "unsigned maximum compares as signed",
     [](const Whole& n) {
       if (n.is_signed) return n.result;
       return WrapInteger(n.x, n.bits, true) > WrapInteger(n.y, n.bits, true) ? n.x : n.y;
     }},
    {"minimum.signed-as-unsigned", Opcode::kMinimum, "signed minimum compares as unsigned",
     [](const Whole& n) {
       if (!n.is_signed) return n.result;
       return static_cast<uint64_t>(n.x) < static_cast<uint64_t>(n.y) ? n.x : n.y;
     }},
    {"count-leading-zeros.in-32-bits", Opcode::kCountLeadingZeros, "counted in 32 bits",
     [](const Whole& n) { return n.bits < 32 ? n.result + 32 - n.bits : n.result; }},
    {"popcnt.of-sign-extended", Opcode::kPopcnt, "a narrow operand is sign-extended first",
     [](const Whole& n) { return n.bits < 32 && n.x < 0 ? n.result + 32 - n.bits : n.result; }},
    {"not.of-pred-is-bitwise", Opcode::kNot, "not of a true pred is true: all bits but one",
     [](const Whole& n) { return n.operand == PrimitiveType::kPred ? 1 : n.result; }},
    {"sign.of-unsigned-is-signed", Opcode::kSign, "sign of a large unsigned number is -1",
     [](const Whole& n) {
       return !n.is_signed && WrapInteger(n.x, n.bits, true) < 0 ? -1 : n.result;
     }},
    {"power.of-integers-through-float", Opcode::kPower, "integer power saturates",
     [](const Whole& n) {
       double exact = 1;
       for (int64_t i = 0; i < n.y && i < 64; ++i) exact *= static_cast<double>(n.x);
       return n.is_signed && n.bits < 64 && exact > static_cast<double>(n.top()) ? n.top()
                                                                                 : n.result;
     }},
    {"and.of-upper-half", Opcode::kAnd, "64-bit operands lose their upper half",
     [](const Whole& n) { return n.bits == 64 ? Unsigned(n.result, 32) : n.result; }},
    {"convert.s32-sign-lost", Opcode::kConvert, "a signed operand is zero-extended",
     [](const Whole& n) {
       int width = BitWidth(n.operand);
       return IsSigned(n.operand) && n.bits > width ? Unsigned(n.x, width) : n.result;
     }},
    {"convert.unsigned-sign-extended", Opcode::kConvert, "an unsigned operand is sign-extended",
     [](const Whole& n) {
       int width = BitWidth(n.operand);
       return IsUnsigned(n.operand) && n.bits > width ? WrapInteger(n.x, width, true) : n.result;
     }},
    {"convert.narrowing-saturates", Opcode::kConvert, "integers saturate instead of wrapping",
     [](const Whole& n) {
       if (!IsSigned(n.operand) || !n.is_signed || n.bits >= BitWidth(n.operand)) return n.result;
       return n.x > n.top() ? n.top() : n.x < n.bottom() ? n.bottom() : n.result;
     }},
    {"add.four-bits-saturate", Opcode::kAdd, "4-bit sums saturate",
     [](const Whole& n) {
       int64_t most = n.is_signed ? 7 : 15, least = n.is_signed ? -8 : 0, sum = n.x + n.y;
       return n.bits != 4 ? n.result : sum > most ? most : sum < least ? least : sum;
     }},
};

bool IsWhole(PrimitiveType type) { return IsInteger(type) || type == PrimitiveType::kPred; }

void Apply(Value value, FaultSite& site) {
  Literal& result = *site.result;
  const Literal& x = site.operands[0];
  const Literal& y = site.operands.back();
  if (result.shape().IsTuple() || !IsWhole(result.element_type())) return;
  if (!IsWhole(x.element_type()) || !IsWhole(y.element_type())) return;
  PrimitiveType type = result.element_type();
  for (int64_t i = 0; i < result.element_count(); ++i) {
    Whole whole{ReadInteger(x, i), ReadInteger(y, i), ReadInteger(result, i),
                BitWidth(type),    IsSigned(type),    x.element_type()};
    int64_t wrong = value(whole);
    if (wrong != whole.result) WriteInteger(result, i, wrong);
  }
}

void UnsignedToFloatSigned(FaultSite& site) {
  const Literal& x = site.operands[0];
  Literal& result = *site.result;
  if (!IsUnsigned(x.element_type()) || !IsFloat(result.element_type())) return;
  for (int64_t i = 0; i < x.element_count(); ++i) {
    int64_t value = WrapInteger(ReadInteger(x, i), BitWidth(x.element_type()), true);
    if (value < 0) WriteNumber(result, i, static_cast<double>(value));
  }
}

void LongToDoubleThroughFloat(FaultSite& site) {
  const Literal& x = site.operands[0];
  Literal& result = *site.result;
  if (!IsInteger(x.element_type()) || result.element_type() != PrimitiveType::kF64) return;
  for (int64_t i = 0; i < x.element_count(); ++i) {
    WriteNumber(result, i, RoundTo(PrimitiveType::kF32, ReadNumber(result, i)));
  }
}

}  // namespace

void AddIntegerFaults(std::vector<Fault>& faults) {
  for (const IntegerRow& row : kIntegerRows) {
    faults.push_back(AfterFault(row.id, FaultClass::kInteger, row.opcode, row.what,
                                [value = row.value](FaultSite& site) { Apply(value, site); }));
  }
  faults.push_back(AfterFault("convert.unsigned-to-float-as-signed", FaultClass::kInteger,
                              Opcode::kConvert, "a large unsigned integer becomes a negative float",
                              UnsignedToFloatSigned));
  faults.push_back(AfterFault("convert.integer-to-f64-through-f32", FaultClass::kInteger,
                              Opcode::kConvert, "integers reach f64 through f32",
                              LongToDoubleThroughFloat));
}

}  // namespace hlocts::backends
