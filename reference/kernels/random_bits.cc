// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/random_bits.h"

#include <algorithm>
#include <vector>

#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
uint64_t Joined(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }
uint32_t RotatedLeft(uint32_t x, int by) { return x << by | x >> (32 - by); }

}  // namespace

std::array<uint32_t, 2> ThreeFry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  constexpr uint32_t kParity = 0x1BD11BDA;
  const uint32_t schedule[3] = {key[0], key[1], key[0] ^ key[1] ^ kParity};
  uint32_t x = counter[0] + schedule[0], y = counter[1] + schedule[1];
  for (uint32_t round = 0; round < 20; ++round) {
    x += y;
    y = RotatedLeft(y, kRotations[round % 8]) ^ x;
    if (round % 4 == 3) {
      const uint32_t injection = round / 4 + 1;
      x += schedule[injection % 3];
      y += schedule[(injection + 1) % 3] + injection;
    }
  }
  return {x, y};
}

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> x) {
  constexpr uint64_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = kMultipliers[0] * x[0], second = kMultipliers[1] * x[2];
    x = {High(second) ^ x[1] ^ key[0], Low(second), High(first) ^ x[3] ^ key[1], Low(first)};
    key = {key[0] + kWeyl[0], key[1] + kWeyl[1]};
  }
  return x;
}

uint64_t ThreeFryBits(uint64_t key, uint64_t counter, absl::Span<const int64_t> dimensions,
                      bool wide, absl::Span<uint64_t> out) {
  auto block = [&](uint64_t at) {
    return ThreeFry2x32({Low(key), High(key)}, {Low(counter + at), High(counter + at)});
  };
  if (wide || dimensions.empty()) {
    for (size_t i = 0; i < out.size(); ++i) {
      const std::array<uint32_t, 2> words = block(i);
      out[i] = wide ? Joined(words[0], words[1]) : words[0];
    }
    return out.size();
  }
  auto even =
      std::find_if(dimensions.begin(), dimensions.end(), [](int64_t d) { return d % 2 == 0; });
  if (even == dimensions.end()) even = std::max_element(dimensions.begin(), dimensions.end());
  const int64_t split = even - dimensions.begin();
  std::vector<int64_t> halved(dimensions.begin(), dimensions.end());
  halved[split] = (halved[split] + 1) / 2;
  const std::vector<int64_t> strides = RowMajorStrides(halved);
  size_t next = 0;
  ForEachIndex(dimensions, [&](absl::Span<const int64_t> index) {
    uint64_t linear = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      linear += strides[d] * (static_cast<int64_t>(d) == split ? index[d] / 2 : index[d]);
    }
    out[next++] = block(linear)[index[split] % 2];
  });
  uint64_t count = 1;
  for (int64_t size : halved) count *= size;
  return count;
}

uint64_t PhiloxBits(uint64_t key, std::array<uint64_t, 2> counter, bool wide,
                    absl::Span<uint64_t> out) {
  const size_t elements_per_block = wide ? 2 : 4;
  uint64_t block = 0;
  for (size_t i = 0; i < out.size(); i += elements_per_block, ++block) {
    const std::array<uint64_t, 2> at = AdvancePhilox(counter, block);
    const std::array<uint32_t, 4> words =
        Philox4x32({Low(key), High(key)}, {Low(at[0]), High(at[0]), Low(at[1]), High(at[1])});
    for (size_t k = 0; k < elements_per_block && i + k < out.size(); ++k) {
      out[i + k] = wide ? Joined(words[2 * k], words[2 * k + 1]) : words[k];
    }
  }
  return block;
}

std::array<uint64_t, 2> AdvancePhilox(std::array<uint64_t, 2> counter, uint64_t steps) {
  const uint64_t low = counter[0] + steps;
  return {low, counter[1] + (low < counter[0] ? 1 : 0)};
}

}  // namespace hlocts::reference
