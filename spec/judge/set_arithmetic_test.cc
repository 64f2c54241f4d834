// SPDX-License-Identifier: Apache-2.0
// Tests the set arithmetic: rounding against the formats' own encoders, enclosures against MPFR,
// sets against brute force over their values, and the nesting of profiles.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <random>

#include "spec/ir/opcode.h"
#include "spec/judge/float_sets.h"
#include "spec/judge/integer_sets.h"

namespace hlocts {
namespace {

SetContext ContextFor(Opcode opcode, PrimitiveType type, Profile profile, bool rigorous = false) {
  SetContext context;
  context.operand = context.result = &FactsOf(type);
  context.rule = RuleFor(opcode, type, profile);
  context.guard = RangeGuardOf(opcode);
  context.rigorous = rigorous;
  return context;
}

bool Holds(const AcceptanceSet& s, double value) {
  return IsSubset(AcceptanceSet::Float(value), s);
}

std::vector<double> ValuesOf(PrimitiveType type, int step) {
  std::vector<double> values;
  const FloatFormat& format = FormatOf(type);
  for (uint32_t bits = 0; bits < (uint32_t{1} << format.width()); bits += step) {
    values.push_back(DecodeFloat(format, bits));
  }
  return values;
}

constexpr PrimitiveType kNarrow[] = {PrimitiveType::kF16,        PrimitiveType::kBF16,
                                     PrimitiveType::kF8E4M3FN,   PrimitiveType::kF8E5M2,
                                     PrimitiveType::kF8E4M3FNUZ, PrimitiveType::kF8E3M4,
                                     PrimitiveType::kF4E2M1FN};

TEST(RealTest, RoundingAgreesWithTheEncoders) {
  std::mt19937_64 random(1);
  for (PrimitiveType type : kNarrow) {
    const FloatFormat& format = FormatOf(type);
    const FloatFacts& facts = FactsOf(type);
    for (int i = 0; i < 200000; ++i) {
      uint64_t bits = random();
      int exponent = static_cast<int>(bits % 300) - 150;
      double x = std::ldexp(static_cast<double>(static_cast<int64_t>(random())), exponent - 63);
      double rounded = facts.Round(x);
      double encoded = DecodeFloat(format, EncodeFloat(format, x, Overflow::kSaturate));
      double expected = std::clamp(rounded, -facts.max, facts.max);
      ASSERT_EQ(expected, encoded) << PrimitiveTypeName(type) << " " << x;
    }
  }
}

TEST(RealTest, DirectedRoundingBrackets) {
  for (PrimitiveType type : kNarrow) {
    const FloatFacts& facts = FactsOf(type);
    std::vector<double> values = ValuesOf(type, 1);
    for (double v : values) {
      if (!std::isfinite(v) || std::fabs(v) >= facts.max) continue;
      double next = facts.Next(v), between = v + (next - v) / 3;
      ASSERT_EQ(facts.RoundDown(between), v) << PrimitiveTypeName(type);
      ASSERT_EQ(facts.RoundUp(between), next) << PrimitiveTypeName(type);
      ASSERT_EQ(facts.Previous(next), v) << PrimitiveTypeName(type);
    }
  }
}

// For points of a narrow type, correctly rounded operations give exactly the encoder's value.
TEST(FloatSetsTest, StrictArithmeticIsThePoint) {
  for (PrimitiveType type : kNarrow) {
    const FloatFormat& format = FormatOf(type);
    int step = format.width() == 16 ? 1237 : 5;
    std::vector<double> values = ValuesOf(type, step);
    for (double a : values) {
      for (double b : values) {
        double sum = a + b;
        AcceptanceSet s =
            BinaryFloat(Opcode::kAdd, AcceptanceSet::Float(a), AcceptanceSet::Float(b),
                        ContextFor(Opcode::kAdd, type, Profile::kStrict));
        if (std::isnan(sum) && !format.has_nan()) continue;
        double expected = DecodeFloat(format, EncodeFloat(format, sum));
        ASSERT_TRUE(Holds(s, expected))
            << PrimitiveTypeName(type) << " " << a << " + " << b << ": " << SetText(s, type);
        ASSERT_TRUE(s.IsPoint() || s.Has(AcceptanceSet::kNan)) << SetText(s, type);
      }
    }
  }
}

int CallMpfr(Opcode opcode, mpfr_t y, mpfr_t x) {
  switch (opcode) {
    case Opcode::kTanh:
      return mpfr_tanh(y, x, MPFR_RNDN);
    case Opcode::kExponential:
      return mpfr_exp(y, x, MPFR_RNDN);
    case Opcode::kLog:
      return mpfr_log(y, x, MPFR_RNDN);
    case Opcode::kLogPlusOne:
      return mpfr_log1p(y, x, MPFR_RNDN);
    case Opcode::kErf:
      return mpfr_erf(y, x, MPFR_RNDN);
    case Opcode::kSine:
      return mpfr_sin(y, x, MPFR_RNDN);
    case Opcode::kCbrt:
      return mpfr_cbrt(y, x, MPFR_RNDN);
    case Opcode::kAtanh:
      return mpfr_atanh(y, x, MPFR_RNDN);
    case Opcode::kAsinh:
      return mpfr_asinh(y, x, MPFR_RNDN);
    default:
      return mpfr_tan(y, x, MPFR_RNDN);
  }
}
constexpr Opcode kFunctions[] = {
    Opcode::kTanh, Opcode::kExponential, Opcode::kLog,   Opcode::kLogPlusOne, Opcode::kErf,
    Opcode::kSine, Opcode::kCbrt,        Opcode::kAtanh, Opcode::kAsinh,      Opcode::kTan};

double Reference(Opcode opcode, double x) {
  mpfr_t a, y;
  mpfr_init2(a, 53);
  mpfr_init2(y, 53);
  mpfr_set_d(a, x, MPFR_RNDN);
  CallMpfr(opcode, y, a);
  double value = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clear(a);
  mpfr_clear(y);
  return value;
}

// For every seventh value of the 16-bit formats, the value rounded from MPFR is in the set, and the
// neighbours two steps beyond the rule's bound are not.
TEST(FloatSetsTest, FunctionsOf16BitsHoldTheRoundedValue) {
  for (PrimitiveType type : {PrimitiveType::kF16, PrimitiveType::kBF16}) {
    const FloatFacts& facts = FactsOf(type);
    for (Opcode opcode : kFunctions) {
      SetContext context = ContextFor(opcode, type, Profile::kStrict);
      for (double x : ValuesOf(type, 7)) {
        if (!std::isfinite(x) || x == 0) continue;
        double exact = Reference(opcode, x);
        AcceptanceSet s = UnaryFloat(opcode, AcceptanceSet::Float(x), context);
        double rounded = std::isfinite(exact) ? facts.Round(exact) : exact;
        ASSERT_TRUE(Holds(s, rounded))
            << OpcodeName(opcode) << "(" << x << ") = " << exact << ": " << SetText(s, type);
        if (!std::isfinite(rounded)) continue;
        ASSERT_FALSE(Holds(s, facts.Next(facts.Next(facts.Next(rounded)))))
            << OpcodeName(opcode) << x;
        ASSERT_FALSE(Holds(s, facts.Previous(facts.Previous(facts.Previous(rounded)))))
            << OpcodeName(opcode) << x;
      }
    }
  }
}

TEST(FunctionsTest, EnclosuresHoldMpfr) {
  std::mt19937_64 random(2);
  for (Opcode opcode : kFunctions) {
    const RealFunction& f = *RealFunctionOf(opcode);
    for (int i = 0; i < 3000; ++i) {
      double scale = std::ldexp(1.0, static_cast<int>(random() % 24) - 18);
      double x = (static_cast<double>(random() >> 11) * 0x1p-53 * 2 - 1) * scale;
      if (x <= f.domain_lo || x >= f.domain_hi) x = std::fabs(x) / (std::fabs(x) + 1);
      double exact = Reference(opcode, x);
      if (!std::isfinite(exact) || x == 0) continue;
      for (bool rigorous : {false, true}) {
        Enclosure e = EncloseFunction(f, x, rigorous);
        ASSERT_LE(e.lo, exact) << OpcodeName(opcode) << " " << x << " " << rigorous;
        ASSERT_GE(e.hi, exact) << OpcodeName(opcode) << " " << x << " " << rigorous;
      }
    }
  }
}

// The image of an interval contains the image of every value in it.
TEST(FloatSetsTest, IntervalsHoldTheirPoints) {
  std::mt19937_64 random(3);
  PrimitiveType type = PrimitiveType::kF32;
  const FloatFacts& facts = FactsOf(type);
  auto draw = [&] {
    int exponent = static_cast<int>(random() % 12) - 6;
    return facts.Round(std::ldexp(static_cast<double>(random() >> 11) * 0x1p-52 - 1, exponent));
  };
  constexpr Opcode kBinary[] = {Opcode::kAdd,     Opcode::kSubtract,  Opcode::kMultiply,
                                Opcode::kDivide,  Opcode::kRemainder, Opcode::kMaximum,
                                Opcode::kMinimum, Opcode::kAtan2,     Opcode::kPower};
  for (Opcode opcode : kBinary) {
    for (Profile profile : kAllProfiles) {
      SetContext context = ContextFor(opcode, type, profile);
      for (int i = 0; i < 2000; ++i) {
        double a[2] = {draw(), draw()}, b[2] = {draw(), draw()};
        if (a[0] > a[1]) std::swap(a[0], a[1]);
        if (b[0] > b[1]) std::swap(b[0], b[1]);
        AcceptanceSet whole = BinaryFloat(opcode, AcceptanceSet::Interval(a[0], a[1]),
                                          AcceptanceSet::Interval(b[0], b[1]), context);
        double t = static_cast<double>(random() >> 11) * 0x1p-53;
        double x = std::clamp(facts.Round(a[0] + (a[1] - a[0]) * t), a[0], a[1]);
        double y = std::clamp(facts.Round(b[0] + (b[1] - b[0]) * (1 - t)), b[0], b[1]);
        AcceptanceSet point =
            BinaryFloat(opcode, AcceptanceSet::Float(x), AcceptanceSet::Float(y), context);
        ASSERT_TRUE(IsSubset(point, whole))
            << OpcodeName(opcode) << " of " << x << ", " << y << ": " << SetText(point, type)
            << " not in " << SetText(whole, type);
      }
    }
  }
}

TEST(FloatSetsTest, UnaryIntervalsHoldTheirPoints) {
  std::mt19937_64 random(4);
  for (PrimitiveType type : {PrimitiveType::kF32, PrimitiveType::kF16, PrimitiveType::kF64}) {
    const FloatFacts& facts = FactsOf(type);
    for (Opcode opcode : AllOpcodes()) {
      if (RowOf(opcode).family != Family::kElementwiseUnary) continue;
      if (!Contains(RowOf(opcode).types, type) || opcode == Opcode::kReal ||
          opcode == Opcode::kImag || opcode == Opcode::kIsFinite) {
        continue;
      }
      for (Profile profile : kAllProfiles) {
        SetContext context = ContextFor(opcode, type, profile);
        for (int i = 0; i < 200; ++i) {
          double scale = std::ldexp(1.0, static_cast<int>(random() % 10) - 5);
          double lo = facts.Round((static_cast<double>(random() >> 11) * 0x1p-52 - 1) * scale);
          double hi = facts.Round(lo + static_cast<double>(random() >> 11) * 0x1p-54 * scale);
          double x = std::clamp(facts.Round(lo + (hi - lo) * 0.37), lo, hi);
          AcceptanceSet whole = UnaryFloat(opcode, AcceptanceSet::Interval(lo, hi), context);
          AcceptanceSet point = UnaryFloat(opcode, AcceptanceSet::Float(x), context);
          ASSERT_TRUE(IsSubset(point, whole))
              << OpcodeName(opcode) << " " << PrimitiveTypeName(type) << " of " << x << " in ["
              << lo << ", " << hi << "]: " << SetText(point, type) << " not in "
              << SetText(whole, type);
        }
      }
    }
  }
}

// The sets of special and ordinary points are nested: strict in default, default in relaxed.
TEST(FloatSetsTest, ProfilesAreNested) {
  for (PrimitiveType type :
       {PrimitiveType::kF32, PrimitiveType::kBF16, PrimitiveType::kF8E4M3FN, PrimitiveType::kF64}) {
    const FloatFacts& facts = FactsOf(type);
    std::vector<double> values = {0.0,       -0.0,       facts.tiny, -facts.tiny, facts.min_normal,
                                  facts.max, -facts.max, 1,          -1,          1.5,
                                  0.5,       -2,         3,          std::nan("")};
    if (facts.infinity) values.insert(values.end(), {kInfinity, -kInfinity});
    for (Opcode opcode : AllOpcodes()) {
      Family family = RowOf(opcode).family;
      bool unary = family == Family::kElementwiseUnary && Contains(RowOf(opcode).types, type) &&
                   opcode != Opcode::kReal && opcode != Opcode::kImag &&
                   opcode != Opcode::kIsFinite;
      bool binary = family == Family::kElementwiseBinary && Contains(RowOf(opcode).types, type) &&
                    opcode != Opcode::kComplex;
      for (double a : values) {
        for (double b : values) {
          if (!unary && !binary) continue;
          AcceptanceSet sets[3];
          for (Profile profile : kAllProfiles) {
            SetContext context = ContextFor(opcode, type, profile);
            sets[static_cast<int>(profile)] =
                unary ? UnaryFloat(opcode, AcceptanceSet::Float(a), context)
                      : BinaryFloat(opcode, AcceptanceSet::Float(a), AcceptanceSet::Float(b),
                                    context);
          }
          ASSERT_TRUE(IsSubset(sets[0], sets[1]))
              << OpcodeName(opcode) << " " << PrimitiveTypeName(type) << " " << a << ", " << b
              << ": " << SetText(sets[0], type) << " / " << SetText(sets[1], type);
          ASSERT_TRUE(IsSubset(sets[1], sets[2]))
              << OpcodeName(opcode) << " " << PrimitiveTypeName(type) << " " << a << ", " << b
              << ": " << SetText(sets[1], type) << " / " << SetText(sets[2], type);
          if (unary) break;
        }
      }
    }
  }
}

std::vector<Opcode> BinaryOpcodesOf(PrimitiveType type) {
  std::vector<Opcode> opcodes;
  for (Opcode opcode : AllOpcodes()) {
    const OpRow& row = RowOf(opcode);
    if (row.family == Family::kElementwiseBinary && Contains(row.types, type))
      opcodes.push_back(opcode);
  }
  return opcodes;
}

// Compares integer intervals with every pair of values of a 4-bit type.
TEST(IntegerSetsTest, IntervalsHoldTheirPoints) {
  IntegerContext context;
  context.facts.integer_division = context.facts.shift_saturate = true;
  for (PrimitiveType type : {PrimitiveType::kS4, PrimitiveType::kU4}) {
    context.type = type;
    Int128 least, most;
    IntegerLimits(type, least, most);
    for (Opcode opcode : BinaryOpcodesOf(type)) {
      for (Int128 alo = least; alo <= most; alo += 3) {
        for (Int128 blo = least; blo <= most; blo += 3) {
          AcceptanceSet a = AcceptanceSet::Integers(alo, std::min(alo + 2, most));
          AcceptanceSet b = AcceptanceSet::Integers(blo, std::min(blo + 2, most));
          AcceptanceSet whole = BinaryInteger(opcode, a, b, context);
          for (Int128 x = a.ilo; x <= a.ihi; ++x) {
            for (Int128 y = b.ilo; y <= b.ihi; ++y) {
              AcceptanceSet point = BinaryInteger(opcode, AcceptanceSet::Integers(x, x),
                                                  AcceptanceSet::Integers(y, y), context);
              if (point.unspecified()) point = AcceptanceSet::Integers(least, most);
              ASSERT_TRUE(IsSubset(point, whole))
                  << OpcodeName(opcode) << " " << int(x) << " " << int(y);
            }
          }
        }
      }
    }
  }
}

// The judge has a rule for every operation on integers, and no two rules are interchanged.
TEST(IntegerSetsTest, EveryOperationIsKnown) {
  IntegerContext context;
  context.facts.integer_division = context.facts.shift_saturate = true;
  for (PrimitiveType type : {PrimitiveType::kPred, PrimitiveType::kS8, PrimitiveType::kU64}) {
    context.type = type;
    AcceptanceSet one = AcceptanceSet::Integers(1, 1);
    for (Opcode opcode : BinaryOpcodesOf(type)) {
      EXPECT_FALSE(BinaryInteger(opcode, one, one, context).unspecified()) << OpcodeName(opcode);
    }
  }
  context.type = PrimitiveType::kS8;
  AcceptanceSet one = AcceptanceSet::Integers(1, 1);
  EXPECT_TRUE(BinaryInteger(Opcode::kAtan2, one, one, context).unspecified());
  EXPECT_TRUE(UnaryInteger(Opcode::kTan, one, context).unspecified());
}

struct HighProduct {
  PrimitiveType type;
  Int128 alo, ahi, blo, bhi, lo, hi;
};

// Computes the upper half of the product for all a and b near the ends of the types.
TEST(IntegerSetsTest, UpperHalvesOfProducts) {
  const Int128 least = INT64_MIN, most = INT64_MAX, greatest = UINT64_MAX;
  const HighProduct kRows[] = {
      {PrimitiveType::kS32, 5, 5, 1, 1, 0, 0},
      {PrimitiveType::kS32, -5, -5, 1, 1, -1, -1},
      {PrimitiveType::kU8, 200, 255, 200, 255, 156, 254},
      {PrimitiveType::kS8, -128, 127, -128, 127, -64, 64},
      {PrimitiveType::kS64, least, least, least, least, Int128{1} << 62, Int128{1} << 62},
      {PrimitiveType::kS64, least, most, least, most, -(Int128{1} << 62), Int128{1} << 62},
      {PrimitiveType::kU64, greatest, greatest, greatest, greatest, greatest - 1, greatest - 1},
      {PrimitiveType::kU64, 0, greatest, 0, greatest, 0, greatest - 1},
  };
  for (const HighProduct& row : kRows) {
    IntegerContext context;
    context.type = row.type;
    AcceptanceSet set = BinaryInteger(Opcode::kMulhi, AcceptanceSet::Integers(row.alo, row.ahi),
                                      AcceptanceSet::Integers(row.blo, row.bhi), context);
    EXPECT_TRUE(set.ilo == row.lo && set.ihi == row.hi)
        << PrimitiveTypeName(row.type) << " " << SetText(set, row.type);
  }
}

TEST(AcceptanceSetTest, CountsValues) {
  PrimitiveType f32 = PrimitiveType::kF32;
  EXPECT_EQ(Log2Count(AcceptanceSet::Float(1), f32), 0);
  EXPECT_EQ(Log2Count(AcceptanceSet::Interval(1, FactsOf(f32).Next(1)), f32), 1);
  EXPECT_EQ(Log2Count(AcceptanceSet::Unspecified(), f32), 32);
  EXPECT_EQ(Log2Count(AcceptanceSet::Integers(0, 1), PrimitiveType::kPred), 1);
  AcceptanceSet zeros = AcceptanceSet::Interval(0, 0);
  EXPECT_EQ(Log2Count(zeros, f32), 1);  // +0 and -0
}

}  // namespace
}  // namespace hlocts
