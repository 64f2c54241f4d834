// SPDX-License-Identifier: Apache-2.0
// fft along the innermost dimensions, in complex f64. Each prime factor of a length takes one
// launch.

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

struct Transform {
  bool forward = true, from_real = false, to_real = false;
  std::vector<int64_t> lengths;
  plan::ArrayType in, out;
};

// Transforms the array along one dimension. Each pass writes to a new array.
absl::Status TransformAxis(Run& run, const std::vector<int64_t>& dimensions, size_t axis,
                           bool forward, Buffer& data) {
  const int64_t elements = Product(dimensions);
  hl::FourierArgs args = {};
  args.n = dimensions[axis];
  args.inner = 1;
  for (size_t d = axis + 1; d < dimensions.size(); ++d) args.inner *= dimensions[d];
  args.inverse = forward ? 0 : 1;
  args.done = 1;
  for (int64_t left = args.n, factor = 2; left > 1;) {
    if (factor * factor > left) factor = left;
    if (left % factor != 0) {
      ++factor;
      continue;
    }
    HLOCTS_ASSIGN_OR_RETURN(Buffer next, run.Allocate(elements * 16));
    args.factor = factor;
    args.in = static_cast<const hl::Complex*>(data->data());
    args.out = static_cast<hl::Complex*>(next->data());
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kFourierKernel, args, elements));
    args.done *= factor;
    left /= factor;
    data = std::move(next);
  }
  return absl::OkStatus();
}

// Copies rows of length `from` to complex rows of length `to`. `load`, `half`: see SpectrumArgs.
absl::StatusOr<Buffer> Spectrum(Run& run, int type, int load, bool half, const void* in,
                                int64_t rows, int64_t from, int64_t to) {
  HLOCTS_ASSIGN_OR_RETURN(Buffer result, run.Allocate(rows * to * 16));
  const hl::SpectrumArgs args = {type, half ? 1 : 0, load, 0, from, to, 1, in, result->data()};
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kSpectrumKernel, args, rows * to));
  return result;
}

absl::Status RunFft(Run& run, const Transform& p, const void* in, void* out) {
  std::vector<int64_t> sizes(p.in.dimensions.begin(), p.in.dimensions.end());
  const size_t rank = sizes.size(), last = rank - 1, axes = p.lengths.size();
  const int64_t rows = p.in.elements / sizes[last];
  HLOCTS_ASSIGN_OR_RETURN(Buffer data, Spectrum(run, TypeNumber(p.in.type), 1, false, in, rows,
                                                sizes[last], sizes[last]));
  if (p.from_real) {
    HLOCTS_RETURN_IF_ERROR(TransformAxis(run, sizes, last, true, data));
    const int64_t kept = p.out.dimensions.back();
    HLOCTS_ASSIGN_OR_RETURN(data,
                            Spectrum(run, 0, 2, false, data->data(), rows, sizes[last], kept));
    sizes[last] = kept;
  }
  const size_t done = p.from_real || p.to_real ? 1 : 0;
  for (size_t axis = rank - axes; axis + done < rank; ++axis) {
    HLOCTS_RETURN_IF_ERROR(TransformAxis(run, sizes, axis, p.forward, data));
  }
  if (p.to_real) {
    HLOCTS_ASSIGN_OR_RETURN(
        data, Spectrum(run, 0, 2, true, data->data(), rows, sizes[last], p.lengths.back()));
    sizes[last] = p.lengths.back();
    HLOCTS_RETURN_IF_ERROR(TransformAxis(run, sizes, last, false, data));
  }
  double scale = 1;
  if (!p.forward) scale = static_cast<double>(Product(p.lengths));
  const hl::SpectrumArgs store = {TypeNumber(p.out.type), 0,  0, 0, sizes[last], sizes[last], scale,
                                  data->data(),           out};
  return run.Launch(hl::kSpectrumKernel, store, p.out.elements);
}

}  // namespace

absl::StatusOr<StepDraft> MakeFft(const OpContext& context) {
  const absl::string_view type = context.source().WordOr(Attr::kFftType, "");
  Transform p;
  p.forward = type == "FFT" || type == "RFFT";
  p.from_real = type == "RFFT";
  p.to_real = type == "IRFFT";
  p.lengths = context.source().IntList(Attr::kFftLength);
  p.in = context.in(0);
  p.out = context.out(0);
  if (p.lengths.empty() || p.lengths.size() > p.in.dimensions.size()) {
    return InvalidInput(context.name(), ": fft_length does not fit the operand's rank");
  }
  StepDraft draft;
  draft.work = [p](Run& run, In in, Out out) -> absl::Status {
    if (p.out.elements == 0) return absl::OkStatus();
    if (p.in.elements > 0) return RunFft(run, p, in[0], out[0]);
    return Unsupported("fft: the operand has no elements");
  };
  return draft;
}

}  // namespace hlocts::cuda
