// SPDX-License-Identifier: Apache-2.0
// fft along the innermost dimensions, which a kernel computes; in double in the strict profile.
#include "backends/engine/cpu/kernels/fft/fft.h"

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/moves/strided.h"

namespace hlocts::cpu {
namespace {

struct Transform {
  kernels::Parallel parallel;
  kernels::FftKind kind;
  std::vector<int64_t> batch, lengths;

  absl::Status Run(PrimitiveType component, const void* in, void* out) const {
    kernels::FftRequest request;
    request.kind = kind;
    request.component = component;
    request.batch = batch;
    request.length = lengths;
    request.input = in;
    request.output = out;
    return kernels::Fft(parallel, request);
  }
};

kernels::FftKind KindOfType(absl::string_view type) {
  if (type == "RFFT") return kernels::FftKind::kRfft;
  if (type == "IRFFT") return kernels::FftKind::kIrfft;
  return type == "FFT" ? kernels::FftKind::kFft : kernels::FftKind::kIfft;
}

}  // namespace

absl::StatusOr<StepDraft> MakeFft(const OpContext& context) {
  const plan::ArrayType in_type = context.in(0), out_type = context.out(0);
  const std::vector<int64_t> lengths = context.source().IntList(Attr::kFftLength);
  if (lengths.empty() || lengths.size() > in_type.dimensions.size()) {
    return InvalidInput(context.name(), ": fft_length does not fit the operand's rank");
  }
  StepDraft draft;
  if (out_type.elements == 0) {
    draft.run = [](cpu::Run&, In, Out) { return absl::OkStatus(); };
    return draft;
  }
  if (in_type.elements == 0) return Unsupported(context.name(), ": the operand has no elements");
  const auto first = in_type.dimensions.begin();
  const Transform transform = {kernels::Parallel(context.compiler.options().threads),
                               KindOfType(context.source().WordOr(Attr::kFftType, "")),
                               {first, first + in_type.rank() - lengths.size()},
                               lengths};
  const bool strict = context.compiler.options().math.strict;
  const PrimitiveType from = strict ? InDouble(in_type.type) : in_type.type;
  const PrimitiveType to = strict ? InDouble(out_type.type) : out_type.type;
  draft.run = [=](cpu::Run&, In in, Out out) {
    const Converted operand(in_type.type, from, in[0], in_type.elements);
    return IntoConverted(to, out_type.type, out_type.elements, out[0], [&](uint8_t* result) {
      return transform.Run(ComponentType(from), operand.data<uint8_t>(), result);
    });
  };
  return draft;
}

}  // namespace hlocts::cpu
