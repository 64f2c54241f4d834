// SPDX-License-Identifier: Apache-2.0
#include "tools/history/releases.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "backends/installed_backend.h"
#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/faulty_instructions.h"
#include "fuzz/triage/trial.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "spec/proto/convert.h"
#include "spec/text/printer.h"
#include "suites/expectations.h"
#include "suites/replay.h"
#include "suites/sha256.h"

namespace hlocts::tools {
namespace {

using engines::Engine;
using fuzz::Cell;
using Json = nlohmann::ordered_json;

bool IsNamed(const Engine& engine, absl::string_view word) {
  return engine.name() == word || backends::EngineNameOf(engine.name()) == word;
}

// Returns the cache key of an answer: module, arguments, failure, options, wheel, options of the
// wheel, and the judge, which is identified by the build time of this program.
std::string CacheKey(const Subject& subject, const Engine& engine, const std::string& name) {
  const fuzz::Bundle& bundle = subject.bundle;
  std::string text = PrintModule(*bundle.sample.module);
  for (const Literal& leaf : bundle.sample.arguments)
    absl::StrAppend(&text, "\n", PrintLiteralWithShape(leaf));
  absl::StrAppend(&text, "\n", reports::ReasonText(bundle.result.verdict), subject.options,
                  ProfileName(bundle.options.profile), " ", bundle.options.cut, " ",
                  bundle.options.invalid, " ", bundle.options.runs_max, " ",
                  bundle.options.load.timeout_seconds, " ", bundle.options.load.rng_seed, " ",
                  engine.SerializeAsString(), " ", name, " ",
                  std::filesystem::last_write_time("/proc/self/exe").time_since_epoch().count());
  return suites::Sha256(text);
}

absl::StatusOr<std::string> CachePath(const Subject& subject, const Engine& engine,
                                      const std::string& name) {
  HLOCTS_ASSIGN_OR_RETURN(std::string cache, backends::EngineCache());
  const std::string folder = cache + "/history";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return absl::UnavailableError(absl::StrCat(folder, ": ", error.message()));
  return absl::StrCat(folder, "/", CacheKey(subject, engine, name), ".json");
}

absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& argv) {
  std::string command = "timeout 60";
  for (const std::string& word : argv) absl::StrAppend(&command, " ", suites::ShellQuoted(word));
  std::FILE* pipe = popen((command + " 2>/dev/null </dev/null").c_str(), "r");
  if (!pipe) return absl::UnavailableError("popen failed");
  std::string output;
  char chunk[4096];
  while (size_t n = std::fread(chunk, 1, sizeof(chunk), pipe)) output.append(chunk, n);
  if (pclose(pipe) != 0) return absl::UnavailableError("the release returned no module");
  return output;
}

// Gives the user's jaxlib its version, and the date of the newest listed release that is not later.
void SetUserRelease(const engines::EngineList& list, Engine& engine) {
  const auto version = OutputOf({backends::PythonOf(engine), "-c",
                                 "import sys; sys.path[:] = filter(None, sys.path); import "
                                 "importlib.metadata as m; print(end=m.version('" +
                                     engine.package() + "'))"});
  if (!version.ok()) return;
  engine.set_version(*version);
  for (const Engine& one : list.engine())
    if (backends::EngineNameOf(one.name()) == engine.package() && one.date() > engine.date() &&
        strverscmp(one.version().c_str(), version->c_str()) <= 0)
      engine.set_date(one.date());
}

std::optional<Answer> FromCache(const std::string& path) {
  const Json json = ParseJson<Json>(ReadFile(path).value_or(""));
  if (!json.is_object()) return std::nullopt;
  const Answer answer{fuzz::CellOfMark(json.value("mark", "")), json.value("verdict", ""),
                      json.value("reason", ""), json.value("version", ""), true};
  return fuzz::IsAnswer(answer.cell) ? std::optional(answer) : std::nullopt;
}

void ToCache(const Answer& answer, const std::string& path) {
  Json json = {{"mark", std::string(1, fuzz::CellMark(answer.cell))},
               {"verdict", answer.verdict},
               {"reason", answer.reason},
               {"version", answer.version}};
  // A failed write only makes the next run slower.
  WriteFile(path, JsonText(json) + "\n").IgnoreError();
}

// Returns true if the release's compiler gets the failing pattern; false if this is unknown.
bool Shows(const Module& module, const Engine& engine) {
  if (engine.driver().empty()) return true;  // it gets the HLO itself
  auto argv = backends::ConvertedModuleCommand(engine);
  auto bytes = SerializeModule(module);
  if (!argv.ok() || !bytes.ok()) return false;
  auto folder = TemporaryFolder::Make("hlocts-reached");
  if (!folder.ok()) return false;
  argv->push_back(folder->path() + "/module.pb");
  if (!WriteFile(argv->back(), *bytes).ok()) return false;
  auto output = OutputOf(*argv);
  if (!output.ok()) return false;
  auto reached = ParseSerializedModule(*output);
  return reached.ok() && fuzz::StillShows(module, **reached);
}

Cell CellOf(const Subject& subject, const reports::Verdict& verdict, const Engine& engine) {
  if (verdict.kind == Outcome::kPass) {
    // An invalid module is rejected before any conversion, so the release gets the pattern.
    if (subject.bundle.options.invalid) return Cell::kGood;
    return Shows(*subject.bundle.sample.module, engine) ? Cell::kGood : Cell::kPatternAbsent;
  }
  if (subject.wanted) return verdict.kind == *subject.wanted ? Cell::kBad : Cell::kOther;
  return fuzz::CountsAsFinding(verdict.kind) ? Cell::kBad : Cell::kOther;
}

// A release that runs with certain options.
struct Started {
  std::unique_ptr<backends::Backend> backend;
  backends::BackendInfo info;
};
// `options` begins with '?'; so may the options in `name`.
std::string WithOptions(const std::string& name, std::string options) {
  if (absl::StrContains(name, '?') && !options.empty()) options[0] = '&';
  return name + options;
}

Started Start(const std::string& name) {
  Started started;
  auto made = backends::MakeBackend(name);
  if (made.ok()) {
    started.backend = *std::move(made);
    started.info = started.backend->info();
  } else {
    started.info.available = false;
    started.info.error = ErrorOf(made.status());
  }
  return started;
}

Answer RunOn(const Subject& subject, const Engine& engine, backends::Backend& backend,
             const backends::BackendInfo& info) {
  reports::Verdict verdict =
      fuzz::RunTrial(subject.bundle.sample, backend, subject.bundle.options, false).verdict;
  Answer answer{.cell = CellOf(subject, verdict, engine),
                .verdict = std::string(OutcomeName(verdict.kind)),
                .reason = std::string(reports::FirstLine(reports::ReasonText(verdict))),
                .version = info.version};
  if (verdict.kind == Outcome::kError) answer.cell = Cell::kMissing;
  const auto& failure = subject.bundle.result.verdict.first_failure;
  if (!failure || verdict.kind != Outcome::kInconclusive) return answer;
  for (const std::string& fact : failure->permitted_by)
    if (absl::c_linear_search(info.facts, fact))
      answer.reason = absl::StrCat("declares ", fact, ", which permits the wrong value");
  return answer;
}

}  // namespace

std::vector<Row> WithKept(std::vector<Row> rows, const std::vector<Row>& kept) {
  const auto options_of = [](const Row& row) {
    return row.name.substr(std::min(row.name.find('?'), row.name.size()));
  };
  std::vector<std::string> options;
  for (const Row& row : rows)
    if (fuzz::IsAnswer(row.answer.cell)) options.push_back(options_of(row));
  for (const Row& old : kept) {
    if (!options.empty() && !absl::c_linear_search(options, options_of(old))) continue;
    auto same = absl::c_find_if(rows, [&](const Row& row) { return row.name == old.name; });
    if (same == rows.end()) same = rows.insert(same, old);
    if (!fuzz::IsAnswer(same->answer.cell)) same->answer = old.answer;
  }
  absl::c_stable_sort(rows, [](const Row& a, const Row& b) { return a.date < b.date; });
  return rows;
}

absl::StatusOr<Releases> Releases::Select(const std::vector<std::string>& given) {
  std::vector<std::string> words =
      absl::StrSplit(absl::StrJoin(given, ","), ',', absl::SkipEmpty());
  if (words.empty()) words = {"xla", "jaxlib"};
  HLOCTS_ASSIGN_OR_RETURN(engines::EngineList list, backends::LoadEngineList());
  Releases releases;
  for (const std::string& word : words) {
    HLOCTS_RETURN_IF_ERROR(backends::ParseBackendName(word).status());
    const std::pair<std::string, std::string> parts = absl::StrSplit(word, absl::MaxSplits('?', 1));
    const size_t before = releases.engines_.size();
    for (const Engine& engine : list.engine()) {
      if (!IsNamed(engine, parts.first) || engine.reach() == engines::BUILD) continue;
      releases.engines_.push_back({engine, parts.second});
      if (engine.reach() == engines::USER) SetUserRelease(list, releases.engines_.back().engine);
    }
    if (releases.engines_.size() == before)
      return InvalidInput(
          "--engine: expected a name of `hlocts engines list` or its part before the @, perhaps "
          "with ?OPTION=VALUE, found \"",
          word, "\"");
  }
  const auto place = [](const Release& one) {
    return std::pair(one.engine.date(), one.engine.reach() == engines::USER);
  };
  absl::c_stable_sort(releases.engines_,
                      [&](const Release& a, const Release& b) { return place(a) < place(b); });
  return releases;
}

std::vector<Answer> Releases::InitialAnswers(bool installs) const {
  std::vector<Answer> answers(engines_.size());
  for (size_t r = 0; r < engines_.size(); ++r) {
    const absl::Status usable =
        installs ? backends::CheckRunnable(engine(r)) : backends::CheckUsable(engine(r));
    if (usable.ok()) continue;
    answers[r].cell = Cell::kMissing;
    answers[r].reason = std::string(usable.message());
  }
  return answers;
}

std::optional<size_t> Releases::Find(const reports::Verdict& verdict) const {
  const auto list = backends::LoadEngineList();
  const Engine* own = list.ok() ? suites::EngineOf(*list, verdict) : nullptr;
  const std::string release = backends::ReleaseName(
      verdict.backend.substr(0, verdict.backend.find('?')), verdict.backend_version);
  for (size_t r = 0; r < size(); ++r) {
    const Engine& one = engine(r);
    const bool user = one.reach() == engines::USER;
    const std::string name = user ? absl::StrCat(one.package(), "@", one.version()) : one.name();
    if (name == release || (own && name == own->name())) return r;
  }
  return std::nullopt;
}

std::string Releases::NameOf(size_t release) const {
  const std::string& options = engines_[release].options;
  return absl::StrCat(engine(release).name(), options.empty() ? "" : "?", options);
}

std::vector<size_t> Releases::Next(const Subject& subject, bool all) const {
  std::map<std::string, std::vector<Cell>> families;  // cells of other families are "missing"
  std::vector<size_t> next;
  for (size_t r = 0; r < size(); ++r) {
    auto& cells = families[std::string(backends::EngineNameOf(engine(r).name()))];
    cells.resize(size(), Cell::kMissing);
    cells[r] = subject.answers[r].cell;
    if (all && cells[r] == Cell::kNotRun) next.push_back(r);
  }
  for (const auto& [family, cells] : families) {
    const bool has_recorded = subject.recorded && cells[*subject.recorded] != Cell::kMissing;
    if (all) break;
    if (auto one = fuzz::NextRelease(cells, has_recorded ? subject.recorded : std::nullopt))
      next.push_back(*one);
  }
  return next;
}

void Releases::Ask(size_t release, const std::vector<Subject*>& subjects, bool no_cache,
                   const Prepare& prepare) {
  const Engine& engine = this->engine(release);
  std::map<std::string, Started> started;  // by options
  for (Subject* subject : subjects) {
    Answer& answer = subject->answers[release];
    auto path = CachePath(*subject, engine, NameOf(release));
    auto kept = path.ok() && !no_cache ? FromCache(*path) : std::nullopt;
    if (kept) {
      answer = *std::move(kept);
      continue;
    }
    if (!started.contains(subject->options)) {
      prepare(engine);
      started[subject->options] = Start(WithOptions(NameOf(release), subject->options));
    }
    const auto& [backend, info] = started[subject->options];
    if (!info.available) {
      answer.cell = Cell::kMissing;
      answer.reason = info.error.Text();
      continue;
    }
    answer = RunOn(*subject, engine, *backend, info);
    if (path.ok() && answer.cell != Cell::kMissing) ToCache(answer, *path);
  }
}

bool Releases::ContinueWithPiece(Subject& subject, const Prepare& prepare) const {
  const auto is_bad = [](const Answer& answer) { return answer.cell == Cell::kBad; };
  if (subject.searched || absl::c_any_of(subject.answers, is_bad)) return false;
  subject.searched = true;
  fuzz::Bundle& bundle = subject.bundle;
  for (size_t r = engines_.size(); r-- > 0 && subject.piece.empty();) {
    if (!fuzz::IsAnswer(subject.answers[r].cell)) continue;
    prepare(engine(r));
    const auto [backend, info] = Start(WithOptions(NameOf(r), subject.options));
    if (info.available)
      subject.piece = fuzz::ReplaceByHiddenPiece(bundle.sample, *backend, bundle.options);
  }
  if (subject.piece.empty()) return false;
  bundle.options.cut = 0;
  for (Answer& answer : subject.answers)
    if (fuzz::IsAnswer(answer.cell)) answer = Answer();
  return true;
}

}  // namespace hlocts::tools
