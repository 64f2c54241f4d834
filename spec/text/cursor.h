// SPDX-License-Identifier: Apache-2.0
// A position in HLO text: skips space and comments, reads the smallest pieces (names, numbers,
// strings, balanced braces) and remembers the first error with its position.
//
// Reading functions return false once an error is recorded; callers propagate that. The text is not
// copied: names are views into it.
#ifndef HLOCTS_SPEC_TEXT_CURSOR_H_
#define HLOCTS_SPEC_TEXT_CURSOR_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

class Cursor {
 public:
  // Deeper nesting of tuples, literals, shardings or computations than this is an error.
  static constexpr int kDepthMax = 200;

  explicit Cursor(absl::string_view text)
      : begin_(text.data()), position_(begin_), end_(begin_ + text.size()) {}

  bool failed() const { return failed_; }
  absl::Status status() const;

  // Records "expected `expected`, found <text at the cursor>", or the given message; returns false.
  bool Expected(absl::string_view expected, absl::string_view rule = "text.syntax");
  bool Fail(absl::string_view rule, absl::string_view message);
  bool FailAt(const char* where, absl::string_view rule, absl::string_view message);

  // The position of the next token, for FailAt and for backtracking.
  const char* Here() {
    SkipSpace();
    return position_;
  }
  const char* raw_position() const { return position_; }  // without skipping spaces
  void GoTo(const char* position) { position_ = position; }
  bool AtEnd() { return Here() == end_; }
  int64_t remaining() const { return end_ - position_; }

  // Next character after spaces and comments; '\0' at the end.
  char Peek() {
    SkipSpace();
    return position_ == end_ ? '\0' : *position_;
  }
  // The character at the cursor, or `ahead` characters further, without skipping spaces.
  char Raw(int64_t ahead = 0) const { return ahead < end_ - position_ ? position_[ahead] : '\0'; }
  void Advance(int64_t count) { position_ += count; }

  bool Try(char c) {
    if (Peek() != c || position_ == end_) return false;
    ++position_;
    return true;
  }
  bool Expect(char c);
  // Punctuation of several characters, such as "->" and "<=".
  bool Try(absl::string_view punctuation);
  bool Expect(absl::string_view punctuation);
  // Consumes an identifier that equals `word`.
  bool TryWord(absl::string_view word);
  bool ExpectWord(absl::string_view word);

  // Letters, digits, '_', '.', '-' (but not "->"), beginning with a letter or '_'. "" if there is
  // none.
  absl::string_view PeekIdentifier();
  absl::string_view TryIdentifier();
  bool Identifier(absl::string_view* word, absl::string_view expected = "an identifier");
  // The name of an instruction or computation, '%' optional; keywords are refused.
  bool Name(absl::string_view* name, absl::string_view expected);

  bool Integer(int64_t* value, absl::string_view expected = "an integer");
  bool NonNegative(int64_t* value, absl::string_view expected = "a non-negative integer");
  bool Float(double* value);
  bool Bool(bool* value);
  // "..." with C escapes, unescaped.
  bool QuotedString(std::string* value);
  // Text from an opening brace to the matching one, inclusive; braces in strings are ignored.
  bool Balanced(absl::string_view* text);
  // A run of the characters of numbers and words: [0-9A-Za-z_.+-]; "" if there is none.
  absl::string_view NumberToken();

  // Counts nesting; Enter fails beyond kDepthMax, each success needs one Leave.
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

// Returns true if XLA prints this text unquoted after backend_config=: one balanced {...}.
bool IsBalancedDict(absl::string_view text);

// "{" element "," element "," ... "}" with `read` for each; an empty list and a trailing comma are
// accepted.
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

#endif  // HLOCTS_SPEC_TEXT_CURSOR_H_
