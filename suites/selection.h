// SPDX-License-Identifier: Apache-2.0
// Which cases a run takes beyond queries: words in the address, and those that failed before.
#ifndef HLOCTS_SUITES_SELECTION_H_
#define HLOCTS_SUITES_SELECTION_H_

#include <memory>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "suites/case.h"

namespace hlocts::suites {

// `bf16 and not (nan or inf)`: a word holds of an address that contains it. kInvalidArgument says
// where the expression is wrong.
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

// Keeps the cases of which the expression holds; an error when none is left.
absl::Status KeepWords(const std::string& expression, std::vector<Case>& cases);

// Keeps the cases whose address stands in `addresses`; an error when none is left.
absl::Status KeepAddresses(const std::vector<std::string>& addresses, const std::string& what,
                           std::vector<Case>& cases);

// Of `names` the one with the fewest letters changed, "" when none is near.
std::string NearestAddress(const std::string& query, const std::vector<std::string>& names);
// Of a query that selects none of the addresses, behind its error: "; '*QUERY*' selects 3, such as
// ...", "; nearest: ...", or "".
std::string NearestQuery(const std::string& query, const std::vector<std::string>& addresses);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_SELECTION_H_
