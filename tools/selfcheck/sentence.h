// SPDX-License-Identifier: Apache-2.0
// Finds the subject of a clause in the words of its sentence.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hlocts::tools {

struct ClauseText {
  std::string id, text;
};

// The words of a text in singular, for comparing the subjects of a clause and of a fault.
std::set<std::string> WordsOf(absl::string_view text);

// Returns true for a sentence that permits something: an engine that rejects it breaks the
// sentence. For other sentences a rejection proves little, since it breaks every case.
bool IsPermission(absl::string_view text);

// The names of the arguments in order, by file of clauses, from the signatures that the documents
// print: "Pad(operand, padding_value, padding_config): the signature."
using Signatures = std::map<std::string, std::vector<std::string>>;
Signatures SignaturesOf(const std::vector<ClauseText>& clauses);

// The number of the argument that the sentence is about ("scale is a vector": 1), or -1.
int64_t ArgumentOf(const ClauseText& clause, const Signatures& signatures);

}  // namespace hlocts::tools
