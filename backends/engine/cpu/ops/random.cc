// SPDX-License-Identifier: Apache-2.0
// Random numbers. The bits of rng-bit-generator are those of XLA (target fact rng.xla_layout). The
// sequence of rng is defined by this engine.
#include "backends/engine/cpu/kernels/random/random.h"

#include <cstring>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/elementwise/wrappers.h"
#include "backends/engine/cpu/kernels/random/random_draws.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/plan/index_elements.h"

namespace hlocts::cpu {
namespace {

double FloatOf(PrimitiveType type, const uint8_t* element) {
  double value;
  ConvertInto(type, PrimitiveType::kF64, element, 1, reinterpret_cast<uint8_t*>(&value));
  return value;
}

int64_t RawInteger(PrimitiveType type, const uint8_t* element) {
  if (type == PrimitiveType::kPred) return element[0];
  int64_t value = plan::IndexAt(type, element, 0);
  if (type == PrimitiveType::kU64) std::memcpy(&value, element, sizeof(value));
  return value;
}

// Returns the number of integers in [a, b).
uint64_t RangeOf(PrimitiveType type, In in) {
  const int64_t a = RawInteger(type, in[0]), b = RawInteger(type, in[1]);
  const uint64_t low = static_cast<uint64_t>(a), high = static_cast<uint64_t>(b);
  const bool empty = IsSigned(type) ? b <= a : high <= low;
  return empty ? 0 : high - low;
}

}  // namespace

absl::StatusOr<StepDraft> MakeRng(const OpContext& context) {
  const plan::ArrayType type = context.out(0);
  const bool normal = context.source().WordOr(Attr::kDistribution, "") == "rng_normal";
  const bool is_float = IsFloat(type.type);
  if (IsComplex(type.type) || (normal && !is_float)) {
    return Unsupported(context.name(), ": rng of ", PrimitiveTypeName(type.type));
  }
  StepDraft draft;
  const kernels::Parallel parallel(context.compiler.options().threads);
  draft.run = [=](Run& run, In in, Out out) {
    kernels::RandomDrawsRequest request;
    request.type = type.type;
    request.key = (run.rng_seed + 0x9E3779B97F4A7C15 * static_cast<uint64_t>(run.device)) ^
                  0x5851F42D4C957F2D;
    request.stream = run.rng_stream++;
    request.first = in[0];
    request.count = type.elements;
    request.output = out[0];
    if (is_float) {
      request.distribution =
          normal ? kernels::Distribution::kNormal : kernels::Distribution::kUniformFloat;
      request.a = FloatOf(type.type, in[0]);
      request.b = FloatOf(type.type, in[1]);
    } else {
      request.distribution = kernels::Distribution::kUniformInteger;
      request.low = static_cast<uint64_t>(RawInteger(type.type, in[0]));
      request.range = RangeOf(type.type, in);
    }
    return kernels::RandomDraws(parallel, request);
  };
  return draft;
}

namespace {

// A bit generator. Word 0 of its state is the key; the other words are the counter. If there is
// only one other word, Philox uses the key as the counter's upper word.
struct BitGenerator {
  plan::ArrayType state, type;
  bool three_fry;
  kernels::Parallel parallel;

  absl::Status Draw(In in, Out out) const {
    uint64_t before[3] = {}, after[3];
    std::memcpy(before, in[0], static_cast<size_t>(state.bytes));
    if (state.elements == 2) before[2] = before[0];
    kernels::RandomBitsRequest request;
    request.algorithm =
        three_fry ? kernels::RandomAlgorithm::kThreeFry : kernels::RandomAlgorithm::kPhilox;
    request.key = before[0];
    request.counter = {before[1], before[2]};
    request.dimensions = type.dimensions;
    request.type = IsSubByte(type.type) ? PrimitiveType::kU8 : type.type;
    request.output = out[1];
    HLOCTS_ASSIGN_OR_RETURN(const uint64_t moved, kernels::RandomBits(parallel, request));
    if (IsSubByte(type.type)) {
      SameBits({.result_type = type.type}, out[1], nullptr, nullptr, out[1], type.elements);
    }
    after[0] = before[0];
    after[1] = before[1] + moved;
    // The state of ThreeFry does not have this word.
    after[2] = before[2] + (after[1] < before[1] ? 1 : 0);
    std::memcpy(out[0], after, static_cast<size_t>(state.bytes));
    return absl::OkStatus();
  }
};

}  // namespace

absl::StatusOr<StepDraft> MakeRngBitGenerator(const OpContext& context) {
  const plan::ArrayType state = context.in(0), type = context.out(1);
  const absl::string_view algorithm = context.source().WordOr(Attr::kAlgorithm, "rng_default");
  const bool three_fry = algorithm == "rng_three_fry";
  const int64_t words = state.elements;
  if (state.type != PrimitiveType::kU64 || (words != 2 && (three_fry || words != 3))) {
    return Unsupported(context.name(), ": ", algorithm, ": expected a state of 2",
                       three_fry ? "" : " or 3", " x u64, found ", words, " x ",
                       PrimitiveTypeName(state.type));
  }
  if (IsComplex(type.type) || type.type == PrimitiveType::kPred) {
    return Unsupported(context.name(), ": cannot draw bits of ", PrimitiveTypeName(type.type));
  }
  StepDraft draft;
  draft.run = [generator = BitGenerator{state, type, three_fry,
                                        kernels::Parallel(context.compiler.options().threads)}](
                  Run&, In in, Out out) { return generator.Draw(in, out); };
  return draft;
}

absl::StatusOr<StepDraft> MakeRngGetAndUpdateState(const OpContext& context) {
  if (context.out(0).type != PrimitiveType::kU64 || context.out(0).elements != 2) {
    return Unsupported(context.name(), ": expected a state of shape u64[2]");
  }
  const uint64_t delta = static_cast<uint64_t>(context.source().IntOr(Attr::kDelta, 1));
  StepDraft draft;
  draft.run = [delta](Run& run, In, Out out) {
    std::memcpy(out[0], run.rng_state, sizeof(run.rng_state));
    run.rng_state[0] += delta;
    run.rng_state[1] += run.rng_state[0] < delta ? 1 : 0;
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
