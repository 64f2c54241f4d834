// SPDX-License-Identifier: Apache-2.0
// Tests that tiled products and split scatters have the reference's values.
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "backends/contract/engines/engines_testing.h"

namespace hlocts::backends {
namespace {

// Scatters with more updates of one element than a thread processes, so that the sorted updates are
// split at all lengths: all at one element, in runs, and spread, some out of bounds.
TEST(ProductsTest, LongRunsOfAScatterAreTheReferences) {
  const std::string text =
      "f { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT c = TYPE[] OP(a, b) }\n"
      "g { a = TYPE[] parameter(0) b = s8[] parameter(1) c = TYPE[] parameter(2)\n"
      " d = s8[] parameter(3) x = TYPE[] OP(a, c) y = s8[] maximum(b, d)\n"
      " ROOT r = (TYPE[], s8[]) tuple(x, y) }\n"
      "ENTRY e { p = s8[5] parameter(0) q = s8[9000] parameter(1) s = TYPE[5] convert(p)\n"
      " u = TYPE[9000] convert(q) k = s32[9000] iota(), iota_dimension=0 n = s32[] constant(BY)\n"
      " m = s32[9000] broadcast(n), dimensions={} i = s32[9000] INDEX(k, m)\n"
      " t = TYPE[5] scatter(s, i, u), update_window_dims={}, inserted_window_dims={0},\n"
      " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n"
      " v = (TYPE[5], s8[5]) scatter(s, p, i, u, q), update_window_dims={},\n"
      " inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=g\n"
      " w = TYPE[5] get-tuple-element(v), index=0 x = s8[5] get-tuple-element(v), index=1\n"
      " ROOT r = (TYPE[5], TYPE[5], s8[5]) tuple(t, w, x) }";
  for (const char* type : {"s16", "f32", "c64"}) {
    for (const auto& [index, by] : std::vector<std::pair<const char*, const char*>>{
             {"divide", "9999"}, {"divide", "1700"}, {"divide", "63"}, {"remainder", "7"}}) {
      const std::string all =
          absl::StrReplaceAll(text, {{"TYPE", type}, {"OP", "add"}, {"INDEX", index}, {"BY", by}});
      SCOPED_TRACE(all);
      ExpectSame(RunOn("reference", all), RunOn(TestEngine(), all));
    }
  }
}

// Products in shared memory: sizes that are or are not multiples of a tile, contiguous and strided
// operands.
TEST(ProductsTest, ProductsByTilesAreTheReferences) {
  const std::string text =
      "ENTRY e { p = s8[2,33,40] parameter(0) q = s8[40,2,70] parameter(1)\n"
      " a = TYPE[2,33,40] convert(p) b = TYPE[40,2,70] convert(q)\n"
      " c = TYPE[2,33,70] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={1},\n"
      " lhs_contracting_dims={2}, rhs_contracting_dims={0}\n"
      " s = s8[9,32] parameter(2) t = s8[64,9] parameter(3) d = TYPE[9,32] convert(s)\n"
      " f = TYPE[64,9] convert(t) g = TYPE[32,64] dot(d, f), lhs_contracting_dims={0},\n"
      " rhs_contracting_dims={1} ROOT r = (TYPE[2,33,70], TYPE[32,64]) tuple(c, g) }";
  for (const char* type : {"s32", "u8", "s64", "pred", "f32", "f64"}) {
    const std::string all = absl::StrReplaceAll(text, {{"TYPE", type}});
    SCOPED_TRACE(all);
    ExpectSame(RunOn("reference", all), RunOn(TestEngine() + "&libraries=never", all));
  }
}

}  // namespace
}  // namespace hlocts::backends
