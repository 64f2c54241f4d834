// SPDX-License-Identifier: Apache-2.0
// Random bits that are specified exactly (Salmon et al. 2011: ThreeFry-2x32 with 20 rounds and
// Philox-4x32 with 10), and draws from distributions. Draws use a Philox stream that this engine
// defines.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_RANDOM_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_RANDOM_H_

#include "backends/engine/cuda/device/linear.h"

namespace hl {

struct Words {
  u32 w[4];
};

HL_FN u32 Rotated(u32 x, int by) { return x << by | x >> (32 - by); }
HL_CALL Words ThreeFry(u64 key, u64 counter) {
  const u32 k0 = static_cast<u32>(key), k1 = static_cast<u32>(key >> 32);
  const u32 keys[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
  const int turns[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  u32 x = static_cast<u32>(counter) + k0, y = static_cast<u32>(counter >> 32) + k1;
  for (u32 group = 0; group < 5; ++group) {
    for (int r = 0; r < 4; ++r) {
      x += y;
      y = Rotated(y, turns[group % 2 * 4 + r]) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return {{x, y, 0, 0}};
}
HL_CALL Words Philox(u64 key, u64 low, u64 high) {
  u32 k0 = static_cast<u32>(key), k1 = static_cast<u32>(key >> 32);
  u32 a = static_cast<u32>(low), b = static_cast<u32>(low >> 32);
  u32 c = static_cast<u32>(high), d = static_cast<u32>(high >> 32);
  for (int round = 0; round < 10; ++round) {
    const u64 p = 0xD2511F53ull * a, q = 0xCD9E8D57ull * c;
    a = static_cast<u32>(q >> 32) ^ b ^ k0;
    b = static_cast<u32>(q);
    c = static_cast<u32>(p >> 32) ^ d ^ k1;
    d = static_cast<u32>(p);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}
HL_FN u64 Pair(u32 low, u32 high) { return low | static_cast<u64>(high) << 32; }

// rng-bit-generator. The first word of the state is the key; the others are the counter. If there
// is only one other word, Philox uses the key as the counter's upper word. `moved` is added to the
// counter.
struct BitsArgs {
  int type, three_fry, words, reserved;
  i64 size, half, inner;  // split dimension of ThreeFry; inner 0: no split
  u64 moved;
  const u64* state;
  u64* next;
  void* out;
};
HL_FN u64 UpperCounter(const BitsArgs& a) { return a.words == 3 ? a.state[2] : a.state[0]; }
HL_FN void BitsAt(const BitsArgs& a, i64 i) {
  const bool wide = BitsOf(a.type) == 64;
  const u64 key = a.state[0], counter = a.state[1];
  u64 bits;
  if (a.three_fry != 0 && a.inner == 0) {
    const Words w = ThreeFry(key, counter + static_cast<u64>(i));
    bits = wide ? Pair(w.w[0], w.w[1]) : w.w[0];
  } else if (a.three_fry != 0) {
    // Two adjacent elements of the split dimension share a counter.
    const i64 at = i / a.inner % a.size, outer = i / a.inner / a.size;
    const i64 pair = (outer * a.half + at / 2) * a.inner + i % a.inner;
    bits = ThreeFry(key, counter + static_cast<u64>(pair)).w[at % 2];
  } else {
    const i64 each = wide ? 2 : 4;
    const u64 low = counter + static_cast<u64>(i / each);
    const Words w = Philox(key, low, UpperCounter(a) + (low < counter ? 1 : 0));
    const i64 k = i % each;
    bits = wide ? Pair(w.w[2 * k], w.w[2 * k + 1]) : w.w[k];
  }
  const int of = ClassOf(a.type);
  if (of == kClassSigned || of == kClassUnsigned) bits = Wrap(a.type, bits);
  if (a.type == kF4E2M1FN) bits &= 15;
  StoreBits(BytesOf(a.type), a.out, i, bits);
}
// Computes one word of the state per thread.
HL_FN void NextStateAt(const BitsArgs& a, i64 i) {
  const u64 low = a.state[1] + a.moved;
  if (i == 0) a.next[0] = a.state[0];
  if (i == 1) a.next[1] = low;
  if (i == 2) a.next[2] = a.state[2] + (low < a.state[1] ? 1 : 0);
}

// rng. `a` and `b` point to the parameters of the distribution.
struct DrawArgs {
  int type, normal;
  u64 seed, stream;
  const void* a;
  const void* b;
  void* out;
};
HL_FN double UnitInterval(u64 bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
HL_FN Words DrawOf(const DrawArgs& a, i64 i, u64 attempt) {
  return Philox(a.seed ^ 0x94D049BB133111EBull, static_cast<u64>(i), a.stream << 8 | attempt);
}
// Returns a value in [low, high). If a draw rounds to high, draws again, at most 63 times.
HL_FN double UniformReal(const DrawArgs& a, i64 i, double low, double high) {
  for (u64 attempt = 0; low < high && attempt < 64; ++attempt) {
    const Words w = DrawOf(a, i, attempt);
    const double u = UnitInterval(Pair(w.w[0], w.w[1]));
    const double x = Convert(a.type, kF64, FromDouble(a.type, low * (1 - u) + high * u)).d;
    if (x >= low && x < high) return x;
  }
  return low;
}
HL_FN void DrawAt(const DrawArgs& a, i64 i) {
  const int of = ClassOf(a.type);
  if (of == kClassFloat || of == kClassDouble) {
    const double low = LoadDouble(a.type, a.a, 0), high = LoadDouble(a.type, a.b, 0);
    double x;
    if (a.normal != 0) {
      const Words w = DrawOf(a, i, 0);
      const double size = Sqrt(-2 * Log(1 - UnitInterval(Pair(w.w[0], w.w[1]))));
      x = low + high * size * Cosine(6.283185307179586 * UnitInterval(Pair(w.w[2], w.w[3])));
    } else {
      x = UniformReal(a, i, low, high);
    }
    StoreDouble(a.type, a.out, i, x);
    return;
  }
  const u64 low = Load(a.type, a.a, 0).u, high = Load(a.type, a.b, 0).u;
  const Words w = DrawOf(a, i, 0);
  Value v;
  v.u = low;
  if (IntegerLess(of == kClassSigned, low, high)) {
    v.u = Wrap(a.type, low + UpperHalf(Pair(w.w[0], w.w[1]), high - low));
  }
  Store(a.type, a.out, i, v);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_RANDOM_H_
