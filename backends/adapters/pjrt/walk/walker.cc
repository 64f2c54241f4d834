// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/walk/walker.h"

#include <algorithm>
#include <cstring>

namespace hlocts::backends {
namespace {

constexpr uintptr_t kAlignment = 64;

WalkShape F32(std::vector<int64_t> dimensions) {
  return {PrimitiveType::kF32, PJRT_Buffer_Type_F32, std::move(dimensions)};
}
WalkShape S32(std::vector<int64_t> dimensions) {
  return {PrimitiveType::kS32, PJRT_Buffer_Type_S32, std::move(dimensions)};
}
WalkShape U8(std::vector<int64_t> dimensions) {
  return {PrimitiveType::kU8, PJRT_Buffer_Type_U8, std::move(dimensions)};
}

// Applies f to each number, read as type T.
template <class T, class F>
Bytes Each(const Bytes& from, const F& f) {
  Bytes to = from;
  for (size_t at = 0; at + sizeof(T) <= to.size(); at += sizeof(T)) {
    T x;
    std::memcpy(&x, &to[at], sizeof(T));
    x = f(x, at);
    std::memcpy(&to[at], &x, sizeof(T));
  }
  return to;
}

Bytes NegatedF32(const Bytes& x) {
  return Each<uint32_t>(x, [](uint32_t bits, size_t) { return bits ^ 0x80000000u; });
}
Bytes NegatedS32(const Bytes& x) {
  return Each<uint32_t>(x, [](uint32_t n, size_t) { return 0 - n; });
}
Bytes SumS32(const Bytes& a, const Bytes& b) {
  return Each<uint32_t>(a, [&](uint32_t n, size_t at) {
    uint32_t m;
    std::memcpy(&m, &b[at], sizeof(m));
    return n + m;
  });
}
Bytes OfS32(std::vector<int32_t> numbers) {
  Bytes bytes(numbers.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

using Values = std::vector<Bytes>;

const WalkProgram kPrograms[] = {
    {"negate",
     "HloModule m\nENTRY e { p = f32[4,3] parameter(0) ROOT r = f32[4,3] negate(p) }",
     {F32({4, 3})},
     {F32({4, 3})},
     [](const Values& p) { return Values{NegatedF32(p[0])}; }},
    {"add",
     "HloModule m\nENTRY e { p = s32[5] parameter(0) q = s32[5] parameter(1)\n"
     " ROOT r = s32[5] add(p, q) }",
     {S32({5}), S32({5})},
     {S32({5})},
     [](const Values& p) { return Values{SumS32(p[0], p[1])}; }},
    // The result is the unchanged parameter, in another buffer with a separate lifetime.
    {"forward",
     "HloModule m\nENTRY e { p = u8[7] parameter(0) o = u8[] constant(1)\n"
     " b = u8[7] broadcast(o), dimensions={} q = u8[7] add(p, b)\n"
     " ROOT r = (u8[7], u8[7], u8[7]) tuple(p, q, p) }",
     {U8({7})},
     {U8({7}), U8({7}), U8({7})},
     [](const Values& p) {
       Bytes more = p[0];
       for (uint8_t& n : more) ++n;
       return Values{p[0], more, p[0]};
     }},
    {"scalar",
     "HloModule m\nENTRY e { p = f32[] parameter(0) ROOT r = f32[] negate(p) }",
     {F32({})},
     {F32({})},
     [](const Values& p) { return Values{NegatedF32(p[0])}; }},
    {"empty",
     "HloModule m\nENTRY e { p = s32[0,2] parameter(0) ROOT r = s32[0,2] negate(p) }",
     {S32({0, 2})},
     {S32({0, 2})},
     [](const Values& p) { return p; }},
    {"long",
     "HloModule m\nENTRY e { p = s32[4096] parameter(0) ROOT r = s32[4096] negate(p) }",
     {S32({4096})},
     {S32({4096})},
     [](const Values& p) { return Values{NegatedS32(p[0])}; }},
    {"no arguments",
     "HloModule m\nENTRY e { ROOT r = s32[5] constant({1, 2, 3, 4, 5}) }",
     {},
     {S32({5})},
     [](const Values&) {
       return Values{OfS32({1, 2, 3, 4, 5})};
     }},
    {"in place",
     "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
     "ENTRY e { p = s32[5] parameter(0) ROOT r = s32[5] add(p, p) }",
     {S32({5})},
     {S32({5})},
     [](const Values& p) { return Values{SumS32(p[0], p[0])}; },
     /*donates=*/true},
};

}  // namespace

absl::Span<const WalkShape> WalkShapes() {
  static const auto* shapes =
      new std::vector<WalkShape>{F32({4, 3}),
                                 S32({5}),
                                 U8({7}),
                                 F32({}),
                                 S32({0, 2}),
                                 S32({4096}),
                                 {PrimitiveType::kBF16, PJRT_Buffer_Type_BF16, {6}},
                                 {PrimitiveType::kPred, PJRT_Buffer_Type_PRED, {3}}};
  return *shapes;
}

std::string WalkShapeText(const WalkShape& shape) {
  return Shape(shape.type, shape.dimensions).ToString(false);
}

absl::Span<const WalkProgram> WalkPrograms() { return kPrograms; }

HostMemory::HostMemory(const Bytes& bytes)
    : storage_(bytes.size() + kAlignment), data_(storage_.data()), size_(bytes.size()) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(data_);
  data_ += (kAlignment - at % kAlignment) % kAlignment;
  std::copy(bytes.begin(), bytes.end(), data_);
}

}  // namespace hlocts::backends
