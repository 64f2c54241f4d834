// SPDX-License-Identifier: Apache-2.0
// Random numbers. rng-bit-generator is exact to the bit; rng draws from a stream of our own.
#include "backends/engine/cpu/kernels/random/random.h"

#include <array>
#include <cmath>
#include <cstring>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/kernels/random/random_draws.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/plan/index_elements.h"
#include "spec/ir/float_format.h"

namespace hlocts::cpu {
namespace {

// ThreeFry-2x32, 20 rounds (Salmon et al. 2011).
std::array<uint32_t, 2> ThreeFry(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t keys[3] = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32), 0};
  keys[2] = keys[0] ^ keys[1] ^ 0x1BD11BDA;
  uint32_t x = static_cast<uint32_t>(counter) + keys[0];
  uint32_t y = static_cast<uint32_t>(counter >> 32) + keys[1];
  for (uint32_t group = 1; group <= 5; ++group) {
    for (int rotation : kRotations[(group - 1) % 2]) {
      x += y;
      y = (y << rotation | y >> (32 - rotation)) ^ x;
    }
    x += keys[group % 3];
    y += keys[(group + 1) % 3] + group;
  }
  return {x, y};
}

// Philox-4x32, 10 rounds, on the counter low, high.
std::array<uint32_t, 4> Philox(uint64_t key, uint64_t low, uint64_t high) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                               static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ k1, static_cast<uint32_t>(a)};
  }
  return x;
}

uint64_t Joined(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }

// Low bits as a Literal stores an element.
void StoreBits(PrimitiveType type, uint64_t bits, uint8_t* out) {
  const int unused = 64 - BitWidth(type);
  const uint64_t top = bits << unused;
  bits =
      IsSigned(type) ? static_cast<uint64_t>(static_cast<int64_t>(top) >> unused) : top >> unused;
  std::memcpy(out, &bits, static_cast<size_t>(StorageBytes(type)));
}

// Narrow elements come in pairs from one counter: neighbours along the first dimension of even
// size, else along the largest.
uint64_t ThreeFryArray(uint64_t key, uint64_t counter, const plan::ArrayType& type, uint8_t* out) {
  const int width = type.width();
  if (BitWidth(type.type) == 64 || type.dimensions.empty()) {
    for (int64_t i = 0; i < type.elements; ++i) {
      const auto words = ThreeFry(key, counter + static_cast<uint64_t>(i));
      const bool wide = BitWidth(type.type) == 64;
      StoreBits(type.type, wide ? Joined(words[0], words[1]) : words[0], out + i * width);
    }
    return static_cast<uint64_t>(type.elements);
  }
  size_t split = 0;
  while (split < type.dimensions.size() && type.dimensions[split] % 2 != 0) ++split;
  if (split == type.dimensions.size()) {
    split = static_cast<size_t>(std::max_element(type.dimensions.begin(), type.dimensions.end()) -
                                type.dimensions.begin());
  }
  const int64_t size = type.dimensions[split], half = (size + 1) / 2;
  int64_t inner = 1;
  for (size_t d = split + 1; d < type.dimensions.size(); ++d) inner *= type.dimensions[d];
  for (int64_t i = 0; i < type.elements; ++i) {
    const int64_t at = i / inner % size, outer = i / inner / size;
    const int64_t linear = (outer * half + at / 2) * inner + i % inner;
    const auto words = ThreeFry(key, counter + static_cast<uint64_t>(linear));
    StoreBits(type.type, words[at % 2], out + i * width);
  }
  return static_cast<uint64_t>(size == 0 ? 0 : type.elements / size * half);
}

uint64_t PhiloxArray(uint64_t key, uint64_t low, uint64_t high, const plan::ArrayType& type,
                     uint8_t* out) {
  const bool wide = BitWidth(type.type) == 64;
  const int64_t per_block = wide ? 2 : 4;
  uint64_t block = 0;
  for (int64_t i = 0; i < type.elements; i += per_block, ++block) {
    const uint64_t at = low + block;
    const auto words = Philox(key, at, high + (at < low ? 1 : 0));
    for (int64_t k = 0; k < per_block && i + k < type.elements; ++k) {
      StoreBits(type.type, wide ? Joined(words[2 * k], words[2 * k + 1]) : words[k],
                out + (i + k) * type.width());
    }
  }
  return block;
}

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

// How many integers there are from a to b, without b.
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

// State word 0 is the key, the words after it are the counter; with two words Philox takes the key
// as the counter's high word.
absl::StatusOr<StepDraft> MakeRngBitGenerator(const OpContext& context) {
  const plan::ArrayType state = context.in(0), type = context.out(1);
  const absl::string_view algorithm = context.source().WordOr(Attr::kAlgorithm, "rng_default");
  const bool three_fry = algorithm == "rng_three_fry";
  const int64_t words = state.elements;
  if (state.type != PrimitiveType::kU64 || (words != 2 && (three_fry || words != 3))) {
    return Unsupported(context.name(), ": ", algorithm, " with a state of ", words, " x ",
                       PrimitiveTypeName(state.type));
  }
  if (IsComplex(type.type) || type.type == PrimitiveType::kPred) {
    return Unsupported(context.name(), ": random bits of ", PrimitiveTypeName(type.type));
  }
  const bool has_kernel = !IsSubByte(type.type) && type.elements > 0;
  const kernels::Parallel parallel(context.compiler.options().threads);
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) -> absl::Status {
    uint64_t before[3] = {}, after[3];
    std::memcpy(before, in[0], static_cast<size_t>(state.bytes));
    if (words == 2) before[2] = before[0];
    after[0] = before[0];
    if (has_kernel) {
      kernels::RandomBitsRequest request;
      request.algorithm =
          three_fry ? kernels::RandomAlgorithm::kThreeFry : kernels::RandomAlgorithm::kPhilox;
      request.key = before[0];
      request.counter = {before[1], before[2]};
      request.dimensions = type.dimensions;
      request.type = type.type;
      request.output = out[1];
      const absl::StatusOr<uint64_t> moved = kernels::RandomBits(parallel, request);
      if (!moved.ok()) return moved.status();
      after[1] = before[1] + *moved;
      after[2] = before[2] + (after[1] < before[1] ? 1 : 0);
    } else if (three_fry) {
      after[1] = before[1] + ThreeFryArray(before[0], before[1], type, out[1]);
    } else {
      after[1] = before[1] + PhiloxArray(before[0], before[1], before[2], type, out[1]);
      after[2] = before[2] + (after[1] < before[1] ? 1 : 0);
    }
    std::memcpy(out[0], after, static_cast<size_t>(state.bytes));
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeRngGetAndUpdateState(const OpContext& context) {
  if (context.out(0).type != PrimitiveType::kU64 || context.out(0).elements != 2) {
    return Unsupported(context.name(), ": state of another shape than u64[2]");
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
