// SPDX-License-Identifier: Apache-2.0
// Sources of a generator's decisions: a seed, a fuzzer's bytes, or an enumeration of all decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/types/span.h"
#include "generators/arguments.h"

namespace hlocts::generators {

// A source of decisions. Decision 0 is the simplest. An exhausted source returns only 0.
class ChoiceSource {
 public:
  virtual ~ChoiceSource() = default;
  // Returns a number in [0, bound), or 0 if bound <= 1.
  virtual uint64_t Below(uint64_t bound) = 0;
  // Returns true if no decisions are left. The generator then completes the module.
  virtual bool exhausted() const { return false; }
  // Called before the decisions of each instruction, nested instructions included.
  virtual void Mark() {}

  int64_t Range(int64_t low, int64_t high) {  // including both bounds
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  // Returns true with probability 1/n; false is the simple decision.
  bool OneIn(uint64_t n) { return Below(n) == n - 1; }
  template <typename Container>
  const auto& Pick(const Container& container) {
    return container[Below(std::size(container))];
  }
  // Returns an index with a probability proportional to its weight. The sum must be positive.
  size_t Weighted(absl::Span<const int> weights);
};

class SeedSource : public ChoiceSource {
 public:
  explicit SeedSource(uint64_t seed) : random_(seed) {}
  // The source for module `number` of a campaign. It depends only on `seed` and `number`.
  SeedSource(uint64_t seed, uint64_t number)
      : random_(SplitMix64(seed).Next() ^ (number * 0xd1342543de82ef95)) {}
  uint64_t Below(uint64_t bound) override { return bound <= 1 ? 0 : random_.Below(bound); }

 private:
  SplitMix64 random_;
};

// Reads each decision from as many bytes as its bound requires, least significant byte first.
class ByteSource : public ChoiceSource {
 public:
  explicit ByteSource(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}
  size_t consumed() const { return next_; }
  uint64_t Below(uint64_t bound) override;
  bool exhausted() const override { return next_ >= bytes_.size(); }

 private:
  absl::Span<const uint8_t> bytes_;
  size_t next_ = 0;
};

}  // namespace hlocts::generators
