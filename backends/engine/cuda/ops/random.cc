// SPDX-License-Identifier: Apache-2.0
// Random numbers. The kernels are in device/random.h.
#include <algorithm>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

// For types narrower than 64 bits, ThreeFry computes two elements from one counter. Their positions
// differ only along one dimension: the first of even size, or else the largest. Stores that
// dimension in `args`, and returns the number of counter values used.
uint64_t SetThreeFry(const plan::ArrayType& type, hl::BitsArgs& args) {
  if (BitWidth(type.type) == 64 || type.dimensions.empty()) {
    return static_cast<uint64_t>(type.elements);
  }
  const plan::Dimensions& sizes = type.dimensions;
  auto split = std::find_if(sizes.begin(), sizes.end(), [](int64_t d) { return d % 2 == 0; });
  if (split == sizes.end()) split = std::max_element(sizes.begin(), sizes.end());
  args.size = *split;
  args.half = (args.size + 1) / 2;
  args.inner = 1;
  for (auto d = split + 1; d != sizes.end(); ++d) args.inner *= *d;
  if (type.elements == 0) return 0;
  return static_cast<uint64_t>(type.elements / args.size * args.half);
}

}  // namespace

absl::StatusOr<StepDraft> MakeRngBitGenerator(const OpContext& context) {
  const plan::ArrayType &state = context.in(0), &type = context.out(1);
  const absl::string_view algorithm = context.source().WordOr(Attr::kAlgorithm, "rng_default");
  hl::BitsArgs args = {};
  args.three_fry = algorithm == "rng_three_fry" ? 1 : 0;
  args.words = static_cast<int>(state.elements);
  args.type = TypeNumber(type.type);
  const bool fits = args.words == 2 || (args.words == 3 && args.three_fry == 0);
  if (state.type != PrimitiveType::kU64 || !fits) {
    return Unsupported(context.name(), ": ", algorithm, ": expected a state of 2",
                       args.three_fry != 0 ? "" : " or 3", " x u64, found ", state.elements, " x ",
                       PrimitiveTypeName(state.type));
  }
  if (IsComplex(type.type) || type.type == PrimitiveType::kPred) {
    return Unsupported(context.name(), ": cannot draw bits of ", PrimitiveTypeName(type.type));
  }
  if (args.three_fry != 0) {
    args.moved = SetThreeFry(type, args);
  } else {
    const int64_t each = BitWidth(type.type) == 64 ? 2 : 4;
    args.moved = static_cast<uint64_t>((type.elements + each - 1) / each);
  }
  const int64_t elements = type.elements;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) {
    hl::BitsArgs now = args;
    now.state = static_cast<const hl::u64*>(in[0]);
    now.next = static_cast<hl::u64*>(out[0]);
    now.out = out[1];
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kBitsKernel, now, elements));
    return run.Launch(hl::kNextStateKernel, now, args.words);
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeRng(const OpContext& context) {
  const plan::ArrayType& type = context.out(0);
  hl::DrawArgs args = {};
  args.type = TypeNumber(type.type);
  args.normal = context.source().WordOr(Attr::kDistribution, "") == "rng_normal" ? 1 : 0;
  if (IsComplex(type.type) || (args.normal != 0 && !IsFloat(type.type))) {
    return Unsupported(context.name(), ": rng of ", PrimitiveTypeName(type.type));
  }
  const int64_t elements = type.elements;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) {
    hl::DrawArgs now = args;
    now.seed = run.rng_seed + 0x9E3779B97F4A7C15 * static_cast<uint64_t>(run.device_number);
    now.stream = run.rng_stream++;
    now.a = in[0];
    now.b = in[1];
    now.out = out[0];
    return run.Launch(hl::kDrawKernel, now, elements);
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeRngGetAndUpdateState(const OpContext& context) {
  if (context.out(0).type != PrimitiveType::kU64 || context.out(0).elements != 2) {
    return Unsupported(context.name(), ": expected a state of shape u64[2]");
  }
  const uint64_t delta = static_cast<uint64_t>(context.source().IntOr(Attr::kDelta, 1));
  StepDraft draft;
  draft.work = [delta](Run& run, In, Out out) {
    HLOCTS_RETURN_IF_ERROR(run.device().Upload(out[0], run.rng_state, sizeof(run.rng_state)));
    run.rng_state[0] += delta;
    run.rng_state[1] += run.rng_state[0] < delta ? 1 : 0;
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cuda
