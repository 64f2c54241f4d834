// SPDX-License-Identifier: Apache-2.0
// Target files: facts that engines declare beyond the documents, with their sources. The files of
// this directory are compiled into the program.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

struct TargetPromise {
  std::vector<std::string> facts;  // in the syntax of --fact
  std::string source, note;
};

struct TargetFile {
  std::string name;  // the file name without ".textproto"
  std::string title;
  std::vector<std::string> engines;
  std::vector<std::string> hardware;    // names of chips
  std::vector<TargetPromise> promises;  // those of the extended target come first

  // Returns all facts. If a number is stated twice, the later fact replaces the earlier one.
  std::vector<std::string> Facts() const;
};

// Reads all embedded files, sorted by name. Returns InvalidArgument, with file and error, for a
// file without title, a promise without a source, an unknown fact, or a cycle of `extends`.
absl::StatusOr<std::vector<TargetFile>> LoadTargets();
// Returns the target named `name`, or the target of the engine or chip named `name`. If there is
// none, returns InvalidArgument with a list of the names.
absl::StatusOr<TargetFile> FindTarget(absl::string_view name);
// Returns the facts that `words` denotes. `words` has targets and facts joined by '+', as options
// of engines do, e.g. "tpu_v6e+excess.16bit". Returns no facts for "". Returns InvalidArgument if a
// word is neither a target nor a fact.
absl::StatusOr<std::vector<std::string>> FactsOfWords(absl::string_view words);

// Parses one file's text, for tests of rejected files. Sets `extends` without reading that target.
absl::StatusOr<TargetFile> ParseTarget(absl::string_view name, const std::string& text,
                                       std::string* extends);

}  // namespace hlocts
