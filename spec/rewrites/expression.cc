// SPDX-License-Identifier: Apache-2.0
#include "spec/rewrites/expression.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace hlocts {
namespace {

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<Expression> Whole() {
    HLOCTS_ASSIGN_OR_RETURN(Expression expression, Next());
    if (!text_.empty()) return InvalidInput("expected the end, found \"", text_, "\"");
    return expression;
  }

 private:
  absl::string_view Word() {
    size_t end = text_.find_first_of("(,)");
    absl::string_view word = text_.substr(0, end);
    text_.remove_prefix(word.size());
    return word;
  }
  bool Take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  absl::StatusOr<Expression> Next() {
    absl::string_view word = Word();
    Expression expression;
    if (Take('(')) return Operation(word);
    if (word.size() == 1 && absl::ascii_isalpha(word[0])) {
      expression.letter = word[0];
      expression.kind = word[0] < 'k' ? Expression::Kind::kValue : Expression::Kind::kNumber;
      return expression;
    }
    expression.kind = Expression::Kind::kLiteral;
    if (absl::SimpleAtod(word, &expression.value)) return expression;
    return InvalidInput("expected a letter, a number or an operation, found \"", word, "\"");
  }

  absl::StatusOr<Expression> Operation(absl::string_view name) {
    auto opcode = OpcodeFromName(name);
    if (!opcode) return InvalidInput("expected an opcode, found \"", name, "\"");
    Expression expression;
    expression.kind = Expression::Kind::kOperation;
    expression.opcode = *opcode;
    do {
      HLOCTS_ASSIGN_OR_RETURN(Expression operand, Next());
      expression.operands.push_back(std::move(operand));
    } while (Take(','));
    if (!Take(')')) return InvalidInput("expected \")\", found \"", text_, "\"");
    return expression;
  }

  absl::string_view text_;
};

}  // namespace

absl::StatusOr<Expression> ParseExpression(absl::string_view text) { return Reader(text).Whole(); }

}  // namespace hlocts
