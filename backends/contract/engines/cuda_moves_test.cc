// SPDX-License-Identifier: Apache-2.0
// Tests operations that only move values: copies by tiles and in wider elements, sorts by rank,
// NaNs in complex numbers. All bits must equal those of the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "backends/contract/engines/engines_testing.h"

namespace hlocts::backends {
namespace {

void ExpectTheReferences(const std::string& text, const std::vector<Literal>& arguments = {}) {
  const auto wanted = RunOn("reference", text, {}, arguments);
  for (const char* option : {"&jit=never", "&jit=always&libraries=always"}) {
    SCOPED_TRACE(text + option);
    ExpectSame(wanted, RunOn(TestEngine() + option, text, {}, arguments));
  }
}

TEST(MovesTest, TransposesOfAllWidths) {
  for (const char* type : {"s8", "bf16", "f32", "c64", "c128"}) {
    ExpectTheReferences(absl::StrCat("ENTRY e { a = ", type, "[33,70] parameter(0) ROOT r = ", type,
                                     "[70,33] transpose(a), dimensions={1,0} }"));
    ExpectTheReferences(absl::StrCat("ENTRY e { a = ", type, "[3,20,2,40] parameter(0) ROOT r = ",
                                     type, "[40,2,3,20] transpose(a), dimensions={3,2,0,1} }"));
  }
  // A transpose of a slice, and a transpose that is smaller than a tile.
  ExpectTheReferences(
      "ENTRY e { a = f32[64,64] parameter(0) s = f32[40,50] slice(a), "
      "slice={[3:43],[7:57]} ROOT r = f32[50,40] transpose(s), dimensions={1,0} }");
  ExpectTheReferences(
      "ENTRY e { a = f32[3,5] parameter(0) ROOT r = f32[5,3] transpose(a), "
      "dimensions={1,0} }");
}

// Loops that read transposed arrays. The emitted code first transposes the arrays tile by tile.
TEST(MovesTest, LoopsOverTransposedArrays) {
  for (const char* type : {"s8", "f32", "c128"}) {
    const std::string t = type;
    ExpectTheReferences(
        "ENTRY e { a = " + t + "[33,70] parameter(0) b = " + t + "[70,33] parameter(1) u = " + t +
        "[70,33] transpose(a), dimensions={1,0}" + " c = " + t + "[70,33] add(u, b) d = " + t +
        "[70,33] subtract(b, u) s = " + t + "[40,20] slice(u), slice={[1:41],[5:25]} n = " + t +
        "[40,20] negate(s) ROOT r = (" + t + "[70,33], " + t + "[70,33], " + t +
        "[40,20]) tuple(c, d, n) }");
  }
}

// Attributes may be any int64. In a dimension with one element, even a stride that exceeds the size
// of any array is valid.
TEST(MovesTest, PadsAndWindowsNearTheEndsOfInt64) {
  const std::string pad =
      "s32[3,2] pad(a, z), padding=-9223372036854775807_2_9223372036854775806x0_0 ";
  ExpectTheReferences("ENTRY e { a = s32[2,2] parameter(0) z = s32[] constant(7) ROOT r = " + pad +
                      "}");
  ExpectTheReferences(
      "ENTRY e { a = s32[2,2] parameter(0) z = s32[] constant(7) b = s32[3,2] parameter(1) p = " +
      pad + "ROOT r = s32[3,2] add(p, b) }");
  const std::string far =
      "window={size=1 stride=9223372036854775807 "
      "lhs_dilate=9223372036854775807 rhs_dilate=9223372036854775807}";
  ExpectTheReferences(
      "plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }\n"
      "ENTRY e { a = s32[1] parameter(0) z = s32[] constant(2)\n"
      " ROOT r = s32[1] reduce-window(a, z), " +
      far + ", to_apply=plus }");
  ExpectTheReferences(
      "ENTRY e { a = s32[2,3,1] parameter(0) b = s32[4,3,1] parameter(1)\n"
      " ROOT r = s32[2,4,1] convolution(a, b), " +
      far + ", dim_labels=bf0_oi0->bf0 }");
}

TEST(MovesTest, RunsThatAreWiderThanAnElement) {
  ExpectTheReferences(
      "ENTRY e { a = s8[6,64] parameter(0) b = s8[6,32] parameter(1)\n"
      " ROOT r = s8[6,96] concatenate(a, b), dimensions={1} }");
  ExpectTheReferences(
      "ENTRY e { a = s8[6,64] parameter(0) b = s8[6,31] parameter(1)\n"
      " ROOT r = s8[6,95] concatenate(a, b), dimensions={1} }");
  ExpectTheReferences(
      "ENTRY e { a = f32[9,64] parameter(0) s = f32[4,16] slice(a), "
      "slice={[1:9:2],[8:24]} ROOT r = f32[4,16] copy(s) }");
  ExpectTheReferences(
      "ENTRY e { a = bf16[5,24] parameter(0) ROOT r = bf16[5,24] reverse(a), "
      "dimensions={0} }");
}

std::vector<Literal> KeysWithNans(int64_t count) {
  Literal keys(Shape(PrimitiveType::kF32, {count}));
  auto data = keys.mutable_data<float>();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t k = i * 7919 % 101;
    data[i] = k < 4    ? std::nanf("")
              : k < 8  ? -std::nanf("")
              : k < 12 ? -0.0f
              : k < 16 ? 0.0f
              : k < 18 ? std::numeric_limits<float>::infinity()
                       : static_cast<float>(k - 50);
  }
  return {keys};
}

std::string SortText(const std::string& comparator, bool stable) {
  return absl::StrCat(
      "less { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2)\n"
      " j = s32[] parameter(3) ",
      comparator, " }\nENTRY e { k = f32[600] parameter(0) v = s32[600] iota(), iota_dimension=0\n",
      " ROOT s = (f32[600], s32[600]) sort(k, v), dimensions={0}, is_stable=",
      stable ? "true" : "false", ", to_apply=less }");
}

// With JAX's comparator, the engine sorts by rank. With an IEEE comparator, it sorts by rank if
// there are no NaNs, otherwise by merging.
TEST(MovesTest, StableSortsByRank) {
  const std::string alike =
      "z = f32[] constant(0) n = f32[] constant(nan)\n"
      " az = pred[] compare(a, z), direction=EQ ac = f32[] select(az, z, a)\n"
      " an = pred[] compare(a, a), direction=NE ak = f32[] select(an, n, ac)\n"
      " bz = pred[] compare(b, z), direction=EQ bc = f32[] select(bz, z, b)\n"
      " bn = pred[] compare(b, b), direction=NE bk = f32[] select(bn, n, bc)\n";
  for (const char* direction : {"LT", "GT"}) {
    ExpectTheReferences(SortText(absl::StrCat(alike, " ROOT r = pred[] compare(ak, bk), direction=",
                                              direction, ", type=TOTALORDER"),
                                 true),
                        KeysWithNans(600));
    std::vector<Literal> numbers = KeysWithNans(600);
    for (float& x : numbers[0].mutable_data<float>()) x = std::isnan(x) ? 3 : x;
    ExpectTheReferences(
        SortText(absl::StrCat(" ROOT r = pred[] compare(a, b), direction=", direction), true),
        numbers);
  }
}

// Sorts by several keys of different types and orders, with many ties, by JAX's comparator.
TEST(MovesTest, SortsByMoreThanOneKey) {
  const std::string head =
      "less { a = s16[] parameter(0) b = s16[] parameter(1) c = f32[] parameter(2)\n"
      " d = f32[] parameter(3) e = u8[] parameter(4) f = u8[] parameter(5)\n"
      " i = s32[] parameter(6) j = s32[] parameter(7)\n";
  const std::string body =
      " l0 = pred[] compare(a, b), direction=LT q0 = pred[] compare(a, b), direction=EQ\n"
      " l1 = pred[] compare(c, d), direction=GT, type=TOTALORDER\n"
      " q1 = pred[] compare(d, c), direction=EQ, type=TOTALORDER\n"
      " l2 = pred[] compare(f, e), direction=LT\n";
  const std::string entry =
      "ENTRY m { k = s8[4,90,3] parameter(0) c3 = s8[] constant(3)\n"
      " t = s8[4,90,3] broadcast(c3), dimensions={} r = s8[4,90,3] remainder(k, t)\n"
      " x = s16[4,90,3] convert(r) v = u8[4,90,3] parameter(1) c5 = u8[] constant(5)\n"
      " w = u8[4,90,3] broadcast(c5), dimensions={} y = u8[4,90,3] remainder(v, w)\n"
      " z = f32[4,90,3] convert(r) n = s32[4,90,3] iota(), iota_dimension=1\n"
      " ROOT s = (s16[4,90,3], f32[4,90,3], u8[4,90,3], s32[4,90,3]) sort(x, z, y, n),"
      " dimensions={1}, is_stable=true, to_apply=less }";
  for (const char* root : {" a1 = pred[] and(q1, l2) o1 = pred[] or(l1, a1)\n"
                           " a0 = pred[] and(q0, o1) ROOT o0 = pred[] or(l0, a0) }\n",
                           " a1 = pred[] and(l2, q1) o1 = pred[] or(a1, l1)\n"
                           " a0 = pred[] and(o1, q0) ROOT o0 = pred[] or(a0, l0) }\n"}) {
    ExpectTheReferences(head + body + root + entry);
  }
  // This comparator tests the second key for equality, but does not order by it.
  ExpectTheReferences(head + body + " a0 = pred[] and(q1, l2) ROOT o0 = pred[] or(l0, a0) }\n" +
                      entry);
}

TEST(MovesTest, ComplexNansKeepTheirBits) {
  Literal parts(Shape(PrimitiveType::kF32, {4}));
  auto data = parts.mutable_data<uint32_t>();
  const uint32_t bits[] = {0x7fc00001, 0xffc12345, 0x7f800000, 0x3f800000};
  std::copy(std::begin(bits), std::end(bits), data.begin());
  ExpectTheReferences(
      "ENTRY e { p = f32[4] parameter(0) q = f32[4] parameter(1) c = c64[4] complex(p, q)\n"
      " m = pred[4] constant({1, 0, 1, 0}) d = c64[4] complex(q, p) s = c64[4] select(m, c, d)\n"
      " re = f32[4] real(s) im = f32[4] imag(s) ROOT t = (c64[4], f32[4], f32[4]) tuple(s, re, im) "
      "}",
      {parts, parts});
}

}  // namespace
}  // namespace hlocts::backends
