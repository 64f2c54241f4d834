// SPDX-License-Identifier: Apache-2.0
// Formats a verdict for users: the computed value, the allowed values and the distance, the
// operands, the sentence of the documents with its address, the ruling, how the failure was found,
// and the command that reproduces it.
#pragma once

#include <string>
#include <vector>

#include "reports/sentences.h"
#include "reports/verdict_fwd.h"

namespace hlocts::tools {

// The story of a verdict. `replay` is a command line, or "". `narrower` says how to narrow the
// sets; if empty, the options that this process was not given and the facts of the freedoms do.
std::string VerdictReport(const reports::Verdict& verdict, const std::string& replay = "",
                          const std::string& narrower = "");

using Sentence = reports::ClauseSentence;
using reports::SentencesOf;

// The text with the paths that rulings have on this machine.
std::string WithPaths(const std::string& text);

// This process's command line, quoted for a shell, with the program as it was called.
std::string OwnCommandLine();

}  // namespace hlocts::tools
