// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts history`: shows which releases of an engine have a failure.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/engine_list.h"
#include "backends/installed_backend.h"
#include "fuzz/triage/bundle.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "reports/store/scrub.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"
#include "spec/ops/partitions.h"
#include "tools/cli/child.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/judging.h"
#include "tools/commands.h"
#include "tools/history/releases.h"

namespace hlocts::tools {
namespace {

using fuzz::Cell;
using Json = nlohmann::ordered_json;

constexpr char kLegend[] =
    "X the failure (of a module: any), o correct, ? correct, but the compiler got other "
    "instructions,\n/ another result (unsupported, another failure), - not installed, . not run, "
    "since the bisection does not need it (--all)\n";

using Rows = std::vector<Row>;

Rows RowsOf(const Subject& subject, const Releases& releases) {
  Rows rows;
  for (size_t r = 0; r < releases.size(); ++r)
    rows.push_back({releases.NameOf(r), releases.engine(r).date(), subject.answers[r]});
  return rows;
}

fuzz::RegressionPoints RegressionPointsOf(const Rows& rows) {
  std::vector<Cell> cells;
  for (const Row& row : rows) cells.push_back(row.answer.cell);
  return fuzz::RegressionPointsOf(cells);
}

std::string Strip(const Rows& rows) {
  std::string strip;
  for (const Row& row : rows) strip += fuzz::CellMark(row.answer.cell);
  return strip;
}

std::string NameOf(const Subject& subject) {
  return absl::StrCat(NameOfFolder(subject.path), subject.options);
}

Json NameOrNull(const Rows& rows, const std::optional<size_t>& release) {
  return release ? Json(rows[*release].name) : Json(nullptr);
}

// Returns " NUMBER not installed or not usable here: NAMES", or "".
std::string MissingText(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& [name, date, answer] : rows)
    if (answer.cell == Cell::kMissing && answer.verdict.empty()) names.push_back(name);
  if (names.empty()) return "";
  return absl::StrCat(" ", names.size(),
                      " not installed or not usable here: ", absl::StrJoin(names, ", "));
}

std::string OneText(const Rows& rows) {
  std::string text;
  for (const auto& [name, date, answer] : rows) {
    if (answer.cell == Cell::kMissing && answer.verdict.empty()) continue;
    std::string line =
        absl::StrFormat("  %c  %-10s  %-16s  %-12s  %s", fuzz::CellMark(answer.cell), date, name,
                        answer.verdict, absl::string_view(answer.reason).substr(0, 120));
    while (absl::EndsWith(line, " ")) line.pop_back();
    absl::StrAppend(&text, line, "\n");
  }
  const std::string missing = MissingText(rows);
  if (missing.empty()) return text;
  return absl::StrCat(text, "  - ", missing,
                      "\n     --install installs those that the bisection needs\n");
}

// Returns ", good before in NAME", and how many releases of the bad one's family did not run
// between the two.
std::string GoodBeforeText(const Rows& rows, const fuzz::RegressionPoints& turns) {
  if (!turns.last_good_before) return ", the oldest release with an answer";
  const std::string family(backends::EngineNameOf(rows[*turns.first_bad].name));
  int64_t between = 0;
  for (size_t r = *turns.last_good_before; r < *turns.first_bad; ++r)
    between +=
        !fuzz::IsAnswer(rows[r].answer.cell) && backends::EngineNameOf(rows[r].name) == family;
  const std::string gap = absl::StrCat(" (between them ", between, " of ", family, " did not run)");
  return absl::StrCat(", good before in ", rows[*turns.last_good_before].name, between ? gap : "");
}

// Returns a line about the compile options of the bundle's run; those of releases may differ.
std::string FoundWith(const Subject& subject) {
  const std::string& recorded = subject.bundle.backend;
  if (!subject.is_bundle || !fuzz::RunsInJax(recorded)) return "";
  return absl::StrCat(
      "compile options of the recorded run: ", backends::CompileOptionsText(recorded),
      "; `hlocts engines list` has those of releases, and --engine='NAME?A=B' sets others\n");
}

// Returns the sentence if no release has the failure, and why releases may not decide it.
std::string NoneText(const Subject& subject, const Rows& rows) {
  const int64_t runs = subject.bundle.options.runs_max;
  const std::string own = backends::CompileOptionsText(subject.bundle.backend);
  std::set<std::string> options{own}, reasons;
  size_t ran = 0, open = 0;
  for (const auto& [name, date, answer] : rows) {
    if (!fuzz::IsAnswer(answer.cell)) continue;
    options.insert(backends::CompileOptionsText(name));
    ++ran;
    if (answer.cell != Cell::kGood && ++open) reasons.insert(answer.reason);
  }
  std::string text =
      absl::StrCat("no release that ran ", open && open == ran ? "is decided" : "has a failure");
  if (runs > 1) absl::StrAppend(&text, " in ", runs, " runs");
  if (open) absl::StrAppend(&text, "; ", open, " not decided");
  if (reasons.erase(""); reasons.size() == 1) absl::StrAppend(&text, " (", *reasons.begin(), ")");
  if (options.erase(own), FoundWith(subject).empty() || options.empty()) return text;
  return absl::StrCat(text, "; releases ran with the compile options ",
                      absl::StrJoin(options, " or "), ", the recorded engine with ", own);
}

std::string Sentence(const Subject& subject, const Rows& rows) {
  const fuzz::RegressionPoints turns = RegressionPointsOf(rows);
  auto name = [&](size_t release) { return rows[release].name; };
  if (!turns.first_bad) return NoneText(subject, rows);
  std::string text = absl::StrCat("first bad ", name(*turns.first_bad), GoodBeforeText(rows, turns),
                                  "; last bad ", name(*turns.last_bad));
  if (turns.first_good_after)
    absl::StrAppend(&text, ", good again in ", name(*turns.first_good_after));
  // The newest release decides whether a maintainer can reproduce the failure.
  if (rows.back().answer.cell == Cell::kPatternAbsent)
    absl::StrAppend(&text, "; ", rows.back().name, " passes, but got other instructions");
  if (turns.monotone) return text;
  absl::StrAppend(&text, "; the verdict changes more than once");
  std::map<std::string, Rows> families;
  for (const Row& row : rows) families[backends::EngineNameOf(row.name)].push_back(row);
  std::string each;
  for (const auto& [family, own] : families) {
    if (families.size() == 1 || !RegressionPointsOf(own).monotone) return text;
    absl::StrAppend(&each, each.empty() ? "" : "; ", family, ": ", Sentence(subject, own));
  }
  return absl::StrCat(text, ", but at most once in each family (", each, ")");
}

// Returns the sentence of a record, which also names the releases that are not installed.
std::string RecordText(const Subject& subject, const Rows& rows) {
  const std::string missing = MissingText(rows);
  return absl::StrCat(Sentence(subject, rows), missing.empty() ? "" : "; not run:", missing);
}

std::string TableText(const std::vector<Subject>& subjects, const Releases& releases) {
  size_t width = 0;
  for (const Subject& subject : subjects) width = std::max(width, NameOf(subject).size());
  std::string text;
  for (size_t r = 0; r < releases.size(); ++r)
    absl::StrAppend(&text, std::string(width + 2 + r, ' '), "+-- ", releases.NameOf(r), " ",
                    releases.engine(r).date(), "\n");
  for (const Subject& subject : subjects) {
    std::string name = NameOf(subject);
    name.resize(width, ' ');
    const Rows rows = RowsOf(subject, releases);
    absl::StrAppend(&text, name, "  ", Strip(rows), "  ", Sentence(subject, rows), "\n");
  }
  return text;
}

// Returns the history as text: for one subject, a line per release; for several, a table of marks
// with a column per release, and a legend.
std::string HistoryText(const std::vector<Subject>& subjects, const Releases& releases) {
  if (subjects.size() != 1) return absl::StrCat(TableText(subjects, releases), "\n", kLegend);
  const Rows rows = RowsOf(subjects[0], releases);
  return absl::StrCat(subjects[0].path, subjects[0].options, "\n", FoundWith(subjects[0]),
                      OneText(rows), kLegend, Sentence(subjects[0], rows), "\n");
}

Json ToJson(const Subject& subject, const Rows& rows) {
  const fuzz::RegressionPoints turns = RegressionPointsOf(rows);
  Json json = {{"module", NameOf(subject)},
               {"strip", Strip(rows)},
               {"first_bad", NameOrNull(rows, turns.first_bad)},
               {"last_good_before", NameOrNull(rows, turns.last_good_before)},
               {"last_bad", NameOrNull(rows, turns.last_bad)},
               {"first_good_after", NameOrNull(rows, turns.first_good_after)},
               {"monotone", turns.monotone},
               {"sentence", RecordText(subject, rows)},
               {"runs", subject.bundle.options.runs_max},
               {"releases", Json::array()}};
  if (!subject.piece.empty()) json["piece"] = subject.piece;
  for (const auto& [name, date, answer] : rows) {
    json["releases"].push_back({{"name", name},
                                {"date", date},
                                {"mark", std::string(1, fuzz::CellMark(answer.cell))},
                                {"verdict", answer.verdict},
                                {"version", answer.version},
                                {"reason", answer.reason}});
  }
  return json;
}

// Returns the history as one JSON object on one line (CONTRACT.md, "Other JSON").
std::string HistoryJson(const Subject& subject, const Releases& releases) {
  Json json = ToJson(subject, RowsOf(subject, releases));
  if (subject.is_bundle) json["compile_options"] = Json::object();
  for (const auto& [name, value] : backends::CompileOptionsOf(subject.bundle.backend))
    if (subject.is_bundle) json["compile_options"][name] = value;
  return JsonText(json);
}

// Returns the rows of history.json in the bundle's directory; {} if there is no such file. Returns
// kInvalidArgument if the file does not contain a history.
absl::StatusOr<std::vector<Row>> ReadKept(const std::string& folder) {
  const std::string path = folder + "/history.json";
  Rows rows;
  auto text = ReadFile(path);
  if (absl::IsNotFound(text.status())) return rows;
  HLOCTS_RETURN_IF_ERROR(text.status());
  const Json json = ParseJson<Json>(*text);
  if (!json.is_object() || !json.contains("releases") || !json["releases"].is_array())
    return InvalidInput(path, ": expected a history; remove the file to start again");
  for (const Json& release : json["releases"]) {
    const auto word = [&](const char* key) { return TextField(release, key); };
    if (!release.is_object() || word("name").empty())
      return InvalidInput(path, ": expected a release with a name");
    rows.push_back(
        {word("name"),
         word("date"),
         {fuzz::CellOfMark(word("mark")), word("verdict"), word("reason"), word("version"), true}});
  }
  return rows;
}

// Writes history.json to the bundle's directory, and the line "History: ..." to its README.md,
// unless the page is made from a finding.textproto. The messages of crashed engines lose the
// directories of this machine.
absl::Status KeepInBundle(const Subject& subject, const Releases& releases) {
  const Rows rows = WithKept(RowsOf(subject, releases), subject.kept);
  Json json = ToJson(subject, rows);
  for (Json& release : json["releases"])
    release["reason"] = reports::Scrubbed(release["reason"].get<std::string>());
  HLOCTS_RETURN_IF_ERROR(WriteFile(subject.path + "/history.json", JsonText(json) + "\n"));
  return fuzz::WriteReadmeLine(
      subject.path, absl::StrCat("History: ", RecordText(subject, rows), " (history.json)."));
}

struct HistoryOptions {
  CommonOptions common;
  std::vector<std::string> subjects, engines;
  std::string inputs, profile = "default";
  std::optional<uint64_t> seed;
  int64_t runs = 0;  // if not given: 1; for a flake, as many as are needed to see it
  bool all = false, no_cache = false, keep = false, install = false;
};

// The releases that --install has installed. They are removed when all releases have run.
class Fetched {
 public:
  ~Fetched() {
    for (const std::string& name : names_) Engines("remove", name);
  }
  void Fetch(const engines::Engine& engine) {
    if (backends::IsInstalled(engine)) return;
    names_.push_back(engine.name());
    Engines("install", engine.name());
  }

 private:
  // Runs `hlocts engines` with its messages on standard error. Ignores an installation error: the
  // release is then reported as "missing", with the reason.
  static void Engines(const std::string& action, const std::string& name) {
    RunChild({"sh", "-c", R"(exec "$0" engines "$1" "$2" >&2)", ProgramPath(), action, name})
        .IgnoreError();
  }
  std::vector<std::string> names_;
};

absl::StatusOr<Subject> LoadSubject(const HistoryOptions& options, const std::string& path) {
  Subject subject{.path = path, .is_bundle = reports::HasRecordedVerdict(path)};
  if (options.keep && !subject.is_bundle)
    return InvalidInput("history --keep: ", path, " is not a bundle: hlocts shrink writes one");
  HLOCTS_ASSIGN_OR_RETURN(subject.bundle, tools::LoadSubject(path, options.inputs, options.seed,
                                                             options.profile, options.common));
  if (subject.is_bundle) subject.wanted = subject.bundle.result.verdict.kind;
  if (subject.is_bundle && options.keep) {
    HLOCTS_ASSIGN_OR_RETURN(subject.kept, ReadKept(path));
  }
  subject.bundle.options.load = options.common.ToLoadOptions(*subject.bundle.sample.module);
  subject.bundle.options.runs_max = RunsOf(options.runs, subject.bundle.result.verdict,
                                           options.common.json, " runs of each release at most");
  return subject;
}

// Returns the device-less compiler on which a bundle was recorded; null for other engines.
const engines::Engine* CompilerOf(const engines::EngineList& list, const Subject& subject) {
  const absl::string_view recorded = subject.bundle.backend;
  const engines::Engine* engine =
      backends::FindEngine(list, recorded.substr(0, recorded.find('?')));
  return engine && engine->reach() == engines::COMPILE ? engine : nullptr;
}

// Adds the subjects of a path. A module that engines partition becomes two subjects, one for each
// partitioner. Releases of a compiler get the options of the bundle, which name the chip.
absl::Status AddSubjects(const HistoryOptions& options, const engines::EngineList& list,
                         const std::string& path, std::vector<Subject>& subjects) {
  HLOCTS_ASSIGN_OR_RETURN(Subject subject, LoadSubject(options, path));
  const std::string& recorded = subject.bundle.backend;
  const size_t first_option = recorded.find('?');
  if (CompilerOf(list, subject)) {
    if (first_option != recorded.npos) subject.options = recorded.substr(first_option);
  } else if (IsSharded(*subject.bundle.sample.module)) {
    HLOCTS_ASSIGN_OR_RETURN(Subject other, LoadSubject(options, path));
    subject.options = "?partitioner=gspmd";
    other.options = "?partitioner=shardy";
    subjects.push_back(std::move(subject));
    subject = std::move(other);
  }
  subjects.push_back(std::move(subject));
  return absl::OkStatus();
}

// Returns the families of the bundles' compilers; {} if a subject has no such compiler.
std::vector<std::string> CompilersOf(const engines::EngineList& list,
                                     const std::vector<Subject>& subjects) {
  std::vector<std::string> families;
  for (const Subject& subject : subjects) {
    const engines::Engine* compiler = CompilerOf(list, subject);
    if (!compiler) return {};
    if (!absl::c_linear_search(families, compiler->family()))
      families.push_back(compiler->family());
  }
  return families;
}

// Returns true if the subject uses the same partitioner as the bundle's engine, to which the
// answers in history.json belong. XLA's default partitioner is GSPMD.
bool IsOfRecord(const Subject& subject) {
  const bool shardy = absl::StrContains(subject.bundle.backend, "partitioner=shardy");
  return subject.options.empty() || shardy == absl::StrContains(subject.options, "shardy");
}

// Runs all releases that subjects need, in rounds, until no subject needs another one. In a round,
// each release runs at most once, for all subjects that need it next.
absl::Status Ask(const HistoryOptions& options, Releases& releases,
                 std::vector<Subject>& subjects) {
  Fetched fetched;
  const auto prepare = [&](const engines::Engine& engine) {
    if (options.install) fetched.Fetch(engine);
  };
  while (!Interrupted()) {
    std::vector<std::vector<Subject*>> wanted(releases.size());
    bool any = false;
    for (Subject& subject : subjects) {
      for (size_t release : releases.Next(subject, options.all)) {
        wanted[release].push_back(&subject);
        any = true;
      }
    }
    for (Subject& subject : subjects) {
      if (any || !releases.ContinueWithPiece(subject, prepare)) continue;
      SayPiece(subject.piece, "running");
      any = true;
    }
    if (!any) return absl::OkStatus();
    for (size_t r = 0; r < wanted.size() && !Interrupted(); ++r)
      if (!wanted[r].empty()) releases.Ask(r, wanted[r], options.no_cache, prepare);
  }
  return absl::CancelledError("interrupted; finished results are kept");
}

absl::Status History(const HistoryOptions& options) {
  if (options.subjects.empty()) return InvalidInput("history: expected a module or a bundle");
  HLOCTS_ASSIGN_OR_RETURN(const engines::EngineList list, backends::LoadEngineList());
  std::vector<Subject> subjects;
  for (const std::string& path : options.subjects)
    HLOCTS_RETURN_IF_ERROR(AddSubjects(options, list, path, subjects));
  const auto words = options.engines.empty() ? CompilersOf(list, subjects) : options.engines;
  HLOCTS_ASSIGN_OR_RETURN(Releases releases, Releases::Select(words));
  for (Subject& subject : subjects) {
    subject.answers = releases.InitialAnswers(options.install);
    if (subject.is_bundle) subject.recorded = releases.Find(subject.bundle.result.verdict);
  }
  CatchInterrupts();
  absl::Status status = Ask(options, releases, subjects);
  if (options.common.json) {
    for (const Subject& subject : subjects)
      std::cout << HistoryJson(subject, releases) << std::endl;
  } else {
    std::cout << HistoryText(subjects, releases);
  }
  HLOCTS_RETURN_IF_ERROR(status);
  if (!options.keep) return absl::OkStatus();
  for (const Subject& subject : subjects)
    if (subject.is_bundle && IsOfRecord(subject))
      HLOCTS_RETURN_IF_ERROR(KeepInBundle(subject, releases));
  return absl::OkStatus();
}

}  // namespace

Command HistoryCommand() {
  return {"history", "find the releases of an engine that show a failure", [](Flags& flags) {
            auto options = std::make_shared<HistoryOptions>();
            flags.Positional(
                "MODULE|BUNDLE", &options->subjects,
                "bundles, directories of findings (results/findings/NAME), or modules with "
                "--inputs or --seed (several: printed as a table)");
            flags.Add("--engine", &options->engines,
                      "names or families, perhaps with options: xla, jaxlib, iree@3.13.0, "
                      "'xla?xla_cpu_enable_fast_min_max=true' (default: xla and jaxlib; "
                      "for a bundle of a compiler without a device, its family)");
            flags.Add("--repeat", &options->runs,
                      "number of runs of each release, until it fails (default: 1; of a finding "
                      "that is not deterministic, as many as show it)",
                      {1});
            flags.Add("--all", &options->all,
                      "run every installed release, not only those that a bisection needs");
            flags.Add("--install", &options->install,
                      "install the releases that the bisection needs and remove them afterwards");
            options->common.DeclareInputs(flags, &options->inputs, &options->seed);
            flags.Add("--profile", &options->profile, "strict, default or relaxed, for a module");
            flags.Add("--keep", &options->keep,
                      "write history.json into each bundle, and a paragraph into its README.md");
            flags.Add("--no-cache", &options->no_cache, "ignore cached results");
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] {
              const absl::Status status = History(*options);
              return status.ok() ? kExitOk : Fail(status);
            };
          }};
}

}  // namespace hlocts::tools
