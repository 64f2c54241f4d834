// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/printed_result.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "reports/verdict.h"
#include "spec/files/literals_file.h"

namespace hlocts::backends {
namespace {

// Replaces every NaN in the text of a leaf by "nan".
std::string WithPlainNans(std::string text) {
  for (size_t at; (at = text.find("nan(")) != std::string::npos;) {
    text.erase(at + 3, text.find(')', at) + 1 - (at + 3));
  }
  for (size_t at; (at = text.find("-nan")) != std::string::npos;) text.erase(at, 1);
  return text;
}

// Returns true if the bits are equal. A printed "nan" without sign and payload equals any NaN.
bool IsPrinted(const Literal& printed, const Literal& actual) {
  if (printed.BitwiseEqual(actual)) return true;
  std::string text = FormatLeaf(printed);
  return text == WithPlainNans(text) && text == WithPlainNans(FormatLeaf(actual));
}

// Describes the first difference; "" if all outputs are as printed.
std::string Mismatch(const std::vector<std::vector<Literal>>& printed,
                     const std::vector<std::vector<Literal>>& outputs) {
  for (size_t d = 0; d < printed.size() && d < outputs.size(); ++d) {
    for (size_t i = 0; i < printed[d].size() && i < outputs[d].size(); ++i) {
      if (IsPrinted(printed[d][i], outputs[d][i])) continue;
      return absl::StrCat("output ", i, " of device ", d, " is ", FormatLeaf(outputs[d][i]),
                          ", expected ", FormatLeaf(printed[d][i]), " (@expect or --expect)");
    }
  }
  return "";
}

}  // namespace

void ApplyPrintedResult(const std::vector<std::vector<Literal>>& printed,
                        const std::vector<std::vector<Literal>>& outputs,
                        reports::Verdict& verdict) {
  if (printed.empty()) return;
  std::string mismatch = Mismatch(printed, outputs);
  // A document prints the result of an engine without facts that depart from it.
  if (!mismatch.empty() && !verdict.departures.empty()) return;
  if (!mismatch.empty()) {
    verdict.kind = Outcome::kFail;
    verdict.reason = mismatch;
  } else if (verdict.kind == Outcome::kInconclusive) {
    verdict.kind = Outcome::kPass;
    verdict.reason = "the outputs equal @expect; the acceptance sets alone are inconclusive";
  }
}

}  // namespace hlocts::backends
