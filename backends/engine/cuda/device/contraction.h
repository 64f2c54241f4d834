// SPDX-License-Identifier: Apache-2.0
// Sums of products: dot, ragged-dot, convolution. Terms are added in order, in the type that the
// host selects: f32 for floats up to 32 bits, f64, complex f64, integers modulo 2^64, or pred (the
// "or" of "and").
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_CONTRACTION_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_CONTRACTION_H_

#include "backends/engine/cuda/device/scatter.h"

namespace hl {

// Returns zero in one of the types of sums: kPred, kU64, kF32, kF64 or kC128.
HL_FN Value Zero(int type) {
  Value v;
  v.z = {0, 0};
  if (type == kF32) v.f = 0;
  return v;
}
HL_CALL Value Widened(int from, int to, Value x) {
  if (to == kU64 || to == kPred) return x;
  return Convert(from, to, x);
}
HL_CALL void Accumulate(int type, Value& sum, Value x, Value y) {
  switch (type) {
    case kPred:
      sum.u |= x.u & y.u;
      return;
    case kU64:
      sum.u += x.u * y.u;
      return;
    case kF32:
      sum.f += x.f * y.f;
      return;
    case kF64:
      sum.d += x.d * y.d;
      return;
    default:
      sum.z = Sum(sum.z, Product(x.z, y.z));
  }
}
// Stores a sum. Integers wrap; floats and complex numbers are rounded.
HL_CALL void StoreSum(int computed, int type, void* out, i64 i, Value sum) {
  const bool whole = computed == kU64 && ClassOf(type) <= kClassUnsigned;
  Value v;
  if (whole) {
    v.u = Wrap(type, sum.u);
  } else {
    v = computed == kU64 ? FromInteger(true, sum.u, type) : Convert(computed, type, sum);
  }
  Store(type, out, i, v);
}

// In a ragged dot, the sizes of the groups of rows or of terms are read from memory.
enum Ragged : int { kDense, kRaggedRows, kRaggedTerms };

struct DotArgs {
  int lhs_type, rhs_type, type, computed;
  const void* lhs;
  const void* rhs;
  void* out;
  View lhs_out, rhs_out;      // views of the result: offset of each operand's first term
  View lhs_terms, rhs_terms;  // views of the contracting dimensions
  i64 terms;
  int ragged, sizes_type;
  i64 groups, limit;       // number of groups; size of the ragged dimension
  View group_place;        // view of the result: row in the ragged dimension, or group
  i64 group_stride;        // for kRaggedRows: stride of groups in rhs
  i64 lhs_step, rhs_step;  // for kRaggedTerms: strides of the ragged dimension
  const void* sizes;
};
struct GroupRange {
  i64 group, begin, end;
};
// Returns the group that contains row `place` (kRaggedRows), or group `place`; -1 if there is none.
HL_FN GroupRange GroupOf(const DotArgs& a, i64 place) {
  i64 begin = 0;
  for (i64 g = 0; g < a.groups; ++g) {
    const i64 size = Clamped(IndexAt(a.sizes_type, a.sizes, g), 0, a.limit - begin);
    const bool found =
        a.ragged == kRaggedRows ? place >= begin && place < begin + size : g == place;
    if (found) return {g, begin, begin + size};
    begin += size;
  }
  return {-1, 0, 0};
}

// A contracting ragged dimension must be the outermost dimension of the terms.
HL_FN void DotAt(const DotArgs& a, i64 i) {
  i64 lhs = OffsetOf(a.lhs_out, i), rhs = OffsetOf(a.rhs_out, i), terms = a.terms;
  if (a.ragged != kDense) {
    const GroupRange range = GroupOf(a, OffsetOf(a.group_place, i));
    if (a.ragged == kRaggedRows) {
      if (range.group < 0) terms = 0;
      rhs += range.group * a.group_stride;
    } else {
      lhs += range.begin * a.lhs_step;
      rhs += range.begin * a.rhs_step;
      terms = range.group < 0 || a.limit == 0 ? 0 : a.terms / a.limit * (range.end - range.begin);
    }
  }
  Value sum = Zero(a.computed);
  Cursor x(a.lhs_terms), y(a.rhs_terms);
  for (i64 t = 0; t < terms; ++t) {
    Accumulate(a.computed, sum,
               Widened(a.lhs_type, a.computed, Load(a.lhs_type, a.lhs, lhs + x.at)),
               Widened(a.rhs_type, a.computed, Load(a.rhs_type, a.rhs, rhs + y.at)));
    x.Advance(a.lhs_terms);
    y.Advance(a.rhs_terms);
  }
  StoreSum(a.computed, a.type, a.out, i, sum);
}

struct SpatialAxis {
  i64 input, taps, output;  // sizes
  i64 input_stride, tap_stride;
  i64 stride, low, window_dilation, base_dilation, reversed;
};
struct ConvolutionArgs {
  int lhs_type, rhs_type, type, computed, spatial, reserved;
  const void* lhs;
  const void* rhs;
  void* out;
  View out_batch, out_feature, out_place[6];  // views of the result: coordinates of its elements
  i64 batch, features, inputs;                // sizes of the output; input features of a group
  i64 feature_groups, batch_groups;
  i64 lhs_batch, lhs_feature, rhs_input, rhs_output;  // strides
  SpatialAxis axes[6];
};
// Adds the offsets of tap t to lhs and rhs. Returns false if t is in padding or between elements.
HL_FN bool TapAt(const ConvolutionArgs& a, const i64* position, i64 t, i64& lhs, i64& rhs) {
  for (int d = a.spatial - 1; d >= 0; --d) {
    const SpatialAxis& axis = a.axes[d];
    const i64 tap = t % axis.taps;
    t /= axis.taps;
    const i64 place = position[d] * axis.stride + tap * axis.window_dilation - axis.low;
    if (place < 0 || place % axis.base_dilation != 0) return false;
    if (place / axis.base_dilation >= axis.input) return false;
    lhs += place / axis.base_dilation * axis.input_stride;
    rhs += (axis.reversed != 0 ? axis.taps - 1 - tap : tap) * axis.tap_stride;
  }
  return true;
}
HL_FN void ConvolutionAt(const ConvolutionArgs& a, i64 i) {
  const i64 b = OffsetOf(a.out_batch, i), o = OffsetOf(a.out_feature, i);
  i64 position[6], taps = 1;
  for (int d = 0; d < a.spatial; ++d) {
    position[d] = OffsetOf(a.out_place[d], i);
    taps *= a.axes[d].taps;
  }
  const i64 from = a.batch_groups > 1 ? b + o / (a.features / a.batch_groups) * a.batch : b;
  const i64 first = a.feature_groups > 1 ? o / (a.features / a.feature_groups) * a.inputs : 0;
  Value sum = Zero(a.computed);
  for (i64 t = 0; t < taps; ++t) {
    i64 lhs = from * a.lhs_batch + first * a.lhs_feature, rhs = o * a.rhs_output;
    if (!TapAt(a, position, t, lhs, rhs)) continue;
    for (i64 c = 0; c < a.inputs; ++c) {
      Accumulate(a.computed, sum,
                 Widened(a.lhs_type, a.computed, Load(a.lhs_type, a.lhs, lhs + c * a.lhs_feature)),
                 Widened(a.rhs_type, a.computed, Load(a.rhs_type, a.rhs, rhs + c * a.rhs_input)));
    }
  }
  StoreSum(a.computed, a.type, a.out, i, sum);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_CONTRACTION_H_
