// SPDX-License-Identifier: Apache-2.0
#include "spec/targets/targets.h"

#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "spec/accuracy/target_facts.h"
#include "spec/targets/target.pb.h"

namespace hlocts {
namespace {

struct Embedded {
  absl::string_view name, text;
};
// The {name, text} of each file, generated when CMake runs.
const Embedded kFiles[] = {
#include "spec/targets/files.inc"
};

class FirstParseError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

absl::StatusOr<TargetPromise> PromiseOf(absl::string_view file, const targets::Promise& proto) {
  if (proto.source().empty()) return InvalidInput(file, ": expected a source for each fact");
  TargetPromise promise{.source = proto.source(), .note = proto.note()};
  TargetFacts scratch;
  for (const std::string& fact : proto.fact()) {
    const absl::Status status = SetTargetFact(fact, scratch);
    if (!status.ok()) return InvalidInput(file, ": ", status.message());
    promise.facts.push_back(fact);
  }
  return promise;
}

// Returns the fact up to the '='. A later fact with the same key replaces an earlier one.
absl::string_view KeyOf(absl::string_view fact) { return fact.substr(0, fact.find('=')); }

struct Parsed {
  TargetFile file;
  std::string extends;
};

absl::Status FollowExtends(const std::map<std::string, Parsed>& all, Parsed& parsed) {
  std::string next = parsed.extends;
  for (size_t steps = 0; !next.empty(); ++steps) {
    auto found = all.find(next);
    if (found == all.end() || steps > all.size()) {
      return InvalidInput(parsed.file.name, ": extends: expected another target, found ", next);
    }
    const std::vector<TargetPromise>& first = found->second.file.promises;
    parsed.file.promises.insert(parsed.file.promises.begin(), first.begin(), first.end());
    next = found->second.extends;
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> TargetFile::Facts() const {
  std::vector<std::string> facts;
  for (const TargetPromise& promise : promises) {
    for (const std::string& fact : promise.facts) {
      std::erase_if(facts, [&](const std::string& old) { return KeyOf(old) == KeyOf(fact); });
      facts.push_back(fact);
    }
  }
  return facts;
}

absl::StatusOr<TargetFile> ParseTarget(absl::string_view name, const std::string& text,
                                       std::string* extends) {
  targets::Target proto;
  FirstParseError complaint;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&complaint);
  if (!parser.ParseFromString(text, &proto)) return InvalidInput(name, ":", complaint.text);
  if (proto.title().empty()) return InvalidInput(name, ": expected a title");
  TargetFile file{.name = std::string(name),
                  .title = proto.title(),
                  .engines = {proto.engine().begin(), proto.engine().end()},
                  .hardware = {proto.hardware().begin(), proto.hardware().end()}};
  for (const targets::Promise& promise : proto.promise()) {
    HLOCTS_ASSIGN_OR_RETURN(TargetPromise read, PromiseOf(name, promise));
    file.promises.push_back(std::move(read));
  }
  *extends = proto.extends();
  return file;
}

absl::StatusOr<std::vector<TargetFile>> LoadTargets() {
  std::map<std::string, Parsed> all;
  for (const Embedded& file : kFiles) {
    Parsed parsed;
    HLOCTS_ASSIGN_OR_RETURN(parsed.file,
                            ParseTarget(file.name, std::string(file.text), &parsed.extends));
    all.emplace(std::string(file.name), std::move(parsed));
  }
  std::vector<TargetFile> targets;
  for (const auto& [name, parsed] : all) {
    Parsed whole = parsed;
    HLOCTS_RETURN_IF_ERROR(FollowExtends(all, whole));
    targets.push_back(std::move(whole.file));
  }
  return targets;
}

absl::StatusOr<TargetFile> FindTarget(absl::string_view name) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<TargetFile> targets, LoadTargets());
  std::vector<std::string> names;
  for (TargetFile& target : targets) {
    if (target.name == name) return std::move(target);
    for (const std::vector<std::string>* words : {&target.engines, &target.hardware}) {
      if (absl::c_linear_search(*words, name)) return std::move(target);
    }
    names.push_back(target.name);
  }
  return InvalidInput("target: expected one of ", absl::StrJoin(names, ", "), ", found \"", name,
                      "\"");
}

absl::StatusOr<std::vector<std::string>> FactsOfWords(absl::string_view words) {
  std::vector<std::string> facts;
  for (absl::string_view word : absl::StrSplit(words, '+', absl::SkipEmpty())) {
    TargetFacts scratch;
    if (SetTargetFact(word, scratch).ok()) {
      facts.emplace_back(word);
      continue;
    }
    absl::StatusOr<TargetFile> target = FindTarget(word);
    if (!target.ok()) {
      return InvalidInput("facts: ", word, " is not a fact (`hlocts backends --facts`), and not a ",
                          target.status().message());
    }
    for (std::string& fact : target->Facts()) facts.push_back(std::move(fact));
  }
  return facts;
}

}  // namespace hlocts
