// SPDX-License-Identifier: Apache-2.0
// Tests that element-wise operations run on every bit pattern of narrow types. Prints the
// operations that no case covers in this way.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"
#include "spec/text/parser.h"
#include "suites/case.h"

namespace hlocts::suites {
namespace {

constexpr int kNarrow = 16;  // bits

std::string Key(Opcode opcode, PrimitiveType from, PrimitiveType to) {
  std::string key = absl::StrCat(OpcodeName(opcode), " of ", PrimitiveTypeName(from));
  return from == to ? key : absl::StrCat(key, " to ", PrimitiveTypeName(to));
}

int64_t Patterns(PrimitiveType type) {
  return type == PrimitiveType::kPred ? 2 : int64_t{1} << BitWidth(type);
}

// Returns true for a parameter with at least as many elements as its type has bit patterns.
bool HoldsEveryPattern(const Instruction& operand) {
  const Shape& shape = operand.shape();
  if (operand.opcode() != Opcode::kParameter || !shape.IsArray()) return false;
  int bits = BitWidth(shape.element_type());
  return bits > 0 && bits <= kNarrow && shape.ElementCount() >= Patterns(shape.element_type());
}

// Returns the operand before its broadcast. Binary operations get all pairs by two broadcasts.
const Instruction& Source(const Instruction& operand) {
  return operand.opcode() == Opcode::kBroadcast ? operand.operand(0) : operand;
}

// Returns what cases cover, e.g. "tanh of bf16", "convert of s8 to f16", "add of u8" (all pairs).
std::set<std::string> Covered() {
  std::set<std::string> covered;
  auto cases = LoadCases(HLOCTS_SOURCE_DIR "/suites/cases");
  EXPECT_TRUE(cases.ok()) << cases.status();
  for (const Case& one : *cases) {
    if (one.style != generators::ArgumentStyle::kAllBits) continue;
    auto module = ParseModule(one.module_text);
    if (!module.ok()) continue;
    for (const auto& instruction : (*module)->entry()->instructions()) {
      Family family = RowOf(instruction->opcode()).family;
      bool unary = instruction->operand_count() == 1;
      bool binary = instruction->operand_count() == 2 && family == Family::kElementwiseBinary;
      if (!unary && !binary) continue;
      const Instruction& source = Source(instruction->operand(0));
      if (!HoldsEveryPattern(source)) continue;
      int64_t patterns = Patterns(source.shape().element_type());
      if (binary && instruction->shape().ElementCount() < patterns * patterns) continue;
      covered.insert(Key(instruction->opcode(), source.shape().element_type(),
                         instruction->shape().element_type()));
      covered.insert(
          Key(instruction->opcode(), source.shape().element_type(), source.shape().element_type()));
    }
  }
  return covered;
}

std::vector<PrimitiveType> NarrowTypes(TypeSet types, int bits_max) {
  std::vector<PrimitiveType> narrow;
  for (int t = 0; t < 64; ++t) {
    auto type = static_cast<PrimitiveType>(t);
    if (!Contains(types, type) || !IsArrayType(type) || IsComplex(type)) continue;
    if (BitWidth(type) > 1 && BitWidth(type) <= bits_max) narrow.push_back(type);
  }
  return narrow;
}

TEST(ExhaustiveTest, UnaryOperationsOfAllPatterns) {
  const std::set<std::string> covered = Covered();
  std::vector<std::string> missing;
  for (Opcode opcode : AllOpcodes()) {
    const OpRow& row = RowOf(opcode);
    if (row.family != Family::kElementwiseUnary || row.documented_as.empty()) continue;
    for (PrimitiveType type : NarrowTypes(row.types, kNarrow)) {
      std::string key = Key(opcode, type, type);
      if (!covered.count(key)) missing.push_back(key);
    }
  }
  EXPECT_EQ(absl::StrJoin(missing, ", "), "") << "add to the case `exhaustive` of the operation";
}

TEST(ExhaustiveTest, BinaryOperationsOfAllPairsOfEightBits) {
  const std::set<std::string> covered = Covered();
  std::vector<std::string> missing;
  for (Opcode opcode : AllOpcodes()) {
    const OpRow& row = RowOf(opcode);
    if (row.family != Family::kElementwiseBinary || row.documented_as.empty()) continue;
    if (opcode == Opcode::kComplex) continue;  // exists only for f32 and f64
    for (PrimitiveType type : NarrowTypes(row.types, 8)) {
      std::string key = Key(opcode, type, type);
      if (!covered.count(key) && key != "subtract of pred") missing.push_back(key);  // invalid
    }
  }
  EXPECT_EQ(absl::StrJoin(missing, ", "), "") << "add to the case `exhaustive` of the operation";
}

TEST(ExhaustiveTest, ConversionsBetweenNarrowTypes) {
  const std::set<std::string> covered = Covered();
  std::vector<std::string> missing;
  const std::vector<PrimitiveType> types = NarrowTypes(RowOf(Opcode::kConvert).types, kNarrow);
  for (PrimitiveType from : types) {
    for (PrimitiveType to : types) {
      std::string key = Key(Opcode::kConvert, from, to);
      if (!covered.count(key)) missing.push_back(key);
    }
  }
  EXPECT_EQ(absl::StrJoin(missing, ", "), "") << "add to the case `exhaustive` of convert";
}

}  // namespace
}  // namespace hlocts::suites
