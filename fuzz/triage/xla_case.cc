// SPDX-License-Identifier: Apache-2.0
// Generates a test of the failure for XLA's repository. It uses HloPjRtTestBase.
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/backend.h"
#include "fuzz/triage/bundle_texts.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/judge/joint.h"
#include "spec/judge/judge.h"
#include "spec/ops/partitions.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

constexpr int64_t kPrintedMax = 16;  // longer arguments get no comment

// Returns code that makes a literal from its bytes, as XLA stores it. Decimals may be inexact.
std::string Argument(const Literal& literal, size_t number) {
  std::vector<std::string> bytes;
  for (size_t i = 0; i < literal.raw_size(); ++i)
    bytes.push_back(absl::StrFormat("0x%02x", literal.raw_data()[i]));
  const std::string name = absl::StrCat("arg", number);
  std::string text;
  if (literal.element_count() <= kPrintedMax)
    absl::StrAppend(&text, "  // ", PrintLiteralWithShape(literal), "\n");
  absl::StrAppend(&text, "  Literal ", name, "(ShapeUtil::MakeShape(",
                  absl::AsciiStrToUpper(PrimitiveTypeName(literal.element_type())), ", {",
                  absl::StrJoin(literal.shape().dimensions(), ", "), "}));\n");
  if (bytes.empty()) return text;
  absl::StrAppend(&text, "  const uint8_t ", name, "_bytes[] = {", absl::StrJoin(bytes, ", "),
                  "};\n  std::memcpy(", name, ".untyped_data(), ", name, "_bytes, sizeof(", name,
                  "_bytes));\n");
  return text;
}

std::string Number(double value) {
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  return absl::StrFormat("%.17g", value);
}

// Returns the condition that `*value` must satisfy, or "" if any value is accepted.
std::string Condition(const AcceptanceSet& set) {
  if (set.unspecified()) return "";
  std::vector<std::string> choices;
  const double lo = set.integer() ? static_cast<double>(set.ilo) : set.lo;
  const double hi = set.integer() ? static_cast<double>(set.ihi) : set.hi;
  if (set.integer() || set.finite()) {
    choices.push_back(
        lo == hi ? absl::StrCat("*value == ", Number(lo))
                 : absl::StrCat("(*value >= ", Number(lo), " && *value <= ", Number(hi), ")"));
    const bool signs = set.Has(AcceptanceSet::kPosZero) != set.Has(AcceptanceSet::kNegZero);
    if (!set.integer() && lo == 0 && hi == 0 && signs)
      choices[0] = absl::StrCat("(*value == 0 && std::signbit(*value) == ",
                                set.Has(AcceptanceSet::kNegZero) ? "true)" : "false)");
  }
  if (set.Has(AcceptanceSet::kPosInf)) choices.push_back("*value == INFINITY");
  if (set.Has(AcceptanceSet::kNegInf)) choices.push_back("*value == -INFINITY");
  if (set.Has(AcceptanceSet::kNan) || set.Has(AcceptanceSet::kBitsKnown))
    choices.push_back("std::isnan(*value)");
  return absl::StrJoin(choices, " || ");
}

// Returns the index of leaf `number` of the result.
ShapeIndex PathOf(const Shape& shape, int64_t number) {
  ShapeIndex path;
  int64_t leaf = 0;
  ForEachLeaf(shape, [&](const Shape&, const ShapeIndex& index) {
    if (leaf++ == number) path = index;
  });
  return path;
}

// Returns the check of a wrong number in an output of the whole module; "" for other failures.
std::string Expectation(const Bundle& bundle) {
  const reports::Verdict& verdict = bundle.result.verdict;
  const auto& failure = verdict.first_failure;
  if (!failure || verdict.localisation.in_piece) return "";
  auto accepted = AcceptanceFromJsonl(bundle.expected);
  if (!accepted.ok() || failure->output >= static_cast<int64_t>(accepted->leaves.size())) return "";
  const SetArray& array = accepted->leaves[failure->output].set;
  const Shape& shape = array.shape();
  if (array.joint != nullptr || array.components() != 1 ||
      shape.rank() != static_cast<int64_t>(failure->index.size())) {
    return "";
  }
  const std::string condition =
      Condition(array.At(LinearIndex(failure->index, RowMajorStrides(shape.dimensions()))));
  if (condition.empty()) return "";
  const ShapeIndex path = PathOf(bundle.sample.module->entry()->root()->shape(), failure->output);
  const bool whole = IsFloat(shape.element_type());
  return absl::StrCat(
      "  // Got ", failure->actual, "; allowed: ", failure->accepted, ".\n",
      "  const auto value = LiteralSlice(result, {", absl::StrJoin(path, ", "), "}).",
      whole ? "GetAsDouble" : "GetIntegralAsS64", "({", absl::StrJoin(failure->index, ", "),
      "});\n", "  ASSERT_TRUE(value.has_value());\n  EXPECT_TRUE(", condition, ") << *value;\n");
}

}  // namespace

std::string BundleXlaTest(const Bundle& bundle) {
  const std::string head = absl::StrCat(
      "TEST_F(HloPjRtTestBase, HloctsRepro) {\n  constexpr absl::string_view kHlo = R\"hlo(\n",
      PrintModule(*bundle.sample.module, PrintOptions::Short()), ")hlo\";\n");
  if (bundle.options.invalid)
    return absl::StrCat(head, "  EXPECT_FALSE(ParseAndReturnVerifiedModule(kHlo).ok());\n}\n");
  std::string arguments;
  if (IsSharded(*bundle.sample.module))
    arguments = absl::StrFormat("  // The failure needs %d partitions; Execute runs one.\n",
                                bundle.sample.module->num_partitions);
  std::vector<std::string> addresses;
  for (size_t i = 0; i < bundle.sample.arguments.size(); ++i) {
    arguments += Argument(bundle.sample.arguments[i], i);
    addresses.push_back(absl::StrCat("&arg", i));
  }
  return absl::StrCat(
      head, arguments,
      "  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(kHlo));\n",
      "  TF_ASSERT_OK_AND_ASSIGN(Literal result, Execute(std::move(module), {",
      absl::StrJoin(addresses, ", "), "}));\n", Expectation(bundle), "}\n");
}

}  // namespace hlocts::fuzz
