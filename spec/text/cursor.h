// SPDX-License-Identifier: Apache-2.0
// Cursor: a position in HLO text. It skips spaces and comments, reads the smallest units (names,
// numbers, strings, balanced braces) and stores the first error with its position.
//
// Reading functions return false after an error. The text is not copied: names are views into it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

class Cursor {
 public:
  // The maximum nesting of tuples, literals, shardings or computations. Deeper nesting is an error.
  static constexpr int kDepthMax = 200;

  explicit Cursor(absl::string_view text)
      : begin_(text.data()), position_(begin_), end_(begin_ + text.size()) {}

  bool failed() const { return failed_; }
  absl::Status status() const;

  // Store the error "expected `expected`, found <text>", or the given message, and return false.
  bool Expected(absl::string_view expected, absl::string_view rule = "text.syntax");
  bool Fail(absl::string_view rule, absl::string_view message);
  bool FailAt(const char* where, absl::string_view rule, absl::string_view message);

  // Returns the position of the next token, for FailAt and for backtracking.
  const char* Here() {
    SkipSpace();
    return position_;
  }
  const char* raw_position() const { return position_; }  // without skipping spaces
  void GoTo(const char* position) { position_ = position; }
  bool AtEnd() { return Here() == end_; }
  int64_t remaining() const { return end_ - position_; }

  // Returns the next character after spaces and comments; '\0' at the end.
  char Peek() {
    SkipSpace();
    return position_ == end_ ? '\0' : *position_;
  }
  // Returns the character at the cursor, or `ahead` characters further, without skipping spaces.
  char Raw(int64_t ahead = 0) const { return ahead < end_ - position_ ? position_[ahead] : '\0'; }
  void Advance(int64_t count) { position_ += count; }

  bool Try(char c) {
    if (Peek() != c || position_ == end_) return false;
    ++position_;
    return true;
  }
  bool Expect(char c);
  // Consumes punctuation of several characters, such as "->" and "<=".
  bool Try(absl::string_view punctuation);
  bool Expect(absl::string_view punctuation);
  // Consumes an identifier that equals `word`.
  bool TryWord(absl::string_view word);
  bool ExpectWord(absl::string_view word);

  // Read an identifier: letters, digits, '_', '.' and '-' (but not "->"), beginning with a letter
  // or '_'. The Peek and Try versions return "" if there is none.
  absl::string_view PeekIdentifier();
  absl::string_view TryIdentifier();
  bool Identifier(absl::string_view* word, absl::string_view expected = "an identifier");
  // Reads the name of an instruction or computation, with optional '%'. Keywords are an error.
  bool Name(absl::string_view* name, absl::string_view expected);

  bool Integer(int64_t* value, absl::string_view expected = "an integer");
  bool NonNegative(int64_t* value, absl::string_view expected = "a non-negative integer");
  bool Float(double* value);
  bool Bool(bool* value);
  // Reads "..." and replaces C escapes.
  bool QuotedString(std::string* value);
  // Reads from an opening brace to the matching one, inclusive. Braces in strings are ignored.
  bool Balanced(absl::string_view* text);
  // Reads a run of the characters of numbers and words, [0-9A-Za-z_.+-]; "" if there is none.
  absl::string_view NumberToken();

  // Count nesting. Enter fails beyond kDepthMax; each successful Enter needs one Leave.
  bool Enter();
  void Leave() { --depth_; }

 private:
  void SkipSpace() {
    while (position_ != end_ && (*position_ == ' ' || *position_ == '\n' || *position_ == '\t' ||
                                 *position_ == '\r' || *position_ == '/')) {
      if (*position_ != '/') {
        ++position_;
      } else if (!SkipComment()) {
        return;
      }
    }
  }
  bool SkipComment();  // false: the '/' does not begin a comment

  const char* begin_;
  const char* position_;
  const char* end_;
  bool failed_ = false;
  int depth_ = 0;
  absl::Status error_;
};

// Returns true for one balanced {...}, which XLA prints without quotes after backend_config=.
bool IsBalancedDict(absl::string_view text);

// Reads "{" element "," element "," ... "}" and calls `read` for each; a last comma is allowed.
template <typename Read>
bool ReadList(Cursor& in, char open, char close, const Read& read) {
  if (!in.Expect(open)) return false;
  while (!in.Try(close)) {
    if (!read()) return false;
    if (!in.Try(',')) return in.Expect(close);
  }
  return true;
}

}  // namespace hlocts
