// SPDX-License-Identifier: Apache-2.0
// The source of a generator's decisions: a seed, bytes (libFuzzer), or all of them in turn.
#ifndef HLOCTS_GENERATORS_CHOICE_SOURCE_H_
#define HLOCTS_GENERATORS_CHOICE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/types/span.h"
#include "generators/arguments.h"

namespace hlocts::generators {

// A decision 0 is always the simplest one, so that running out of bytes ends a module.
class ChoiceSource {
 public:
  virtual ~ChoiceSource() = default;
  // Draws from [0, bound); 0 if bound <= 1.
  virtual uint64_t Below(uint64_t bound) = 0;
  // True if no decisions are left: generators finish what they began.
  virtual bool exhausted() const { return false; }
  // Marks the beginning of the decisions of one more instruction; nested ones are inside.
  virtual void Mark() {}

  int64_t Range(int64_t low, int64_t high) {  // both included
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  // True once in n; false is the simple decision.
  bool OneIn(uint64_t n) { return Below(n) == n - 1; }
  template <typename Container>
  const auto& Pick(const Container& container) {
    return container[Below(std::size(container))];
  }
  // An index, with probability in proportion to its weight; at least one weight is above 0.
  size_t Weighted(absl::Span<const int> weights);
};

class SeedSource : public ChoiceSource {
 public:
  explicit SeedSource(uint64_t seed) : random_(seed) {}
  // Module `number` of a campaign: the same on every machine, independent of earlier runs.
  SeedSource(uint64_t seed, uint64_t number)
      : random_(SplitMix64(seed).Next() ^ (number * 0xd1342543de82ef95)) {}
  uint64_t Below(uint64_t bound) override { return bound <= 1 ? 0 : random_.Below(bound); }

 private:
  SplitMix64 random_;
};

// Each decision takes as many bytes as its bound needs, least significant first.
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

// Every sequence of decisions in turn, the last decision fastest:
//   CountingSource all(6);
//   do { ...decide with all... } while (all.Advance());
// Decisions after the first `depth_max` are 0.
class CountingSource : public ChoiceSource {
 public:
  explicit CountingSource(size_t depth_max) : depth_max_(depth_max) {}
  uint64_t Below(uint64_t bound) override;
  bool Advance();  // false when all sequences were had

 private:
  struct Digit {
    uint64_t value, bound;
  };
  std::vector<Digit> digits_;
  size_t depth_max_;
  size_t next_ = 0;
};

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_CHOICE_SOURCE_H_
