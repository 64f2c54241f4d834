// SPDX-License-Identifier: Apache-2.0
// Formats a verdict for people: the computed value, the allowed values and the distance, the
// operands, the sentence of the documents with its address, the ruling, how the failure was found,
// and the command that reproduces it.
#pragma once

#include <string>

#include "reports/sentences.h"
#include "reports/verdict_fwd.h"

namespace hlocts::tools {

// Returns the text of a verdict. `replay` is a command line, or "". `narrower` is advice on how to
// narrow the sets; if it is "", the text suggests options (--explain unless `explained`) and facts
// about the freedoms.
std::string VerdictReport(const reports::Verdict& verdict, const std::string& replay = "",
                          bool explained = false, const std::string& narrower = "");

// Returns the sentences for a verdict whose widest set is that of a reduction without a rule: no
// fact narrows it, and the module before compilation may be judged instead.
std::string OpenReductionText(const reports::Verdict& verdict);

// Returns advice on options: `own`, or $HLOCTS_ADVICE, by which a caller whose users have no
// command line gives its own.
std::string AdviceText(const std::string& own);

// Returns the text with the names of ruling pages replaced by their paths on this machine.
std::string WithPaths(const std::string& text);

// Returns the command line of this process, quoted for a shell, with the program as it was called.
std::string OwnCommandLine();

}  // namespace hlocts::tools
