// SPDX-License-Identifier: Apache-2.0
#include "suites/selection.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "spec/base/nearest.h"

namespace hlocts::suites {

// The grammar: or := and ("or" and)*; and := not ("and" not)*; not := "not" not | "(" or ")" | word
class WordParser {
 public:
  explicit WordParser(const std::string& text) : text_(text) { Advance(); }

  absl::StatusOr<WordExpression> Parse() {
    HLOCTS_ASSIGN_OR_RETURN(result_.root_, Or());
    if (!token_.empty()) return Expected("and, or, or the end");
    return std::move(result_);
  }

 private:
  absl::Status Expected(absl::string_view what) const {
    return InvalidInput("-k \"", text_, "\": expected ", what, ", found ",
                        token_.empty() ? "the end" : token_);
  }
  void Advance() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
    size_t begin = at_;
    if (at_ < text_.size() && (text_[at_] == '(' || text_[at_] == ')')) {
      ++at_;
    } else {
      while (at_ < text_.size() && !absl::ascii_isspace(text_[at_]) && text_[at_] != '(' &&
             text_[at_] != ')') {
        ++at_;
      }
    }
    token_ = text_.substr(begin, at_ - begin);
  }
  int Add(WordExpression::Kind kind, const std::string& word, int left, int right) {
    result_.nodes_.push_back({kind, word, left, right});
    return static_cast<int>(result_.nodes_.size()) - 1;
  }
  absl::StatusOr<int> Chain(absl::string_view word, WordExpression::Kind kind,
                            absl::StatusOr<int> (WordParser::*part)()) {
    HLOCTS_ASSIGN_OR_RETURN(int left, (this->*part)());
    while (token_ == word) {
      Advance();
      HLOCTS_ASSIGN_OR_RETURN(int right, (this->*part)());
      left = Add(kind, "", left, right);
    }
    return left;
  }
  absl::StatusOr<int> Or() { return Chain("or", WordExpression::Kind::kOr, &WordParser::And); }
  absl::StatusOr<int> And() { return Chain("and", WordExpression::Kind::kAnd, &WordParser::Not); }
  absl::StatusOr<int> Not() {
    constexpr int kDepthMax = 100;
    if (++depth_ > kDepthMax) return Expected("fewer brackets");
    if (token_ == "not") {
      Advance();
      HLOCTS_ASSIGN_OR_RETURN(int operand, Not());
      return Add(WordExpression::Kind::kNot, "", operand, -1);
    }
    if (token_ == "(") {
      Advance();
      HLOCTS_ASSIGN_OR_RETURN(int inner, Or());
      if (token_ != ")") return Expected("')'");
      Advance();
      return inner;
    }
    if (token_.empty() || token_ == ")" || token_ == "and" || token_ == "or")
      return Expected("a word");
    int word = Add(WordExpression::Kind::kWord, token_, -1, -1);
    Advance();
    return word;
  }

  const std::string text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string token_;
  WordExpression result_;
};

absl::StatusOr<WordExpression> WordExpression::Parse(const std::string& text) {
  return WordParser(text).Parse();
}

bool WordExpression::Holds(absl::string_view address) const { return Holds(root_, address); }

bool WordExpression::Holds(int at, absl::string_view address) const {
  const Node& node = nodes_[at];
  switch (node.kind) {
    case Kind::kWord:
      return absl::StrContains(address, node.word);
    case Kind::kNot:
      return !Holds(node.left, address);
    case Kind::kAnd:
      return Holds(node.left, address) && Holds(node.right, address);
    case Kind::kOr:
      return Holds(node.left, address) || Holds(node.right, address);
  }
  return false;
}

absl::Status KeepWords(const std::string& expression, std::vector<Case>& cases) {
  if (expression.empty()) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(WordExpression words, WordExpression::Parse(expression));
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [&](const Case& one) { return !words.Holds(one.address); }),
              cases.end());
  if (cases.empty()) return InvalidInput("-k \"", expression, "\" selects no case");
  return absl::OkStatus();
}

absl::Status KeepAddresses(const std::vector<std::string>& addresses, const std::string& what,
                           std::vector<Case>& cases) {
  const std::set<std::string> kept(addresses.begin(), addresses.end());
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [&](const Case& one) { return kept.count(one.address) == 0; }),
              cases.end());
  if (cases.empty()) return InvalidInput(what, ": selects no case");
  return absl::OkStatus();
}

std::string NearestAddress(const std::string& query, const std::vector<std::string>& names) {
  std::string nearest = Nearest(query, names);
  if (!nearest.empty()) return nearest;
  // Also compares with the area alone and with the operation alone.
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    parts.push_back(name.substr(0, name.find('/')));
    parts.push_back(name.substr(name.find('/') + 1));
  }
  std::string part = Nearest(query, parts);
  for (const std::string& name : names) {
    if (part.empty()) break;
    if (name.substr(0, name.find('/')) == part) return part;
    if (name.substr(name.find('/') + 1) == part) return name;
  }
  return "";
}

std::string NearestQuery(const std::string& query, const std::vector<std::string>& addresses) {
  constexpr size_t kShortest = 3;
  const auto holds = [&](const std::string& address) { return absl::StrContains(address, query); };
  const auto first = std::find_if(addresses.begin(), addresses.end(), holds);
  if (query.size() >= kShortest && first != addresses.end()) {  // it would match with stars
    // If an address begins with the query, a star at the end suffices.
    const std::string starred =
        absl::StartsWith(*first, query) ? absl::StrCat(query, "*") : absl::StrCat("*", query, "*");
    return absl::StrCat(
        "; '", starred, "' selects ",
        std::count_if(addresses.begin(), addresses.end(),
                      [&](const std::string& one) { return QueryMatches(starred, one); }),
        " cases, such as ", *first);
  }
  std::vector<std::string> operations;
  for (const std::string& address : addresses) {
    std::string operation = address.substr(0, address.find(':'));
    if (operations.empty() || operations.back() != operation) operations.push_back(operation);
  }
  std::string nearest = NearestAddress(query, operations);
  return nearest.empty() ? "" : absl::StrCat("; nearest: ", nearest);
}

}  // namespace hlocts::suites
