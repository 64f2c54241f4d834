// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/judging.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "absl/strings/str_format.h"
#include "spec/ir/index_util.h"

namespace hlocts::tools {
namespace {

// Where the set is widest: the element a reader of a pass wants explained.
struct Widest {
  int64_t output = -1;
  int64_t index = 0;
  double bits = -1;
};

Widest WidestElement(const ModuleAcceptance& accepted) {
  Widest widest;
  for (size_t o = 0; o < accepted.leaves.size(); ++o) {
    const LeafAcceptance& leaf = accepted.leaves[o];
    if (leaf.token || leaf.set.element_count() == 0) continue;
    if (widest.output < 0) widest = {static_cast<int64_t>(o), 0, 0};
    if (leaf.set.exact()) continue;
    PrimitiveType component = ComponentType(leaf.set.element_type());
    for (int64_t i = 0; i < leaf.set.element_count(); ++i) {
      double bits = Log2Count(leaf.set.At(i), component);
      if (bits > widest.bits) widest = {static_cast<int64_t>(o), i, bits};
    }
  }
  return widest;
}

}  // namespace

absl::StatusOr<backends::DiffOptions> MakeDiffOptions(const Job& job, const std::string& profile,
                                                      const CommonOptions& common) {
  backends::DiffOptions options;
  auto parsed = ProfileFromName(profile);
  if (!parsed) {
    return InvalidInput("profile \"", profile, "\": expected strict, default or relaxed");
  }
  options.profile = *parsed;
  options.load = common.ToLoadOptions(*job.module);
  return options;
}

void Complete(const Job& job, reports::Verdict& verdict) {
  verdict.module = job.module_name;
  verdict.seed = job.seed;
}

void PrintVerdict(const reports::Verdict& verdict, bool json) {
  std::cout << (json ? reports::VerdictToJson(verdict) : reports::VerdictToText(verdict))
            << std::endl;
}

namespace {

void PrintEffectiveBits(const reports::Verdict& verdict) {
  if (verdict.effective_bits_median < 0) return;
  std::cout << absl::StrFormat(
                   "effective bits of floating-point elements: median %.1f, 5th percentile %.1f, "
                   "%.1f%% below 2 bits; %d of %d elements unspecified",
                   verdict.effective_bits_median, verdict.effective_bits_p5,
                   100 * verdict.below_two_bits_share, verdict.unspecified_elements,
                   verdict.elements)
            << std::endl;
}

}  // namespace

void PrintExplanation(backends::Differ& differ, const reports::Verdict& verdict, int64_t partitions,
                      const std::vector<std::string>& facts) {
  PrintEffectiveBits(verdict);
  if (!verdict.blame.empty()) std::cout << verdict.blame << std::endl;
  if (verdict.failure_in_piece) return;
  auto accepted = differ.Acceptance(verdict.replica * partitions, facts);
  if (!accepted.ok()) {
    std::fprintf(stderr, "hlocts: nothing to explain: %s\n",
                 std::string(accepted.status().message()).c_str());
    return;
  }
  Widest element = WidestElement(**accepted);
  if (verdict.first_failure) {
    const LeafAcceptance& leaf = (*accepted)->leaves[verdict.first_failure->output];
    element.output = verdict.first_failure->output;
    element.index =
        LinearIndex(verdict.first_failure->index, RowMajorStrides(leaf.shape.dimensions()));
  }
  if (element.output < 0) return;
  std::cout << ExplainElement(**accepted, element.output, element.index) << std::endl;
}

int ExitStatusOf(const std::vector<reports::Verdict>& verdicts) {
  int status = kExitOk;
  for (const reports::Verdict& verdict : verdicts) status = std::max(status, ExitStatusOf(verdict));
  return status;
}

}  // namespace hlocts::tools
