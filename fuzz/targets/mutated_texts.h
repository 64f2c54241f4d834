// SPDX-License-Identifier: Apache-2.0
// Replaces tokens of real HLO text: numbers, element types, opcodes. Every result still parses.
// Many are valid and have unusual values: sizes whose product overflows, empty arrays next to huge
// ones, windows larger than any array.
#pragma once

#include <string>
#include <vector>

#include "generators/arguments.h"

namespace hlocts::fuzz {

class MutatedTexts {
 public:
  // There must be at least one text, and all must be readable.
  explicit MutatedTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  // Returns one of the texts after at most four replacements. A replacement that makes the text
  // unreadable is undone, because fuzz_hlo_text already tests unreadable texts.
  std::string Draw(generators::SplitMix64& random) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace hlocts::fuzz
