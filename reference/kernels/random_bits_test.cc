// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/random_bits.h"

#include <vector>

#include "gtest/gtest.h"

namespace hlocts::reference {
namespace {

using Pair = std::array<uint32_t, 2>;
using Four = std::array<uint32_t, 4>;
constexpr uint32_t kOnes = 0xffffffff;

// The expected values are from the library of Salmon et al. (random_bits.h).
TEST(RandomBits, ThreeFryKnownAnswers) {
  EXPECT_EQ(ThreeFry2x32({0, 0}, {0, 0}), (Pair{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(ThreeFry2x32({kOnes, kOnes}, {kOnes, kOnes}), (Pair{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(ThreeFry2x32({0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3}),
            (Pair{0xc4923a9c, 0x483df7a0}));
}

TEST(RandomBits, PhiloxKnownAnswers) {
  EXPECT_EQ(Philox4x32({0, 0}, {0, 0, 0, 0}),
            (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({kOnes, kOnes}, {kOnes, kOnes, kOnes, kOnes}),
            (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomBits, PhiloxCarriesIntoTheHighWord) {
  EXPECT_EQ(AdvancePhilox({UINT64_MAX, 7}, 1), (std::array<uint64_t, 2>{0, 8}));
  EXPECT_EQ(AdvancePhilox({5, 7}, 3), (std::array<uint64_t, 2>{8, 7}));
  std::vector<uint64_t> bits(8);
  EXPECT_EQ(PhiloxBits(3, {UINT64_MAX, 1}, false, absl::MakeSpan(bits)), 2u);
  const Four second = Philox4x32({3, 0}, {0, 0, 2, 0});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bits[4 + i], second[i]);
}

TEST(RandomBits, ThreeFryPairsAlongTheFirstEvenDimension) {
  std::vector<uint64_t> bits(3 * 4);
  EXPECT_EQ(ThreeFryBits(9, 100, {3, 4}, false, absl::MakeSpan(bits)), 6u);
  for (uint64_t row = 0; row < 3; ++row) {
    for (uint64_t pair = 0; pair < 2; ++pair) {
      const Pair words = ThreeFry2x32({9, 0}, {static_cast<uint32_t>(100 + row * 2 + pair), 0});
      EXPECT_EQ(bits[row * 4 + pair * 2], words[0]);
      EXPECT_EQ(bits[row * 4 + pair * 2 + 1], words[1]);
    }
  }
  std::vector<uint64_t> odd(5);
  EXPECT_EQ(ThreeFryBits(9, 100, {5}, false, absl::MakeSpan(odd)), 3u);
  EXPECT_EQ(odd[4], (ThreeFry2x32({9, 0}, {102, 0})[0]));
}

}  // namespace
}  // namespace hlocts::reference
