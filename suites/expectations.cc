// SPDX-License-Identifier: Apache-2.0
#include "suites/expectations.h"

#include <fcntl.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "suites/case.h"
#include "suites/expectations.pb.h"

namespace hlocts::suites {

struct ExpectationList::Impl {
  expectations::Expectations list;
};

ExpectationList::ExpectationList() : impl_(std::make_unique<Impl>()) {}
ExpectationList::~ExpectationList() = default;
ExpectationList::ExpectationList(ExpectationList&&) noexcept = default;
ExpectationList& ExpectationList::operator=(ExpectationList&&) noexcept = default;
size_t ExpectationList::size() const { return impl_->list.expectation_size(); }

namespace {

constexpr absl::string_view kFlake = "flake";

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty())
      text = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  std::string text;
};

// Letters of any language, and no control character but those of lines.
bool IsText(const std::string& text) {
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') return false;
  }
  return true;
}

absl::Status CheckEntry(const expectations::Expectation& entry) {
  auto missing = [&](absl::string_view field) {
    return InvalidInput("expectation for \"", entry.query(), entry.signature(), "\": no ", field);
  };
  if (entry.query().empty() && entry.signature().empty()) return missing("query or signature");
  if (!reports::VerdictFromName(entry.verdict()) && entry.verdict() != kFlake)
    return missing("known verdict");
  if (entry.kind() == expectations::KIND_UNSET) return missing("kind");
  if (entry.clause().empty()) return missing("clause");
  if (entry.reason().empty()) return missing("reason");
  return absl::OkStatus();
}

bool Holds(const expectations::Expectation& entry, const reports::Verdict& verdict,
           const std::string& today) {
  const expectations::Condition& condition = entry.condition();
  if (!absl::StrContains(verdict.backend_version, condition.version_contains())) return false;
  if (!absl::StrContains(verdict.backend, condition.option())) return false;
  if (!condition.platform().empty() && condition.platform() != "linux") return false;
  return today.empty() || entry.expires().empty() || entry.expires() >= today;
}

bool Applies(const expectations::Expectation& entry, const reports::Verdict& verdict,
             const std::string& today) {
  if (entry.query().empty() || !QueryMatches(entry.query(), verdict.case_address)) return false;
  return Holds(entry, verdict, today);
}

}  // namespace

absl::StatusOr<ExpectationList> ExpectationList::Load(const std::string& path, bool must_exist) {
  ExpectationList result;
  std::ifstream in(path);
  if (!in && must_exist) return InvalidInput("expectations: ", path, ": cannot be read");
  if (!in) return result;
  std::stringstream text;
  text << in.rdbuf();
  if (text.str().find('\0') != std::string::npos || !IsText(text.str()))
    return InvalidInput(path, ": expected a list of expectations as text, found binary data");
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(text.str(), &result.impl_->list)) {
    return InvalidInput(path, ": ", error.text);
  }
  for (const auto& entry : result.impl_->list.expectation()) {
    HLOCTS_RETURN_IF_ERROR(Annotate(CheckEntry(entry), path));
  }
  return result;
}

void ExpectationList::Apply(reports::Verdict& verdict, const std::string& today) const {
  std::string wanted, flake_known_as;
  for (const auto& entry : impl_->list.expectation()) {
    if (!Applies(entry, verdict, today)) continue;
    std::string known_as = absl::StrCat(expectations::Kind_Name(entry.kind()), " (", entry.clause(),
                                        "): ", entry.reason());
    if (entry.verdict() == kFlake) {  // says nothing about a case that gives one verdict
      flake_known_as = std::move(known_as);
      continue;
    }
    verdict.expectation = std::move(known_as);
    if (verdict.flake.empty() && entry.verdict() == reports::VerdictName(verdict.kind)) {
      verdict.expected = true;
      return;
    }
    absl::StrAppend(&wanted, wanted.empty() ? "" : " or ", entry.verdict());
  }
  if (!verdict.flake.empty()) {
    verdict.expected = !flake_known_as.empty();
    if (verdict.expected) verdict.expectation = std::move(flake_known_as);
  } else if (wanted.empty()) {
    verdict.expected = !reports::IsFailure(verdict.kind);
  } else {
    verdict.expected = false;
    absl::StrAppend(&verdict.reason, verdict.reason.empty() ? "" : "; ", "expected ", wanted);
  }
}

bool ExpectationList::Explains(const std::string& signature, const reports::Verdict& verdict,
                               const std::set<std::string>* needs) const {
  auto has = [&](const std::string& need) { return needs && needs->count(need) > 0; };
  for (const auto& entry : impl_->list.expectation()) {
    if (entry.signature().empty() || !QueryMatches(entry.signature(), signature)) continue;
    if (!std::all_of(entry.needs().begin(), entry.needs().end(), has)) continue;
    if (Holds(entry, verdict, "") && entry.verdict() == reports::VerdictName(verdict.kind))
      return true;
  }
  return false;
}

}  // namespace hlocts::suites
