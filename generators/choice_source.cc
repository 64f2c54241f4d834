// SPDX-License-Identifier: Apache-2.0
#include "generators/choice_source.h"

namespace hlocts::generators {

size_t ChoiceSource::Weighted(absl::Span<const int> weights) {
  uint64_t total = 0;
  for (int weight : weights) total += static_cast<uint64_t>(weight);
  uint64_t draw = Below(total);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (draw < static_cast<uint64_t>(weights[i])) return i;
    draw -= static_cast<uint64_t>(weights[i]);
  }
  return 0;
}

uint64_t ByteSource::Below(uint64_t bound) {
  if (bound <= 1) return 0;
  uint64_t value = 0;
  int shift = 0;
  for (uint64_t rest = bound - 1; rest > 0 && next_ < bytes_.size(); rest >>= 8, shift += 8) {
    value |= static_cast<uint64_t>(bytes_[next_++]) << shift;
  }
  return value % bound;
}

}  // namespace hlocts::generators
