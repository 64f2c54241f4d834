// SPDX-License-Identifier: Apache-2.0
// Target files: what engines promise beyond the documents, with sources. The files of this folder
// are part of the program.
#ifndef HLOCTS_SPEC_TARGETS_TARGETS_H_
#define HLOCTS_SPEC_TARGETS_TARGETS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

struct TargetPromise {
  std::vector<std::string> facts;  // as --fact takes them
  std::string source, note;
};

struct TargetFile {
  std::string name;  // of the file, without ".textproto"
  std::string title;
  std::vector<std::string> engines;
  std::vector<std::string> hardware;    // names of its chips
  std::vector<TargetPromise> promises;  // those of the target it extends first

  // Of a number that is stated twice the later one.
  std::vector<std::string> Facts() const;
};

// All files of the folder, in the order of their names. InvalidArgument names the file, and what is
// wrong: no title, a promise without a source, an unknown fact, a circle of `extends`.
absl::StatusOr<std::vector<TargetFile>> LoadTargets();
// The target of that name, or of an engine or chip of that name. InvalidArgument lists the names.
absl::StatusOr<TargetFile> FindTarget(absl::string_view name);
// "tpu_v6e", "excess.16bit", or several of either joined by '+', as options of engines say it.
// InvalidArgument: what is neither. "": none.
absl::StatusOr<std::vector<std::string>> FactsOfWords(absl::string_view words);

// One file's text, for tests of what is refused. `extends` is not followed.
absl::StatusOr<TargetFile> ParseTarget(absl::string_view name, const std::string& text,
                                       std::string* extends);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_TARGETS_TARGETS_H_
