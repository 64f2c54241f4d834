// SPDX-License-Identifier: Apache-2.0
// select-and-scatter that adds up floats. A lane is a window: of neighbouring channels where no
// window reaches along the innermost dimension, else of neighbours along a row. The threads share
// out bands of the output; each walks over all windows that reach into its band, in order, and adds
// to the band alone, so that the sums do not depend on who makes them.
#include "backends/engine/cpu/kernels/window/select_and_scatter_isa.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "backends/engine/cpu/kernels/runtime/convert_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/window/select_lanes_isa.h"
#include "backends/engine/cpu/kernels/window/window.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

template <typename T>
struct ScatterArrays {
  const T *operand, *source;
  T* output;
  T init;
  SelectRule<T> rule;
};

// One part's share of a thread.
template <typename T>
class BandScatter {
 public:
  BandScatter(const ScatterWindows& windows, const ScatterArrays<T>& part)
      : windows_(windows), part_(part) {}

  void Run(Span band) {
    T* output = part_.output;
    if (!windows_.tiles) {
      std::fill(output + band.begin * windows_.strides[0], output + band.end * windows_.strides[0],
                part_.init);
    }
    const int64_t rows = windows_.outputs / windows_.row;
    WindowRow row(windows_);
    for (int64_t r = 0; r < rows; ++r, row.Next()) {
      if (!row.Reaches(band)) continue;
      for (const Segment& segment : windows_.segments) {
        row.FindTaps(segment, taps_);
        if (taps_.own.begin < taps_.own.end) RunSegment(segment, r * windows_.row);
      }
    }
  }

 private:
  void RunSegment(const Segment& segment, int64_t first) const {
    const T* source = part_.source + first * windows_.inner;
    const auto run = [&](auto strict) HLOCTS_INLINE_LAMBDA {
      if (windows_.inner > 1) return RunColumns<strict.value>(segment.places, source);
      switch (windows_.stride) {
        case 1:
          return RunNeighbours<strict.value, 1>(segment.places, source);
        case 2:
          return RunNeighbours<strict.value, 2>(segment.places, source);
        default:
          return RunNeighbours<strict.value, 0>(segment.places, source);
      }
    };
    part_.rule.strict ? run(std::true_type()) : run(std::false_type());
  }

  template <bool kStrict>
  void RunColumns(const Span& places, const T* source) const {
    const int64_t inner = windows_.inner;
    for (int64_t x = places.begin; x < places.end; ++x) {
      const T* from = source + x * inner;
      int64_t c = Columns<kStrict, kVectorBytes>(x, 0, from);
      c = Columns<kStrict, 16>(x, c, from);
      Columns<kStrict, sizeof(T)>(x, c, from);
    }
  }

  // Channels from c on of the windows at place x of the row; the first that is left.
  template <bool kStrict, int kBytes>
  int64_t Columns(int64_t x, int64_t c, const T* source) const {
    using Lanes = SelectLanes<T, kBytes>;
    const int64_t* taps = taps_.offsets.data();
    for (; c + Lanes::kCount <= windows_.inner; c += Lanes::kCount) {
      const int64_t at = x * windows_.stride * windows_.inner + c;
      const auto number = Lanes::template Kept<kStrict, 1>(taps, std::ssize(taps_.offsets),
                                                           part_.operand, at, 1, part_.rule.signs);
      const auto value = Lanes::Load(source + c);
      const auto fresh = part_.init - typename Lanes::Values{};
      for (int64_t t = taps_.own.begin; t < taps_.own.end; ++t) {
        T* to = part_.output + (taps[t] + at);
        const auto old = windows_.tiles ? fresh : Lanes::Load(to);
        Lanes::Store(to, number == static_cast<IntOf<T>>(t) ? old + value : old);
      }
    }
    return c;
  }

  template <bool kStrict, int kStride>
  void RunNeighbours(const Span& places, const T* source) const {
    int64_t x = Neighbours<kStrict, kStride, kVectorBytes>(places.begin, places.end, source);
    if constexpr (kVectorBytes > 32) x = Neighbours<kStrict, kStride, 32>(x, places.end, source);
    if constexpr (kVectorBytes > 16) x = Neighbours<kStrict, kStride, 16>(x, places.end, source);
    Neighbours<kStrict, 1, sizeof(T)>(x, places.end, source);
  }

  // Windows from place x of the row on; the first that is left.
  template <bool kStrict, int kStride, int kBytes>
  int64_t Neighbours(int64_t x, int64_t end, const T* source) const {
    using Lanes = SelectLanes<T, kBytes>;
    const int64_t* taps = taps_.offsets.data();
    const int64_t stride = windows_.stride, own = taps_.own.end - taps_.own.begin;
    for (; x + Lanes::kCount <= end; x += Lanes::kCount) {
      IntOf<T> numbers[Lanes::kCount];
      Lanes::Store(numbers, Lanes::template Kept<kStrict, kStride>(taps, std::ssize(taps_.offsets),
                                                                   part_.operand, x * stride,
                                                                   stride, part_.rule.signs));
      HLOCTS_UNROLL for (int i = 0; i < Lanes::kCount; ++i) {
        const auto in_band = static_cast<uint64_t>(numbers[i] - taps_.own.begin);
        if (in_band >= static_cast<uint64_t>(own)) continue;
        part_.output[taps[numbers[i]] + (x + i) * stride] += source[x + i];
      }
    }
    return x;
  }

  const ScatterWindows& windows_;
  const ScatterArrays<T>& part_;
  RowTaps taps_;
};

template <typename T>
absl::Status RunParts(const Parallel& parallel, const SelectAndScatterRequest& request,
                      const ScatterArrays<T>& arrays) {
  const ScatterWindows windows = ScatterWindowsOf(request);
  const int64_t rows = windows.dimensions[0].input_size;
  const int64_t band = BandOf(windows, sizeof(T)), bands = (rows + band - 1) / band;
  const double cost = 0.5 * static_cast<double>(windows.inputs) / static_cast<double>(bands);
  parallel.For(windows.parts * bands, cost, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      const int64_t number = unit / bands, first = unit % bands * band;
      ScatterArrays<T> part = arrays;
      part.operand += number * windows.inputs;
      part.output += number * windows.inputs;
      part.source += number * windows.outputs * windows.inner;
      BandScatter<T>(windows, part).Run({first, std::min(rows, first + band)});
    }
  });
  return absl::OkStatus();
}

template <typename T>
SelectRule<T> RuleOf(WindowSelect select) {
  const bool least = select == WindowSelect::kLe || select == WindowSelect::kLt;
  const bool strict = select == WindowSelect::kGt || select == WindowSelect::kLt;
  return {strict, least ? std::numeric_limits<IntOf<T>>::min() : 0};
}

template <typename T>
absl::Status RunStored(const Parallel& parallel, const SelectAndScatterRequest& r) {
  return RunParts<T>(
      parallel, r,
      {static_cast<const T*>(r.operand), static_cast<const T*>(r.source), static_cast<T*>(r.output),
       *static_cast<const T*>(r.init), RuleOf<T>(r.select)});
}

// Floats of fewer bits add up in f32, rounded once.
absl::Status RunNarrow(const Parallel& parallel, const SelectAndScatterRequest& r) {
  int64_t inputs = 1, outputs = 1;
  for (const WindowDimensionSpec& d : r.dimensions) {
    inputs *= d.input_size, outputs *= d.output_size;
  }
  const int64_t elements = 2 * inputs + outputs, bytes = elements * int64_t{sizeof(float)};
  const int width = StorageBytes(r.type);
  const Scratch scratch(bytes);
  if (!scratch.ok()) return OutOfScratch(bytes);
  float *operand = scratch.As<float>(), *output = operand + inputs, *source = output + inputs;
  const auto decode = [&](const void* from, int64_t count, float* to) {
    parallel.For(count, 1.0, [&](int64_t begin, int64_t end) {
      DecodeRun(r.type, static_cast<const char*>(from) + begin * width, 1, end - begin, to + begin);
    });
  };
  decode(r.operand, inputs, operand);
  decode(r.source, outputs, source);
  float init = 0;
  decode(r.init, 1, &init);
  HLOCTS_RETURN_IF_ERROR(
      RunParts<float>(parallel, r, {operand, source, output, init, RuleOf<float>(r.select)}));
  parallel.For(inputs, 1.0, [&](int64_t begin, int64_t end) {
    EncodeRun(r.type, output + begin, end - begin, 1, static_cast<char*>(r.output) + begin * width);
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status SelectAndScatterKernel(const Parallel& parallel,
                                    const SelectAndScatterRequest& request) {
  switch (request.type) {
    case PrimitiveType::kF32:
      return RunStored<float>(parallel, request);
    case PrimitiveType::kF64:
      return RunStored<double>(parallel, request);
    default:
      return RunNarrow(parallel, request);
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA
