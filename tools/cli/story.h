// SPDX-License-Identifier: Apache-2.0
// A verdict as a person reads it: what was computed, what is allowed and how far off it is, what
// the operation was given, the sentence that says so with its address, the ruling, how it was found
// out, and the line that shows it again.
#ifndef HLOCTS_TOOLS_CLI_STORY_H_
#define HLOCTS_TOOLS_CLI_STORY_H_

#include <string>
#include <vector>

#include "reports/verdict_fwd.h"

namespace hlocts::tools {

// `replay`: a command line, or "".
std::string StoryOf(const reports::Verdict& verdict, const std::string& replay = "");

// The sentence of the clause that says what the operation's value is.
struct Sentence {
  std::string id, text, source, address;
  std::string ruling;  // path of the page that decides how it is read, "" for none
};
// Of a failure's operation: the sentences of spec/clauses/of_opcodes.txt. Empty where the documents
// have none, or where the registry cannot be read.
std::vector<Sentence> SentencesOf(const reports::VerdictFailure& failure);

// The words of this process's command line as a shell takes them; the program as it was called.
std::string OwnCommandLine();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_STORY_H_
