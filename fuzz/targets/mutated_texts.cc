// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets/mutated_texts.h"

#include <algorithm>
#include <cctype>

#include "spec/ir/primitive_type.h"
#include "spec/text/parser.h"

namespace hlocts::fuzz {
namespace {

constexpr uint64_t kEditsMax = 4;
// The number of attempts per replacement: most replacements make a text unreadable.
constexpr int kTriesMax = 12;
// Limits of integer types, sizes whose product exceeds 2^63, and small numbers as in real texts.
constexpr const char* kNumbers[] = {"0",
                                    "0",
                                    "1",
                                    "2",
                                    "3",
                                    "5",
                                    "-1",
                                    "-2",
                                    "63",
                                    "64",
                                    "127",
                                    "65536",
                                    "1048576",
                                    "2147483647",
                                    "2147483648",
                                    "4294967295",
                                    "4294967296",
                                    "1000000000000",
                                    "3037000500",
                                    "4611686018427387904",
                                    "9223372036854775807",
                                    "-9223372036854775808",
                                    "18446744073709551615"};

enum class Kind { kNumber, kType, kOpcode };
struct Word {
  Kind kind;
  size_t begin, size;
};

bool InName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

// Returns the words that can be replaced, in order. A name with hyphens is one word.
std::vector<Word> WordsOf(const std::string& text) {
  std::vector<Word> words;
  for (size_t begin = 0; begin < text.size();) {
    if (!InName(text[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    const bool number = IsDigit(text[begin]);
    while (end < text.size() && (InName(text[end]) || (!number && text[end] == '-'))) ++end;
    const std::string word = text.substr(begin, end - begin);
    const char next = end < text.size() ? text[end] : '\0';
    if (number && std::all_of(word.begin(), word.end(), IsDigit)) {
      words.push_back({Kind::kNumber, begin, end - begin});
    } else if (next == '[' && PrimitiveTypeFromName(word)) {
      words.push_back({Kind::kType, begin, end - begin});
    } else if (next == '(' && OpcodeFromName(word)) {
      words.push_back({Kind::kOpcode, begin, end - begin});
    }
    begin = end;
  }
  return words;
}

std::string NewWord(Kind kind, generators::SplitMix64& random) {
  switch (kind) {
    case Kind::kNumber:
      return kNumbers[random.Below(std::size(kNumbers))];
    case Kind::kType: {
      const auto types = AllPrimitiveTypes();
      return std::string(PrimitiveTypeName(types[random.Below(types.size())]));
    }
    case Kind::kOpcode: {
      const auto opcodes = AllOpcodes();
      return std::string(OpcodeName(opcodes[random.Below(opcodes.size())]));
    }
  }
  return "";
}

// Replaces one word, so that equal shapes may become different, or that word wherever it occurs.
void Exchange(std::string& text, generators::SplitMix64& random) {
  const std::vector<Word> words = WordsOf(text);
  if (words.empty()) return;
  const Word& chosen = words[random.Below(words.size())];
  const std::string old = text.substr(chosen.begin, chosen.size);
  const std::string fresh = NewWord(chosen.kind, random);
  const bool all = random.Below(3) != 0;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    const bool this_one = word->begin == chosen.begin;
    const bool alike = word->kind == chosen.kind && text.compare(word->begin, word->size, old) == 0;
    if (this_one || (all && alike)) text.replace(word->begin, word->size, fresh);
  }
}

// Replaces words and keeps the text readable. Returns false if all attempts fail.
bool ExchangeReadably(std::string& text, generators::SplitMix64& random) {
  for (int tries = 0; tries < kTriesMax; ++tries) {
    std::string changed = text;
    Exchange(changed, random);
    if (changed == text || !ParseModule(changed).ok()) continue;
    text = std::move(changed);
    return true;
  }
  return false;
}

}  // namespace

std::string MutatedTexts::Draw(generators::SplitMix64& random) const {
  std::string text = texts_[random.Below(texts_.size())];
  for (uint64_t edits = random.Below(kEditsMax) + 1; edits > 0; --edits) {
    ExchangeReadably(text, random);
  }
  return text;
}

}  // namespace hlocts::fuzz
