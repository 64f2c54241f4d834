// SPDX-License-Identifier: Apache-2.0
// Target files: facts that engines declare beyond the documents, with sources. The files of this
// directory are compiled into the program.
#ifndef HLOCTS_SPEC_TARGETS_TARGETS_H_
#define HLOCTS_SPEC_TARGETS_TARGETS_H_

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
  std::vector<std::string> hardware;    // names of its chips
  std::vector<TargetPromise> promises;  // those of the extended target come first

  // All facts; of a number that is stated twice, the later one.
  std::vector<std::string> Facts() const;
};

// All files of the directory, sorted by name. InvalidArgument names the file and the error: no
// title, a promise without a source, an unknown fact, a cycle of `extends`.
absl::StatusOr<std::vector<TargetFile>> LoadTargets();
// The target of that name, or of an engine or chip of that name. InvalidArgument lists the names.
absl::StatusOr<TargetFile> FindTarget(absl::string_view name);
// Parses "tpu_v6e", "excess.16bit", or several of them joined by '+', as in options of engines.
// InvalidArgument: a word is neither a target nor a fact. "": none.
absl::StatusOr<std::vector<std::string>> FactsOfWords(absl::string_view words);

// Parses one file's text, for tests of refused files. `extends` is not followed.
absl::StatusOr<TargetFile> ParseTarget(absl::string_view name, const std::string& text,
                                       std::string* extends);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_TARGETS_TARGETS_H_
