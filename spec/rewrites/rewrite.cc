// SPDX-License-Identifier: Apache-2.0
#include "spec/rewrites/rewrite.h"

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/base/status.h"
#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ops/groups.h"

namespace hlocts {
namespace {

// Parses the expressions of rewrites.def: "multiply(a,rsqrt(b))".

struct Expression {
  enum class Kind : uint8_t { kOperation, kValue, kNumber, kLiteral };
  Kind kind = Kind::kValue;
  Opcode opcode = Opcode::kParameter;  // kOperation
  std::vector<Expression> operands;
  char letter = 0;   // kValue: a, b or c; kNumber: k or l
  double value = 0;  // kLiteral
};

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
    Expression expression{.kind = Expression::Kind::kOperation, .opcode = *opcode};
    do {
      HLOCTS_ASSIGN_OR_RETURN(Expression operand, Next());
      expression.operands.push_back(std::move(operand));
    } while (Take(','));
    if (!Take(')')) return InvalidInput("expected \")\", found \"", text_, "\"");
    return expression;
  }

  absl::string_view text_;
};

absl::StatusOr<Expression> ParseExpression(absl::string_view text) { return Reader(text).Whole(); }

constexpr Rewrite kRewrites[] = {
#define HLOCTS_REWRITE(name, pattern, replacement, profile, guard, ruling) \
  {name, pattern, replacement, Profile::profile, RewriteGuard::guard, ruling},
#include "spec/rewrites/rewrites.def"
#undef HLOCTS_REWRITE
};

struct Prepared {
  const Rewrite* rewrite;
  Expression pattern, replacement;
};

const std::vector<Prepared>& PreparedRewrites() {
  static const auto* prepared = [] {
    auto* rows = new std::vector<Prepared>();
    for (const Rewrite& rewrite : kRewrites) {
      auto pattern = ParseExpression(rewrite.pattern);
      auto replacement = ParseExpression(rewrite.replacement);
      // LintRewrites reports rows that do not parse.
      if (pattern.ok() && replacement.ok()) {
        rows->push_back({&rewrite, *std::move(pattern), *std::move(replacement)});
      }
    }
    return rows;
  }();
  return *prepared;
}

// Returns the one-element constant that the instruction is or broadcasts, or null.
const Instruction* ConstantUnder(const Instruction& instruction) {
  const Instruction* at = &instruction;
  while (at->opcode() == Opcode::kBroadcast) at = at->operands()[0];
  bool single = at->IsConstant() && at->shape().IsArray() && at->shape().ElementCount() == 1;
  return single ? at : nullptr;
}

double NumberOf(const Instruction& constant) {
  const Literal& literal = constant.literal();
  PrimitiveType type = literal.element_type();
  if (type == PrimitiveType::kF64) return literal.data<double>()[0];
  if (type == PrimitiveType::kF32) return literal.data<float>()[0];
  return DecodeFloat(FormatOf(type), StoredBits(literal.raw_data(), StorageBytes(type)));
}

// The instructions bound to the letters of a pattern.
struct Binding {
  std::map<char, const Instruction*> values;

  bool Bind(char letter, const Instruction& instruction) {
    auto [found, inserted] = values.try_emplace(letter, &instruction);
    return inserted || found->second == &instruction;
  }
};

bool Commutes(Opcode opcode) { return ops::IsRingOperation(opcode); }

bool Matches(const Expression& pattern, const Instruction& instruction, Binding& binding);

bool OperandsMatch(const Expression& pattern, const Instruction& instruction, bool swapped,
                   Binding& binding) {
  size_t count = pattern.operands.size();
  Binding attempt = binding;
  for (size_t i = 0; i < count; ++i) {
    const Instruction& operand = *instruction.operands()[swapped ? count - 1 - i : i];
    if (!Matches(pattern.operands[i], operand, attempt)) return false;
  }
  binding = std::move(attempt);
  return true;
}

bool Matches(const Expression& pattern, const Instruction& instruction, Binding& binding) {
  const Instruction* constant = nullptr;
  switch (pattern.kind) {
    case Expression::Kind::kValue:
      return binding.Bind(pattern.letter, instruction);
    case Expression::Kind::kNumber:
      constant = ConstantUnder(instruction);
      return constant != nullptr && binding.Bind(pattern.letter, *constant);
    case Expression::Kind::kLiteral:
      constant = ConstantUnder(instruction);
      return constant != nullptr && NumberOf(*constant) == pattern.value;
    case Expression::Kind::kOperation:
      break;
  }
  if (instruction.opcode() != pattern.opcode) return false;
  if (instruction.operands().size() != pattern.operands.size()) return false;
  return OperandsMatch(pattern, instruction, false, binding) ||
         (Commutes(pattern.opcode) && OperandsMatch(pattern, instruction, true, binding));
}

bool GuardHolds(RewriteGuard guard, const Binding& binding, PrimitiveType type) {
  if (guard == RewriteGuard::kAlways) return true;
  auto k = binding.values.find('k');
  if (k == binding.values.end()) return false;
  double reciprocal = std::fabs(1 / NumberOf(*k->second));
  const FloatFormat& format = FormatOf(type);
  double least_normal = DecodeFloat(format, uint64_t{1} << format.mantissa_bits);
  return reciprocal < least_normal && reciprocal > 0;
}

class Replacer {
 public:
  Replacer(const Instruction& at, const Rewrite& rewrite, const Binding& binding)
      : at_(at), binding_(binding) {
    match_.rewrite = &rewrite;
    match_.instruction = &at;
    match_.replacement = std::make_unique<Module>(std::string(rewrite.name));
    computation_ =
        match_.replacement->Add(std::make_unique<Computation>(std::string(rewrite.name)));
  }

  RewriteMatch Build(const Expression& replacement) {
    computation_->set_root(Make(replacement));
    match_.replacement->set_entry(computation_);
    return std::move(match_);
  }

 private:
  Instruction* Add(Opcode opcode, const Shape& shape, std::vector<Instruction*> operands) {
    std::string name = absl::StrCat(at_.name(), " as ", match_.rewrite->name);
    if (++count_ > 1) absl::StrAppend(&name, ".", count_);
    auto added = std::make_unique<Instruction>(std::move(name), opcode, shape);
    added->mutable_operands() = std::move(operands);
    return computation_->Add(std::move(added));
  }
  Instruction* Constant(Literal literal) {
    Shape scalar = Shape::Scalar(at_.shape().element_type());
    Instruction* constant = Add(Opcode::kConstant, scalar, {});
    constant->set_literal(literal.WithShape(scalar));
    if (at_.shape().rank() == 0) return constant;
    Instruction* spread = Add(Opcode::kBroadcast, at_.shape(), {constant});
    spread->Set(Attr::kDimensions, std::vector<int64_t>());
    return spread;
  }
  Instruction* Number(double value) {
    PrimitiveType type = at_.shape().element_type();
    Literal literal(Shape::Scalar(type));
    if (type == PrimitiveType::kF64) {
      literal.mutable_data<double>()[0] = value;
    } else {
      uint64_t bits = EncodeFloat(FormatOf(type), value);
      std::memcpy(literal.mutable_raw_data(), &bits, literal.raw_size());
    }
    return Constant(std::move(literal));
  }
  Instruction* Make(const Expression& expression) {
    if (expression.kind == Expression::Kind::kLiteral) return Number(expression.value);
    if (expression.kind == Expression::Kind::kOperation) {
      std::vector<Instruction*> operands;
      for (const Expression& operand : expression.operands) operands.push_back(Make(operand));
      return Add(expression.opcode, at_.shape(), std::move(operands));
    }
    Instruction*& made = made_[expression.letter];
    if (made != nullptr) return made;
    const Instruction& bound = *binding_.values.at(expression.letter);
    if (expression.kind == Expression::Kind::kNumber) return made = Constant(bound.literal());
    made = Add(Opcode::kParameter, bound.shape(), {});
    made->set_parameter_number(static_cast<int64_t>(match_.operands.size()));
    match_.operands.push_back(&bound);
    return made;
  }

  const Instruction& at_;
  const Binding& binding_;
  RewriteMatch match_;
  Computation* computation_;
  std::map<char, Instruction*> made_;
  int count_ = 0;
};

void CollectLetters(const Expression& expression, std::set<char>& letters) {
  if (expression.letter != 0) letters.insert(expression.letter);
  for (const Expression& operand : expression.operands) CollectLetters(operand, letters);
}

std::string LintRow(const Rewrite& rewrite) {
  if (rewrite.profile == Profile::kStrict) return "no rewrite is allowed in the strict profile";
  if (rewrite.ruling.empty()) return "expected a ruling, found none";
  auto pattern = ParseExpression(rewrite.pattern);
  auto replacement = ParseExpression(rewrite.replacement);
  if (!pattern.ok()) return std::string(pattern.status().message());
  if (!replacement.ok()) return std::string(replacement.status().message());
  if (pattern->kind != Expression::Kind::kOperation) return "expected an operation as pattern";
  std::set<char> given, used;
  CollectLetters(*pattern, given);
  CollectLetters(*replacement, used);
  for (char letter : used) {
    if (given.count(letter) == 0)
      return absl::StrCat("the pattern does not contain ", std::string(1, letter));
  }
  return "";
}

}  // namespace

absl::Span<const Rewrite> AllRewrites() { return kRewrites; }

std::vector<RewriteMatch> FindRewrites(const Computation& computation, Profile profile) {
  std::vector<RewriteMatch> matches;
  if (profile == Profile::kStrict) return matches;
  for (const auto& instruction : computation.instructions()) {
    PrimitiveType type = instruction->shape().element_type();
    if (!IsFloat(type) || instruction->shape().is_dynamic()) continue;
    for (const Prepared& row : PreparedRewrites()) {
      Binding binding;
      if (row.rewrite->profile > profile || instruction->opcode() != row.pattern.opcode) continue;
      if (!Matches(row.pattern, *instruction, binding)) continue;
      if (!GuardHolds(row.rewrite->guard, binding, type)) continue;
      matches.push_back(Replacer(*instruction, *row.rewrite, binding).Build(row.replacement));
    }
  }
  return matches;
}

std::vector<std::string> LintRewrites() {
  std::vector<std::string> problems;
  std::set<absl::string_view> names;
  for (const Rewrite& rewrite : kRewrites) {
    std::string problem = LintRow(rewrite);
    if (problem.empty() && !names.insert(rewrite.name).second) problem = "the name is not unique";
    if (!problem.empty()) problems.push_back(absl::StrCat(rewrite.name, ": ", problem));
  }
  return problems;
}

}  // namespace hlocts
