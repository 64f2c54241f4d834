// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/functions.h"

#include <mpfr.h>

#include <cmath>

#include "spec/ir/opcode.h"
#include "spec/judge/real.h"

namespace hlocts {
namespace {

double Logistic(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  double e = std::exp(x);
  return e / (1 + e);
}
double Rsqrt(double x) { return 1 / std::sqrt(x); }

using MpfrUnary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

int MpfrLogistic(mpfr_t result, const mpfr_t x, mpfr_rnd_t round) {
  // Computes 1 / (1 + exp(-x)). The inner steps use 400 bits: the relative error is below 2^-398
  // before the result is rounded to 200 bits, so it does not move the enclosure's ends (lemma F5).
  mpfr_t t;
  mpfr_init2(t, 400);
  mpfr_neg(t, x, MPFR_RNDN);
  mpfr_exp(t, t, MPFR_RNDN);
  mpfr_add_ui(t, t, 1, MPFR_RNDN);
  int inexact = mpfr_ui_div(result, 1, t, round);
  mpfr_clear(t);
  return inexact;
}

struct FunctionRow {
  RealFunction function;
  MpfrUnary mpfr;
};
// The ulps of logistic and rsqrt follow from their formulas (lemma F5).
constexpr FunctionRow kRealFunctions[] = {
#define HLOCTS_ROW(Name, value, mpfr_function, monotone, domain, pole, c_ulps, ...)   \
  {{Opcode::k##Name, value, Monotone::k##monotone, HLOCTS_ENDS domain, pole, c_ulps}, \
   mpfr_function},
#define HLOCTS_ENDS(low, high) low, high
#define HLOCTS_REAL_FUNCTION(Name, c_function, ...) HLOCTS_ROW(Name, std::c_function, __VA_ARGS__)
#define HLOCTS_REAL_FORMULA HLOCTS_ROW
#include "spec/ops/scalar_functions.def"
#undef HLOCTS_ROW
#undef HLOCTS_ENDS
    // IEEE 754 rounds the square root correctly, so it is not in the list of functions with ulps.
    {{Opcode::kSqrt, std::sqrt, Monotone::kIncreasing, 0, kInfinity, false, 1}, mpfr_sqrt},
};
using MpfrBinary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
struct BinaryRow {
  Opcode opcode;
  double (*value)(double, double);
  MpfrBinary mpfr;
};
constexpr BinaryRow kBinaryFunctions[] = {
#define HLOCTS_BINARY_FUNCTION(Name, c_function, mpfr_function) \
  {Opcode::k##Name, std::c_function, mpfr_function},
#include "spec/ops/scalar_functions.def"
};
constexpr int kBinaryBound = 2;  // in ulps; pow and atan2 of the C library are within 1

const FunctionRow* FunctionRowOf(Opcode opcode) {
  for (const FunctionRow& row : kRealFunctions) {
    if (row.function.opcode == opcode) return &row;
  }
  return nullptr;
}

const BinaryRow* BinaryRowOf(Opcode opcode) {
  for (const BinaryRow& row : kBinaryFunctions) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

Enclosure EncloseByUlps(double value, int ulps) {
  if (std::fabs(value) > 0x1p-900 && std::fabs(value) < 0x1p900) {
    double margin = std::fabs(value) * (0x1.01p-52 * ulps);  // an ulp is at most |value| * 2^-52
    return {value - margin, value + margin};
  }
  double lo = value, hi = value;
  for (int i = 0; i < ulps; ++i) {
    lo = NextDown(lo);
    hi = NextUp(hi);
  }
  return {lo, hi};
}

// Computes a value to 200 bits and rounds it to doubles in both directions.
template <typename Compute>
Enclosure EncloseByMpfr(const Compute& compute) {
  mpfr_t y;
  mpfr_init2(y, 200);
  compute(y);
  Enclosure enclosure = {mpfr_get_d(y, MPFR_RNDD), mpfr_get_d(y, MPFR_RNDU)};
  // Widens the enclosure of an inexact value whose 200-bit result happens to be a double.
  bool looks_exact = enclosure.lo == enclosure.hi;
  mpfr_clear(y);
  if (looks_exact && std::isfinite(enclosure.lo) && mpfr_inexflag_p()) {
    enclosure = {NextDown(enclosure.lo), NextUp(enclosure.hi)};
  }
  return enclosure;
}

}  // namespace

const RealFunction* RealFunctionOf(Opcode opcode) {
  const FunctionRow* row = FunctionRowOf(opcode);
  return row == nullptr ? nullptr : &row->function;
}

Enclosure EncloseFunction(const RealFunction& function, double x, bool rigorous) {
  double value = function.value(x);
  // C defines f(±0) = ±0 and similar special values exactly.
  if (x == 0 || std::isinf(x)) {
    bool exact = value == 0 || value == 1 || std::isinf(value);
    return exact ? Enclosure{value, value} : EncloseByUlps(value, function.bound);
  }
  if (!rigorous) return EncloseByUlps(value, function.bound);
  return EncloseByMpfr([&](mpfr_t y) {
    mpfr_t argument;
    mpfr_init2(argument, 53);
    mpfr_set_d(argument, x, MPFR_RNDN);
    mpfr_clear_flags();
    FunctionRowOf(function.opcode)->mpfr(y, argument, MPFR_RNDN);
    mpfr_clear(argument);
  });
}

namespace {

Enclosure EncloseBinary(MpfrBinary function, double value, double x, double y, bool rigorous) {
  if (x == 0 || y == 0 || std::isinf(x) || std::isinf(y)) {
    bool exact = value == 0 || value == 1 || std::isinf(value);
    return exact ? Enclosure{value, value} : EncloseByUlps(value, kBinaryBound);
  }
  if (!rigorous) return EncloseByUlps(value, kBinaryBound);
  return EncloseByMpfr([&](mpfr_t result) {
    mpfr_t a, b;
    mpfr_init2(a, 53);
    mpfr_init2(b, 53);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    mpfr_clear_flags();
    function(result, a, b, MPFR_RNDN);
    mpfr_clear(a);
    mpfr_clear(b);
  });
}

}  // namespace

Enclosure EnclosePower(double x, double y, bool rigorous) {
  if (y == 1) return {x, x};
  return EncloseBinary(mpfr_pow, std::pow(x, y), x, y, rigorous);
}

Enclosure EncloseAtan2(double y, double x, bool rigorous) {
  return EncloseBinary(mpfr_atan2, std::atan2(y, x), y, x, rigorous);
}

int RealArguments(Opcode opcode) {
  if (FunctionRowOf(opcode) != nullptr) return 1;
  return BinaryRowOf(opcode) != nullptr ? 2 : 0;
}

std::optional<Enclosure> EncloseCall(Opcode opcode, double x, double y) {
  if (const RealFunction* function = RealFunctionOf(opcode)) {
    if (x < function->domain_lo || x > function->domain_hi) return std::nullopt;
    return EncloseFunction(*function, x, /*rigorous=*/false);
  }
  const BinaryRow& row = *BinaryRowOf(opcode);
  const double value = row.value(x, y);
  if (std::isnan(value)) return std::nullopt;
  return EncloseBinary(row.mpfr, value, x, y, /*rigorous=*/false);
}

double DistanceFromExact(Opcode opcode, double x, double y, double value) {
  mpfr_t exact, a, b;
  mpfr_init2(exact, 200);
  mpfr_init2(a, 53);
  mpfr_init2(b, 53);
  mpfr_set_d(a, x, MPFR_RNDN);
  mpfr_set_d(b, y, MPFR_RNDN);
  if (const FunctionRow* row = FunctionRowOf(opcode)) {
    row->mpfr(exact, a, MPFR_RNDN);
  } else {
    BinaryRowOf(opcode)->mpfr(exact, a, b, MPFR_RNDN);
  }
  mpfr_sub_d(exact, exact, value, MPFR_RNDN);
  const double distance = std::fabs(mpfr_get_d(exact, MPFR_RNDA));
  for (auto* number : {&exact, &a, &b}) mpfr_clear(*number);
  return distance;
}

}  // namespace hlocts
