// SPDX-License-Identifier: Apache-2.0
// select-and-scatter: sums of floats in vectors, everything else here, element by element: windows
// in row-major order, one batch of leading dimensions at a time.
#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/kernels/gather_scatter/combine.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/window/window.h"
#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"

namespace hlocts::kernels {
namespace {

using Dimensions = absl::InlinedVector<WindowDimensionSpec, 4>;

template <typename V>
bool Keeps(WindowSelect select, V kept, V candidate) {
  switch (select) {
    case WindowSelect::kGe:
      return kept >= candidate;
    case WindowSelect::kGt:
      return kept > candidate;
    case WindowSelect::kLe:
      return kept <= candidate;
    default:
      return kept < candidate;
  }
}

// Element `number` of [dims...] to its index, and row-major strides of the operand.
struct Geometry {
  absl::InlinedVector<int64_t, 4> strides, source_sizes;
  int64_t inputs = 1, outputs = 1, taps = 1;
};

Geometry GeometryOf(const Dimensions& dimensions) {
  Geometry g;
  g.strides.resize(dimensions.size());
  for (size_t d = dimensions.size(); d-- > 0;) {
    g.strides[d] = g.inputs;
    g.inputs *= dimensions[d].input_size;
    g.outputs *= dimensions[d].output_size;
    g.taps *= dimensions[d].size;
  }
  return g;
}

// Operand offset of tap `tap` in the window of source element `source`; -1 in the padding.
int64_t TapOffset(const Dimensions& dimensions, const Geometry& g,
                  const absl::InlinedVector<int64_t, 4>& source, int64_t tap) {
  int64_t offset = 0;
  for (size_t d = dimensions.size(); d-- > 0;) {
    const WindowDimensionSpec& w = dimensions[d];
    const int64_t at = source[d] * w.stride + tap % w.size - w.padding_low;
    tap /= w.size;
    if (at < 0 || at >= w.input_size) return -1;
    offset += at * g.strides[d];
  }
  return offset;
}

// The element that survives the window; -1 if the window holds nothing but padding.
template <typename V>
int64_t Selected(const SelectAndScatterRequest& r, const Dimensions& dimensions, const Geometry& g,
                 const absl::InlinedVector<int64_t, 4>& source, const V* operand) {
  int64_t kept = -1;
  for (int64_t tap = 0; tap < g.taps; ++tap) {
    const int64_t at = TapOffset(dimensions, g, source, tap);
    if (at < 0) continue;
    if (kept < 0 || !Keeps(r.select, operand[kept], operand[at])) kept = at;
  }
  return kept;
}

// One part [first_input, +g.inputs) with its own source elements; `operand` in a comparable type.
template <typename V>
void RunPart(const SelectAndScatterRequest& r, const Dimensions& dimensions, const Geometry& g,
             const V* operand, const char* source, char* output) {
  const int bytes = StorageBytes(r.type);
  const CombineFunction combine = CombineFor(r.scatter, r.type);
  absl::InlinedVector<int64_t, 4> index(dimensions.size(), 0);
  for (int64_t i = 0; i < g.outputs; ++i) {
    const int64_t at = Selected(r, dimensions, g, index, operand);
    if (at >= 0) {
      combine(r.scatter, {r.type, output + at * bytes, source + i * bytes, 1, 1, 1});
    }
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < dimensions[d].output_size) break;
      index[d] = 0;
    }
  }
}

// Leading dimensions without a window are independent parts for the pool.
template <typename V>
void RunParts(const Parallel& parallel, const SelectAndScatterRequest& r, const V* operand) {
  int64_t parts = 1;
  size_t first = 0;
  while (first < r.dimensions.size() && IsTrivial(r.dimensions[first])) {
    parts *= r.dimensions[first++].input_size;
  }
  const Dimensions rest(r.dimensions.begin() + first, r.dimensions.end());
  const Geometry g = GeometryOf(rest);
  const int bytes = StorageBytes(r.type);
  parallel.For(parts, 5.0 * g.outputs * g.taps + 1.0 * g.inputs, [&](int64_t part, int64_t end) {
    for (; part < end; ++part) {
      char* output = static_cast<char*>(r.output) + part * g.inputs * bytes;
      for (int64_t i = 0; i < g.inputs; ++i) std::memcpy(output + i * bytes, r.init, bytes);
      RunPart(r, rest, g, operand + part * g.inputs,
              static_cast<const char*>(r.source) + part * g.outputs * bytes, output);
    }
  });
}

template <typename Stored, typename V, typename Decode>
absl::Status RunDecoded(const Parallel& parallel, const SelectAndScatterRequest& r, Decode decode) {
  int64_t count = 1;
  for (const WindowDimensionSpec& d : r.dimensions) count *= d.input_size;
  const int64_t bytes = count * static_cast<int64_t>(sizeof(V));
  const Scratch copy(bytes);
  if (!copy.ok()) return OutOfScratch(bytes);
  const Stored* from = static_cast<const Stored*>(r.operand);
  for (int64_t i = 0; i < count; ++i) copy.As<V>()[i] = decode(from[i]);
  RunParts<V>(parallel, r, copy.As<V>());
  return absl::OkStatus();
}

template <typename Stored>
absl::Status RunAs(const Parallel& parallel, const SelectAndScatterRequest& r) {
  RunParts(parallel, r, static_cast<const Stored*>(r.operand));
  return absl::OkStatus();
}

absl::Status RunInteger(const Parallel& parallel, const SelectAndScatterRequest& r) {
  return VisitInteger(r.type, [&](auto zero) { return RunAs<decltype(zero)>(parallel, r); });
}

absl::Status CheckWindows(const SelectAndScatterRequest& r, int64_t& inputs) {
  absl::InlinedVector<int64_t, 6> in, out;
  for (const WindowDimensionSpec& d : r.dimensions) {
    if (d.size < 1 || d.stride < 1 || d.base_dilation != 1 || d.window_dilation != 1) {
      return InvalidInput("select-and-scatter: a window that is not one, or a dilated one");
    }
    in.push_back(d.input_size);
    out.push_back(d.output_size);
  }
  int64_t outputs = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements(in, inputs));
  return CountElements(out, outputs);
}

}  // namespace

absl::Status SelectAndScatter(const Parallel& parallel, const SelectAndScatterRequest& r) {
  if (IsComplex(r.type) || !ReduceSupported(r.scatter, r.type)) {
    return Unsupported("select-and-scatter of ", PrimitiveTypeName(r.type));
  }
  int64_t inputs = 0;
  HLOCTS_RETURN_IF_ERROR(CheckWindows(r, inputs));
  if (inputs == 0) return absl::OkStatus();
  if (IsFloat(r.type) && r.scatter == ReduceKind::kAdd && r.operand != nullptr) {
    return Kernels().select_and_scatter(parallel, r);
  }
  if (r.type == PrimitiveType::kF32) return RunAs<float>(parallel, r);
  if (r.type == PrimitiveType::kF64) return RunAs<double>(parallel, r);
  if (!IsFloat(r.type)) return RunInteger(parallel, r);
  const auto decode = [&](uint16_t bits) { return DecodeNarrow(r.type, bits); };
  if (BitWidth(r.type) == 16) return RunDecoded<uint16_t, float>(parallel, r, decode);
  return RunDecoded<uint8_t, float>(parallel, r, decode);
}

}  // namespace hlocts::kernels
