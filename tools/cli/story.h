// SPDX-License-Identifier: Apache-2.0
// A verdict as a person reads it: what was computed, what is allowed and how far off it is, what
// the operation was given, the sentence that says so with its address, the ruling, how it was found
// out, and the line that shows it again.
#ifndef HLOCTS_TOOLS_CLI_STORY_H_
#define HLOCTS_TOOLS_CLI_STORY_H_

#include <string>
#include <vector>

#include "reports/sentences.h"
#include "reports/verdict_fwd.h"

namespace hlocts::tools {

// `replay`: a command line, or "".
std::string StoryOf(const reports::Verdict& verdict, const std::string& replay = "");

using Sentence = reports::ClauseSentence;
using reports::SentencesOf;

// The words of this process's command line as a shell takes them; the program as it was called.
std::string OwnCommandLine();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_STORY_H_
