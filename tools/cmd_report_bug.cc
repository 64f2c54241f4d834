// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts report-bug`: writes a failure as text for an engine's bug tracker.

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/backend_list.h"
#include "backends/differ/failure_details.h"
#include "backends/engine_list.h"
#include "backends/installed_backend.h"
#include "backends/passes/pass_blame.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/bundle_texts.h"
#include "fuzz/triage/history.h"
#include "fuzz/triage/trial.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "spec/base/json_text.h"
#include "spec/base/version.h"
#include "spec/files/file_io.h"
#include "spec/ir/module.h"
#include "spec/text/printer.h"
#include "suites/expectations.h"
#include "suites/replay.h"
#include "tools/cli/common.h"
#include "tools/cli/judging.h"
#include "tools/cli/known_finding.h"
#include "tools/cli/story.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct ReportBugOptions {
  std::string bundle, output;
  bool jax = false;
};

std::string Fenced(const std::string& language, const std::string& text) {
  return absl::StrCat("```", language, "\n", text, absl::EndsWith(text, "\n") ? "" : "\n", "```\n");
}

// Returns the opcodes of instructions that are wrong only if compiled together: "rsqrt and log".
std::string TogetherText(const reports::Verdict& verdict, const Module& module) {
  std::vector<std::string> opcodes;
  const std::string operation = verdict.first_failure ? verdict.first_failure->operation : "";
  for (const std::string& name : verdict.localisation.instructions)
    if (const Instruction* one = backends::FindInstruction(module, name, operation))
      opcodes.emplace_back(OpcodeName(one->opcode()));
  return opcodes.size() > 3 ? reports::NamesText(opcodes) : absl::StrJoin(opcodes, " and ");
}

// Returns at most 100 characters. A longer text is cut between words.
std::string TitleText(const std::string& text) {
  constexpr size_t kMax = 100;
  if (text.size() <= kMax) return text;
  const size_t space = text.rfind(' ', kMax);
  return absl::StrCat(text.substr(0, space == std::string::npos ? kMax : space), " ...");
}

std::string TitleOf(const reports::Verdict& verdict, const Module& module) {
  if (!verdict.first_failure)
    return absl::StrCat(OutcomeName(verdict.kind), ": ", TitleText(reports::FoldedReason(verdict)));
  const reports::VerdictFailure& failure = *verdict.first_failure;
  const std::string what = failure.operation.empty()
                               ? failure.instruction
                               : failure.operation.substr(0, failure.operation.find(':'));
  std::string operands;
  for (const reports::FailureOperand& operand : failure.operands)
    absl::StrAppend(&operands, operands.empty() ? "" : ", ", operand.value);
  if (!operands.empty()) operands = absl::StrCat("(", operands, ")");
  // The recorded operands are those of one instruction, which is correct in isolation: omits them.
  const std::string together = TogetherText(verdict, module);
  if (verdict.localisation.kind == reports::Localisation::Kind::kTogether && !together.empty())
    return absl::StrCat(together, ", compiled together, give ", failure.actual, " instead of ",
                        failure.accepted);
  return absl::StrCat(what, operands, " gives ", failure.actual, " instead of ", failure.accepted);
}

// Returns how often a nondeterministic failure occurred, e.g. "seen in 2 of 10 runs". Returns ""
// for other failures.
std::string RarityText(const reports::Verdict& verdict) {
  if (verdict.flake.empty()) return "";
  const auto [failed, runs] = fuzz::RecordedRunsOf(verdict);
  if (runs == 0) return "flaky: " + verdict.flake;
  return failed == 1 ? absl::StrCat("seen once in ", runs, " runs, and not reproduced")
                     : absl::StrCat("seen in ", failed, " of ", runs, " runs");
}

// Returns the directory as given. An absolute path is private, so returns it relative to the
// working directory or, elsewhere, only its name.
std::string ShownFolder(const std::string& folder) {
  if (!absl::StartsWith(folder, "/")) return folder;
  return Below(folder).value_or(NameOfFolder(folder));
}

// Returns the answer of `hlocts blame` in the bundle, as a paragraph.
std::string BlameText(const std::string& folder, const reports::Verdict& verdict) {
  const auto blame =
      ParseJson<nlohmann::ordered_json>(ReadFile(folder + "/blame.json").value_or(""));
  if (!blame.is_object()) return "";
  const int64_t failed = blame.value("failed", int64_t{0}), runs = blame.value("runs", int64_t{0});
  std::string confirmation = blame.value("confirmation", "");
  bool confirmed = blame.value("confirmed", false);
  if (confirmation.empty() && confirmed) {
    // In records of earlier versions, the module ran only once without the pass.
    confirmed = verdict.flake.empty();
    confirmation = confirmed
                       ? "confirmed: the failure disappears without it"
                       : "not confirmed: one run without it decides nothing, since the failure is "
                         "not deterministic";
  }
  const std::string off = blame.value("switched_off", ""),
                    without = confirmation.empty() ? "" : blame.value("actual_without_pass", "");
  const std::string own = backends::ReleaseName(verdict.backend, verdict.backend_version);
  const std::string ran =
      backends::ReleaseName(TextField(blame, "backend", own), TextField(blame, "backend_version"));
  const std::string suspects =
      backends::SuspectsText(blame.value("suspects", std::vector<std::string>()));
  std::vector<std::string> words = {
      "`hlocts blame`" + (ran == own ? "" : " on " + ran),
      blame.value("reason", ""),
      suspects.empty() ? "" : "suspects: " + suspects,
      confirmation,
      failed < runs ? absl::StrCat("unchanged, it fails in ", failed, " of ", runs, " runs") : "",
      without.empty() ? ""
                      : absl::StrCat("without ", off.empty() ? "it" : off, ": `", without, "`")};
  std::erase(words, "");
  return absl::StrCat(confirmed || confirmation.empty() ? "\nGuilty: " : "\nPerhaps guilty: ",
                      blame.value("answer", ""), " (", absl::StrJoin(words, "; "), ").\n");
}

// The releases that have the failure, from history.json or from the finding.
struct Releases {
  std::string last_bad, good_after, text;
  std::string run;  // the release to reproduce it with: the recorded one, or else the last bad one
  std::optional<engines::Engine> plugin = std::nullopt;  // `run`, if it is a plugin
};

// Returns a phrase about the releases in which the module has another failure, or "".
std::string OtherFailures(const nlohmann::ordered_json& kept) {
  std::vector<std::string> others;
  for (const auto& row : kept.is_object() ? kept.value("releases", kept) : kept) {
    const auto outcome = OutcomeFromName(TextField(row, "verdict"));
    if (fuzz::CellOfMark(TextField(row, "mark")) == fuzz::Cell::kOther && outcome &&
        IsFailure(*outcome) && !IsInconclusive(*outcome))
      others.push_back(TextField(row, "name"));
  }
  if (others.empty()) return "";
  return absl::StrCat("another failure of the module in ", absl::StrJoin(others, ", "));
}

Releases ReleasesOf(const std::string& folder, const reports::Verdict& verdict) {
  const auto own = reports::ReadFindingFile(folder).value_or(findings::Finding());
  const auto kept =
      ParseJson<nlohmann::ordered_json>(ReadFile(folder + "/history.json").value_or(""));
  const auto name = [&](const char* key, const std::string& otherwise) {
    return kept.is_object() ? TextField(kept, key) : otherwise;
  };
  const std::string first = name("first_bad", own.first_bad());
  const std::string before = name("last_good_before", own.last_good_before());
  Releases found{name("last_bad", own.last_bad()), name("first_good_after", own.first_good_after()),
                 own.history()};
  found.run = found.last_bad.substr(0, found.last_bad.find('?'));
  const auto list = backends::LoadEngineList();
  const auto* recorded = list.ok() ? suites::EngineOf(*list, verdict) : nullptr;
  fuzz::Cell again = fuzz::Cell::kNotRun;  // the new answer of the recorded release
  for (const auto& row : kept.is_object() ? kept.value("releases", kept) : kept) {
    const std::string row_name = TextField(row, "name");
    const std::string release =
        backends::ReleaseName(row_name.substr(0, row_name.find('?')), TextField(row, "version"));
    if (row_name == found.last_bad) found.run = release;
    const fuzz::Cell cell = fuzz::CellOfMark(TextField(row, "mark"));
    if (recorded && release == recorded->name() && again != fuzz::Cell::kBad &&
        fuzz::IsAnswer(cell))
      again = cell;
  }
  if (again == fuzz::Cell::kBad) found.run = recorded->name();
  // history.json of earlier versions and findings have no sentence.
  std::string sentence = kept.is_object() ? kept.value("sentence", "") : "";
  if (!first.empty() && sentence.empty())
    sentence = absl::StrCat("first bad ", first, before.empty() ? "" : ", good before in ", before,
                            "; last bad ", found.last_bad,
                            found.good_after.empty() ? "" : ", good again in ", found.good_after);
  if (first.empty() && kept.is_object())
    sentence = absl::StrCat(
        sentence.empty() ? "no release that ran has the failure" : sentence,
        kept.value("runs", 1) > 1 || verdict.flake.empty()
            ? ""
            : "; but the failure is not deterministic, so one run of each decides nothing");
  const auto is_later = [&](const std::string& name) {
    const auto listed = backends::ListedEngine(name);
    return listed && backends::IsLater(*recorded, *listed);
  };
  if (recorded && kept.is_object() && !fuzz::IsAnswer(again) && is_later(found.run)) {
    found.run = recorded->name();
    found.last_bad = found.run + ", which was recorded and not run again";
    if (is_later(found.good_after)) found.good_after = "";
    absl::StrAppend(&sentence, sentence.empty() ? "" : "; ", "the recorded ", found.run,
                    ", a later release, was not run again");
  }
  if (const auto engine = backends::ListedEngine(found.run))
    if (engine->reach() == engines::PJRT && !found.good_after.empty()) found.plugin = engine;
  if (const std::string others = OtherFailures(kept); !others.empty())
    absl::StrAppend(&sentence, sentence.empty() ? "" : "; ", others);
  if (!sentence.empty()) found.text = sentence + " (`hlocts history`)";
  if (found.text.empty())
    found.text = absl::StrCat("not looked up (`hlocts history ",
                              suites::ShellQuoted(ShownFolder(folder)), " --keep`)");
  return found;
}

std::string WhatIsWrong(const reports::Verdict& verdict) {
  if (!verdict.first_failure) {
    const std::string reason = reports::ReasonText(verdict);
    const std::vector<absl::string_view> lines =
        absl::StrSplit(reason, '\n', absl::SkipWhitespace());
    return absl::StrCat("The module below is valid by the documents. Observed: `",
                        OutcomeName(verdict.kind), "`.\n\n",
                        Fenced("", absl::StrJoin(lines, "\n")));
  }
  const reports::VerdictFailure& failure = *verdict.first_failure;
  std::string text = absl::StrCat(
      "Output ", failure.output, " at index [", absl::StrJoin(failure.index, ","), "] is `",
      failure.actual, "` (bits `", failure.actual_bits, "`). Allowed: `", failure.accepted, "`",
      failure.distance.empty() ? "" : "; " + failure.distance, ".\n");
  for (const reports::FailureOperand& operand : failure.operands)
    absl::StrAppend(&text, "\n- operand `", operand.name, "` = `", operand.value, "`");
  if (!failure.operands.empty()) text += "\n";
  if (const std::string found = reports::FindingText(verdict.localisation); !found.empty())
    absl::StrAppend(&text, "\nFound: ", found, ".\n");
  text += reports::FactSentences(failure, verdict.backend);
  for (const std::string& note : verdict.notes) absl::StrAppend(&text, "\nNote: ", note, ".\n");
  for (const auto& sentence : reports::SentencesOf(verdict))
    absl::StrAppend(&text, "\n> ", sentence.text, "\n>\n> ([", sentence.source, "](",
                    sentence.address, "), clause ", sentence.id, ")\n");
  return text;
}

// Adds operation and operands to a record of an earlier version, which lacks both, by judging the
// stored outputs again. If that is impossible, leaves the record unchanged.
void CompleteOldRecord(const std::string& folder, const fuzz::Bundle& bundle,
                       reports::Verdict& verdict) {
  if (!verdict.first_failure || !verdict.first_failure->operation.empty()) return;
  const Module& module = *bundle.sample.module;
  backends::DiffOptions diff{.profile = bundle.options.profile,
                             .load = fuzz::DevicesOf(bundle.sample, bundle.options),
                             .describe = true};
  auto outputs = ReadDeviceLeaves(folder + "/actual.txt", backends::OutputLeafShapes(module),
                                  diff.load.replicas * diff.load.partitions, diff.load.partitions);
  if (!outputs.ok()) return;
  const backends::ExecuteRequest request = bundle.sample.Request();
  reports::Verdict again = backends::Differ(module, request, diff).JudgeOutputs(*outputs);
  if (again.first_failure) verdict.first_failure = std::move(again.first_failure);
}

absl::StatusOr<fuzz::Bundle> WholeBundle(const std::string& folder) {
  if (folder.empty()) return InvalidInput("report-bug: expected a bundle");
  std::error_code none;
  if (std::filesystem::exists(folder, none) && !std::filesystem::is_directory(folder, none))
    return InvalidInput(folder,
                        ": expected the directory of a bundle, found a file; `hlocts shrink ",
                        folder, " --backend=ENGINE --inputs=FILE -o DIR` writes one to DIR");
  if (std::filesystem::exists(folder, none) && !reports::HasRecordedVerdict(folder))
    return InvalidInput(folder, ": not a bundle; `hlocts shrink ", folder,
                        " --backend=ENGINE -o DIR` writes one");
  HLOCTS_ASSIGN_OR_RETURN(fuzz::Bundle bundle, fuzz::ReadBundle(folder));
  CompleteOldRecord(folder, bundle, bundle.result.verdict);
  const std::string release =
      backends::ReleaseName(bundle.backend, bundle.result.verdict.backend_version);
  if (release != bundle.backend) {
    bundle.backend = bundle.result.verdict.backend =
        backends::ListedEngine(release) ? release : "jax";
    bundle.jax = absl::StrReplaceAll(release, {{"jaxlib@", "jax=="}});
  }
  if (auto& failure = bundle.result.verdict.first_failure)
    if (absl::StartsWith(failure->accepted, "[") || absl::StartsWith(failure->accepted, "(["))
      failure->accepted = "a value in " + failure->accepted;  // [1, 2] might be an array
  bundle.signature = TitleOf(bundle.result.verdict, *bundle.sample.module);
  auto expected = ReadFile(folder + "/expected.jsonl");  // findings have no such file
  bundle.expected =
      expected.ok() ? *std::move(expected)
                    : fuzz::ExpectedLines(bundle.sample, bundle.result.verdict, bundle.options, {});
  // If a later release is good, the script needs a bad one: the jax of the same version as jaxlib,
  // or the plugin.
  const Releases releases = ReleasesOf(folder, bundle.result.verdict);
  if (releases.good_after.empty() || fuzz::IsPluginFile(bundle.backend)) return bundle;
  if (absl::StartsWith(releases.run, "jaxlib@")) {
    bundle.jax = absl::StrReplaceAll(releases.run, {{"jaxlib@", "jax=="}});
  } else if (releases.plugin) {
    absl::StrAppend(&bundle.jax, " && pip install --no-deps --target=plugin ",
                    releases.plugin->package(), "==", releases.plugin->version());
    bundle.backend.replace(0, bundle.backend.find('?'), releases.run);
  }
  return bundle;
}

absl::StatusOr<std::string> JaxText(const ReportBugOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(fuzz::Bundle bundle, WholeBundle(options.bundle));
  const std::string& backend = bundle.result.verdict.backend;
  if (!fuzz::RunsInJax(backend))
    return InvalidInput("report-bug: JAX does not run the engine ", backend);
  return fuzz::BundleJaxScript(bundle);
}

// Returns a sentence with a command that runs the engine without hlocts, or says that none exists.
std::string PublicRunner(const reports::Verdict& verdict) {
  const absl::string_view backend = verdict.backend;
  const std::string name = backends::EngineNameOf(backend);
  if (name == "hlo-evaluator")
    return "Save the module as `module.hlo` and run it with XLA's `run_hlo_module "
           "--platform=interpreter module.hlo`.";
  if (name == "xla_gpu")
    return "Save the module as `module.hlo` and run it on a GPU with XLA's `run_hlo_module "
           "--platform=CUDA module.hlo`.";
  absl::string_view pass = backend;
  const bool is_pass = absl::ConsumePrefix(&pass, "rewriter:") && backends::IsPassOfXla(pass);
  if (is_pass && absl::StrContains(verdict.backend_version, " of xla@"))
    return absl::StrCat(
        "Save the module as `module.hlo` and set XLA_FLAGS=\"--xla_enable_hlo_passes_only=", pass,
        " --xla_dump_to=dumps --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=", pass,
        "\". XLA's `run_hlo_module --platform=CPU module.hlo` then writes to `dumps` the module "
        "after the pass, which is wrong by the documents.");
  if (is_pass)
    return absl::StrCat("Save the module as `module.hlo`; XLA's `hlo-opt --passes=", pass,
                        " module.hlo` prints the rewritten module, which is wrong by the "
                        "documents.");
  if (absl::StartsWith(backend, "rewriter:jaxlib"))
    return "The conversion is a part of jaxlib. If the failure also occurs with `hlocts shrink "
           "module.hlo --backend=jaxlib@RELEASE -o DIR`, `DIR/repro_jax.py` shows it with JAX "
           "alone.";
  return absl::StrCat("No public tool runs this HLO on the engine ", backend, ".");
}

std::string WaysToReproduce(const fuzz::Bundle& bundle, const std::string& folder,
                            const Releases& releases) {
  const std::string& backend = bundle.result.verdict.backend;
  // The JAX of a Python is recorded without a place, so that the option names its release.
  const bool is_named = releases.plugin || absl::StartsWith(backend, "jax");
  const std::string place = is_named && !fuzz::IsPluginFile(backend)
                                ? "--backend=" + suites::ShellQuoted(bundle.backend)
                                : backends::EngineLocationOption(backend);
  const auto engine = backends::ListedEngine(bundle.backend);
  const std::string replay = absl::StrCat(
      "`hlocts replay ", suites::ShellQuoted(ShownFolder(folder)), place.empty() ? "" : " ", place,
      "`",
      engine && !engine->sha256().empty() && !backends::IsInstalled(*engine)
          ? absl::StrCat(" (`hlocts engines install ", engine->name(), "`)")
          : "",
      absl::StartsWith(folder, "/") && !Below(folder) ? ", in the directory that has it," : "",
      " gives the engine the HLO module itself (exit status 1: the failure still occurs).\n");
  if (!fuzz::RunsInJax(backend))
    return absl::StrCat(PublicRunner(bundle.result.verdict), "\n", replay);
  constexpr absl::string_view kEnd =
      "; it prints the engine that ran, and REPRODUCED (exit status 1) if the failure still "
      "occurs.\nJAX converts the module to StableHLO, and the engine converts it back. If this may "
      "change instructions or their operands, the script names them, and cannot tell (2) if "
      "nothing fails.\n\n";
  const std::string script = Fenced("python", fuzz::BundleJaxScript(bundle));
  if (fuzz::IsPluginFile(backend))
    return absl::StrCat(replay,
                        "\nOr, without hlocts: `pip install jax`, then `python "
                        "repro_jax.py PLUGIN.so` with this script and the file of the plugin",
                        kEnd, script);
  return absl::StrCat(
      "`pip install ", bundle.jax, "`, then this script",
      releases.plugin ? " with the argument plugin/" + releases.plugin->library() : "", kEnd,
      script, "\n", replay);
}

std::string KnownText(const reports::Verdict& verdict, const std::optional<KnownFinding>& known) {
  if (!fuzz::IsPluginFile(verdict.backend)) return known ? known->ToText() : "none";
  return known ? absl::StrCat("the list of XLA has such a failure: ", known->ToText())
               : "not in the list of XLA; no list of the plugin was read";
}

// The list of a plugin file is not known here. Many contain XLA, so XLA's list is used.
std::optional<KnownFinding> ListedFinding(const fuzz::Bundle& bundle) {
  reports::Verdict verdict = bundle.result.verdict;
  if (fuzz::IsPluginFile(verdict.backend)) verdict.backend = "xla";
  auto known = KnownFindingOf(verdict, bundle.sample, !bundle.shrunk_from.empty());
  return known && known->HasEntry() ? known : std::nullopt;
}

absl::StatusOr<std::string> BugText(const ReportBugOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(fuzz::Bundle bundle, WholeBundle(options.bundle));
  const reports::Verdict& verdict = bundle.result.verdict;
  const auto own = reports::ReadFindingFile(options.bundle);
  const std::optional<KnownFinding> known =
      own.ok() ? KnownFinding{NameOfFolder(options.bundle), *own} : ListedFinding(bundle);
  const std::string rarity = RarityText(verdict);
  const Releases releases = ReleasesOf(options.bundle, verdict);
  std::string on_finding;
  if (!releases.good_after.empty())
    absl::StrAppend(&on_finding, "Already good in ", releases.good_after, "; last bad ",
                    releases.last_bad, " (`hlocts history`).\n\n");
  if (!own.ok()) absl::StrAppend(&on_finding, "known: ", KnownText(verdict, known), "\n\n");
  if (own.ok() && own->question())
    absl::StrAppend(&on_finding, "This is ", QuestionText(*own), "\n\n");
  const bool reported = known && !known->finding.threads().empty();
  if (reported || !own.ok())
    absl::StrAppend(&on_finding,
                    "Public reports: ", reported ? known->finding.threads() : "none recorded",
                    "\n\n");
  std::string report = absl::StrCat(
      "# ", own.ok() ? own->title() : TitleOf(verdict, *bundle.sample.module),
      rarity.empty() ? "" : absl::StrCat(" (", rarity, ")"), "\n\n", on_finding,
      rarity.empty() ? ""
                     : absl::StrCat("Not deterministic: ", rarity, " (", verdict.flake, ").\n\n"),
      WhatIsWrong(verdict), BlameText(options.bundle, verdict), "\n## Module\n\n",
      Fenced("", PrintModule(*bundle.sample.module, PrintOptions::Short())),
      bundle.sample.arguments.empty()
          ? ""
          : absl::StrCat("\nArguments:\n\n", Fenced("", fuzz::InputsText(bundle.sample))),
      "\n## To reproduce\n\n");
  report += WaysToReproduce(bundle, options.bundle, releases);
  // The test runs all of XLA's compiler. It does not show a fault of a rewriter alone or of another
  // compiler.
  const std::string engine = backends::EngineNameOf(verdict.backend);
  if (fuzz::RunsInJax(verdict.backend) || engine == "xla_gpu" || engine == "tpu")
    absl::StrAppend(&report, "\n## As a test\n\n", Fenced("cpp", fuzz::BundleXlaTest(bundle)));
  absl::StrAppend(
      &report, "\n", fuzz::EngineText(verdict.backend, verdict.backend_version), ".\n",
      bundle.plugin.empty() ? "" : absl::StrCat("\nPlugin file: SHA-256 ", bundle.plugin, ".\n"),
      "\nReport by hlocts ", kVersion, ".\n",
      fuzz::RunsInJax(verdict.backend)
          ? absl::StrCat("\nCompile options: ", backends::CompileOptionsText(verdict.backend),
                         ".\n")
          : "",
      "\nreleases: ", releases.text,
      fuzz::IsPluginFile(verdict.backend) ? "\nThe releases are those of XLA (or that `history` "
                                            "names), not builds of this plugin.\n"
                                          : "\n");
  return report;
}

int RunReportBug(const ReportBugOptions& options) {
  auto text = options.jax ? JaxText(options) : BugText(options);
  if (!text.ok()) return Fail(text.status());
  absl::Status written = WriteFile(options.output.empty() ? "-" : options.output, *text);
  return written.ok() ? kExitOk : Fail(written);
}

}  // namespace

Command ReportBugCommand() {
  return {"report-bug", "write a bug report for the engine's issue tracker", [](Flags& flags) {
            auto options = std::make_shared<ReportBugOptions>();
            flags.Positional("BUNDLE", &options->bundle,
                             "directory of a bundle; `history --keep` and `blame` add to it");
            flags.Add("--jax", &options->jax, "write only the script that runs it in JAX");
            flags.Add("-o,--output", &options->output, "file to write (default: standard output)");
            return [options] { return RunReportBug(*options); };
          }};
}

}  // namespace hlocts::tools
