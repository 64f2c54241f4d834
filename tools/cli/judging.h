// What judge and diff share: a Differ over a job, and how verdicts and explanations are printed.
#ifndef HLOCTS_TOOLS_CLI_JUDGING_H_
#define HLOCTS_TOOLS_CLI_JUDGING_H_

#include <string>
#include <vector>

#include "backends/differ/differ.h"
#include "tools/cli/common.h"

namespace hlocts {

absl::StatusOr<DiffOptions> MakeDiffOptions(const Job& job, const std::string& profile,
                                            const CommonOptions& common);

// Fills in what only the caller knows.
void Complete(const Job& job, Verdict& verdict);

// Prints verdicts as text or JSON lines; with `differ`, an explanation of the failing element, or of
// the widest set when all passed.
void PrintVerdict(const Verdict& verdict, bool json);
void PrintExplanation(Differ& differ, const Verdict& verdict, int64_t partitions,
                      const std::vector<std::string>& facts);

// The worst exit status of the verdicts.
int ExitStatusOf(const std::vector<Verdict>& verdicts);

}  // namespace hlocts

#endif  // HLOCTS_TOOLS_CLI_JUDGING_H_
