// SPDX-License-Identifier: Apache-2.0
// select-and-scatter, element by element. Windows are processed in row-major order. Each index of
// the leading dimensions is a separate part.
#include <cstring>
#include <iterator>
#include <vector>

#include "backends/engine/cpu/kernels/gather_scatter/combine.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
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

// The row-major strides of the operand, and the offsets of the taps from a window's first tap.
struct Geometry {
  absl::InlinedVector<int64_t, 4> strides;
  std::vector<int64_t> taps = {0};
  int64_t inputs = 1, outputs = 1;
};

Geometry GeometryOf(const Dimensions& dimensions) {
  Geometry g;
  g.strides.resize(dimensions.size());
  for (size_t d = dimensions.size(); d-- > 0;) {
    g.strides[d] = g.inputs;
    g.inputs *= dimensions[d].input_size;
    g.outputs *= dimensions[d].output_size;
  }
  std::vector<int64_t> longer;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    longer.clear();
    for (const int64_t tap : g.taps) {
      for (int64_t k = 0; k < dimensions[d].size; ++k) longer.push_back(tap + k * g.strides[d]);
    }
    g.taps.swap(longer);
  }
  return g;
}

// The beginning of the window of a source element. `offset` is the window's start in the operand.
// `whole` is true if the window is inside the operand.
struct Begin {
  int64_t offset = 0;
  bool whole = true;
};
Begin BeginOf(const Dimensions& dimensions, const Geometry& g,
              const absl::InlinedVector<int64_t, 4>& source) {
  Begin begin;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const WindowDimensionSpec& w = dimensions[d];
    const int64_t at = source[d] * w.stride - w.padding_low;
    begin.whole = begin.whole && at >= 0 && at + w.size <= w.input_size;
    begin.offset += at * g.strides[d];
  }
  return begin;
}

// Returns the operand offset of tap `tap` in the window of a source element; -1 if it is padding.
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

// Returns the element that the window selects, or -1 if the window is entirely in padding.
template <typename V>
int64_t Selected(const SelectAndScatterRequest& r, const Dimensions& dimensions, const Geometry& g,
                 const absl::InlinedVector<int64_t, 4>& source, const V* operand) {
  int64_t kept = -1;
  const Begin begin = BeginOf(dimensions, g, source);
  for (int64_t tap = 0; tap < std::ssize(g.taps); ++tap) {
    const int64_t at =
        begin.whole ? begin.offset + g.taps[tap] : TapOffset(dimensions, g, source, tap);
    if (at < 0) continue;
    if (kept < 0 || !Keeps(r.select, operand[kept], operand[at])) kept = at;
  }
  return kept;
}

// Computes one part of the result: g.inputs elements of the operand with their source elements.
// `operand` must have a type that can be compared.
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

// Distributes the parts (indices of the leading dimensions without a window) over the pool.
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
  const double cost = 2.0 * g.outputs * std::ssize(g.taps) + 1.0 * g.inputs;
  parallel.For(parts, cost, [&](int64_t part, int64_t end) {
    for (; part < end; ++part) {
      char* output = static_cast<char*>(r.output) + part * g.inputs * bytes;
      for (int64_t i = 0; i < g.inputs; ++i) std::memcpy(output + i * bytes, r.init, bytes);
      RunPart(r, rest, g, operand + part * g.inputs,
              static_cast<const char*>(r.source) + part * g.outputs * bytes, output);
    }
  });
}

// Adds floats narrower than f32 in f32, so that each sum of updates is rounded once.
template <typename Bits>
absl::Status RunNarrow(const Parallel& parallel, const SelectAndScatterRequest& r) {
  int64_t inputs = 1, outputs = 1;
  for (const WindowDimensionSpec& d : r.dimensions) {
    inputs *= d.input_size, outputs *= d.output_size;
  }
  const int64_t bytes = (2 * inputs + outputs) * int64_t{sizeof(float)};
  const Scratch scratch(bytes);
  if (!scratch.ok()) return OutOfScratch(bytes);
  float *operand = scratch.As<float>(), *output = operand + inputs, *source = output + inputs, init;
  const auto decode = [&](const void* from, int64_t count, float* to) {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = DecodeNarrow(r.type, static_cast<const Bits*>(from)[i]);
    }
  };
  decode(r.operand, inputs, operand);
  decode(r.source, outputs, source);
  decode(r.init, 1, &init);
  SelectAndScatterRequest wide = r;
  wide.type = PrimitiveType::kF32;
  wide.operand = operand, wide.source = source, wide.init = &init, wide.output = output;
  RunParts<float>(parallel, wide, operand);
  for (int64_t i = 0; i < inputs; ++i) {
    static_cast<Bits*>(r.output)[i] = static_cast<Bits>(EncodeFloat(FormatOf(r.type), output[i]));
  }
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
      return InvalidInput("select-and-scatter: expected positive sizes, strides and no dilation");
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
  if (r.type == PrimitiveType::kF32) return RunAs<float>(parallel, r);
  if (r.type == PrimitiveType::kF64) return RunAs<double>(parallel, r);
  if (!IsFloat(r.type)) return RunInteger(parallel, r);
  return BitWidth(r.type) == 16 ? RunNarrow<uint16_t>(parallel, r)
                                : RunNarrow<uint8_t>(parallel, r);
}

}  // namespace hlocts::kernels
