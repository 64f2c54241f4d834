// SPDX-License-Identifier: Apache-2.0
// Selects cases by words in their addresses and by earlier failures.
#pragma once

#include <string>
#include <vector>

#include "spec/base/status.h"
#include "suites/case.h"

namespace hlocts::suites {

// An expression such as `bf16 and not (nan or inf)`. A word is true for an address that contains
// the word. Syntax errors (kInvalidArgument) contain their position.
class WordExpression {
 public:
  static absl::StatusOr<WordExpression> Parse(const std::string& text);
  bool Holds(absl::string_view address) const;

 private:
  enum class Kind : uint8_t { kWord, kNot, kAnd, kOr };
  struct Node {
    Kind kind;
    std::string word;
    int left = -1, right = -1;
  };
  friend class WordParser;
  bool Holds(int node, absl::string_view address) const;
  std::vector<Node> nodes_;
  int root_ = -1;
};

// Keeps the cases for which the expression is true. Fails if none is left.
absl::Status KeepWords(const std::string& expression, std::vector<Case>& cases);

// Keeps the cases whose address is in `addresses`. Fails if none is left.
absl::Status KeepAddresses(const std::vector<std::string>& addresses, const std::string& what,
                           std::vector<Case>& cases);

// Returns the name with the smallest edit distance, or "" if none is near.
std::string NearestAddress(const std::string& query, const std::vector<std::string>& names);
// Returns the end of the error message for a query that selects no address: "; '*QUERY*' selects 3,
// such as ...", "; nearest: ...", or "".
std::string NearestQuery(const std::string& query, const std::vector<std::string>& addresses);

}  // namespace hlocts::suites
