// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/ulps.h"

#include <algorithm>
#include <cmath>

#include "spec/judge/functions.h"

namespace hlocts {
namespace {

bool IsNormal(double x, const FloatFacts& facts) {
  return std::fabs(x) >= facts.min_normal && std::fabs(x) <= facts.max;  // false for NaN
}

}  // namespace

std::optional<double> UlpsFromExact(Opcode opcode, double x, double y, double value,
                                    const FloatFacts& facts, double worst) {
  const bool two = RealArguments(opcode) == 2;
  if (!IsNormal(x, facts) || (two && !IsNormal(y, facts)) || !IsNormal(value, facts))
    return std::nullopt;
  const std::optional<Enclosure> exact = EncloseCall(opcode, x, y);
  if (!exact || !IsNormal(exact->lo, facts) || !IsNormal(exact->hi, facts)) return std::nullopt;
  const double ulp = facts.Ulp(exact->lo / 2 + exact->hi / 2);
  // `ulps` is too large by at most the enclosure's width, which is negligible except for f64.
  const double ulps = std::max(std::fabs(value - exact->lo), std::fabs(value - exact->hi)) / ulp;
  if (ulps <= worst || !facts.is_f64) return ulps;
  return DistanceFromExact(opcode, x, y, value) / ulp;
}

}  // namespace hlocts
