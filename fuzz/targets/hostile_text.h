// SPDX-License-Identifier: Apache-2.0
// Texts of real modules with their words exchanged: numbers, element types, opcodes. All can still
// be read, many are still valid, and they contain unusual requests: dimensions whose product does
// not fit, arrays without elements beside huge ones, windows larger than any array.
#ifndef HLOCTS_FUZZ_TARGETS_HOSTILE_TEXT_H_
#define HLOCTS_FUZZ_TARGETS_HOSTILE_TEXT_H_

#include <string>
#include <vector>

#include "generators/arguments.h"

namespace hlocts::fuzz {

class HostileTexts {
 public:
  // At least one text; all can be read.
  explicit HostileTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  // One of the texts after one to four exchanges, each taken back where the text can no longer be
  // read (bytes that cannot are fuzz_hlo_text's); fewer where all tries are.
  std::string Draw(generators::SplitMix64& random) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TARGETS_HOSTILE_TEXT_H_
