// SPDX-License-Identifier: Apache-2.0
// How small an error is found how deep in a module: errors planted at one element of one
// instruction, found from the outputs alone or from pieces; and how many bits the sets leave
// checked.
#ifndef HLOCTS_TOOLS_SELFCHECK_CURVES_H_
#define HLOCTS_TOOLS_SELFCHECK_CURVES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spec/ir/primitive_type.h"
#include "tools/selfcheck/chains.h"

namespace hlocts::tools {

struct CurvePoint {
  PrimitiveType type = PrimitiveType::kF32;
  int depth = 8;
  ChainKind kind = ChainKind::kElementwise;  // kExact: errors of one ulp
  double factor = 4;                         // of max(bound, 1 ulp); of sums, of their bound
  int64_t injections = 0, masked = 0;        // masked: no output bit changed
  int64_t by_outputs = 0, by_cut_2 = 0, by_cut_1 = 0, by_first_order = 0;
  double Share(int64_t found) const;  // of those not masked, in percent
};

// Modules of `type` and that depth, one injection at each step.
CurvePoint MeasureDetection(PrimitiveType type, int depth, ChainKind kind, double factor,
                            int modules, uint64_t seed);

struct BitsPoint {
  PrimitiveType type = PrimitiveType::kF32;
  int depth = 1;
  ChainKind kind = ChainKind::kElementwise;
  int64_t elements = 0;
  double median = 0, percentile5 = 0, below_two_share = 0;
};
BitsPoint MeasureEffectiveBits(PrimitiveType type, int depth, ChainKind kind, int modules,
                               uint64_t seed);

std::string CurveText(const std::vector<CurvePoint>& points, const std::vector<BitsPoint>& bits);
// The whole table, of so many modules a line.
std::string MeasureCurves(uint64_t seed, int modules);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_CURVES_H_
