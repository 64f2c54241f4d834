// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts shrink`: finds a smaller module with the same failure.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/bundle.h"
#include "reference/evaluator.h"
#include "reports/finding_file.h"
#include "reports/store/scrub.h"
#include "spec/files/file_io.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "suites/run_folder.h"
#include "suites/sha256.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/judging.h"
#include "tools/cli/limits.h"
#include "tools/cli/terminal.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct ShrinkOptions {
  CommonOptions common;
  std::string module, inputs, backend, profile = "default", out;
  std::optional<uint64_t> seed;
  double seconds_max = 120;
  int64_t runs = 0;  // if not given: 1; for a flake, as many as are needed to see it
  bool explain = false;
};

// The number of candidates with a different failure, by the difference.
using Differences = std::map<fuzz::Difference, int>;

std::string PlainText(const Module& module) {
  PrintOptions options;
  options.metadata = false;
  return PrintModule(module, options);
}

// Declares what an interrupted process leaves.
std::string LeavesText(const std::string& out, bool kept) {
  if (out.empty()) return "";
  return out + (kept ? " has the smallest module so far" : ": nothing is written");
}

// Metadata contains paths of the author's machine; the verdict has the source's name and line.
void MakePlain(fuzz::Bundle& bundle) {
  if (auto plain = ParseModule(PlainText(*bundle.sample.module)); plain.ok())
    bundle.sample.module = *std::move(plain);
  if (auto& failure = bundle.result.verdict.first_failure)
    failure->source = reports::Scrubbed(failure->source);
}

// Writes the bundle of the smallest candidate so far, which remains if this process is killed.
absl::Status KeepSmallest(const fuzz::Bundle& given, const fuzz::Sample& smallest,
                          const fuzz::TrialResult& result, const std::string& out) {
  fuzz::Bundle bundle{.sample = smallest.Clone(),
                      .backend = given.backend,
                      .options = given.options,
                      .result = result,
                      .signature = fuzz::SignatureOf(result.verdict, *smallest.module),
                      .plugin = given.plugin,
                      .unshrunk = true,
                      .shrunk_from = given.shrunk_from};
  MakePlain(bundle);
  return fuzz::WriteBundle(bundle, out).status();
}

// Sets the bundle's origin. Returns an error unless the directory is new, is empty, or contains the
// given bundle, one of the same origin, or the first files of a process that was killed.
absl::Status CheckOwnFolder(const std::string& out, const std::string& given,
                            fuzz::Bundle& bundle) {
  namespace fs = std::filesystem;
  std::error_code none;
  std::string& origin = bundle.shrunk_from;
  if (origin.empty()) origin = suites::Sha256(PlainText(*bundle.sample.module));
  if (out.empty() || !fs::exists(out) || fs::is_empty(out, none)) return absl::OkStatus();
  const auto old = fuzz::ReadBundle(out);
  const bool same_origin = old.ok() && old->shrunk_from == origin &&
                           old->backend == backends::RecordedName(bundle.backend);
  if (same_origin ||
      (old.ok() ? fs::equivalent(out, given, none)
                : fs::exists(out + "/module.hlo") && fs::exists(out + "/inputs.txt")))
    return absl::OkStatus();
  return InvalidInput("-o: ", out, ": expected a new directory, or one with a bundle of the same ",
                      "module and engine");
}

void PrintShrunk(const fuzz::Bundle& bundle, int evaluations) {
  std::cout << PrintModule(*bundle.sample.module);
  for (const Literal& argument : bundle.sample.arguments)
    std::cout << PrintLiteralWithShape(argument) << "\n";
  std::cout << "# " << bundle.signature << "; " << evaluations << " evaluations\n";
}

void PrintDifferences(const std::vector<std::string>& identity, const Differences& differences) {
  std::cout << "# each smaller module has this failure:\n";
  for (const std::string& line : identity) std::cout << "#   " << line << "\n";
  std::cout << "# number of candidates by result:\n";
  for (const auto& [difference, count] : differences)
    std::cout << absl::StrFormat("# %6d  %s\n", count, fuzz::ReasonText(difference));
}

// The progress that the command prints, and the data for it.
struct Watch {
  StatusLine line;
  std::string smallest = "searching for the wrong instruction";
  Differences differences;
  bool kept = false;

  void Attach(const fuzz::Bundle& given, const std::string& out, fuzz::ShrinkOptions& shrink) {
    shrink.progress = [this, &given, out](const fuzz::Sample& candidate, int evaluations,
                                          const fuzz::TrialResult* result) {
      if (result != nullptr) {
        smallest =
            absl::StrCat(CountText(fuzz::CountInstructions(*candidate.module), "instruction"), ", ",
                         CountText(fuzz::CountElements(*candidate.module), "element"));
        if (!out.empty() && KeepSmallest(given, candidate, *result, out).ok() && !kept) {
          kept = true;
          CatchInterrupts(LeavesText(out, kept));
        }
      }
      line.Show(absl::StrCat(smallest, "; ", evaluations, " evaluations so far"), /*in_log=*/true);
    };
    shrink.compared = [this](fuzz::Difference difference) { ++differences[difference]; };
  }
};

// Returns the hash of a plugin file; "" for other engines.
std::string PluginHashOf(const std::string& engine) {
  const auto hashes = suites::PluginHashes({{"", engine}});
  return hashes.empty() ? "" : hashes.begin()->second;
}

// Returns the signature of a recorded crash that has a message; nullopt for other failures.
std::optional<fuzz::FailureSignature> RecordedMessage(const reports::Verdict& verdict) {
  const fuzz::FailureSignature signature = fuzz::FailureSignatureOf(verdict);
  if (signature.kind != Outcome::kCrash || !fuzz::HasMessage(signature)) return std::nullopt;
  return signature;
}

fuzz::TrialOptions TrialOf(const ShrinkOptions& options, const fuzz::Bundle& bundle) {
  fuzz::TrialOptions trial = bundle.options;
  trial.runs_max = RunsOf(options.runs, bundle.result.verdict, options.common.json,
                          " runs of each candidate at most");
  // An engine that the user names may fail with another message.
  if (options.backend.empty()) trial.wanted = RecordedMessage(bundle.result.verdict);
  return trial;
}

absl::Status NotReproduced(const fuzz::TrialOptions& trial, const reports::Verdict& verdict,
                           const std::string& backend, const ShrinkOptions& options) {
  if (trial.wanted && fuzz::CountsAsFinding(verdict.kind))
    return InvalidInput("shrink: on ", backend, " the module fails, but not with the recorded ",
                        "message \"", trial.wanted->mismatch,
                        "\"; --repeat=N runs it more often, and --backend=", backend,
                        " shrinks any failure", PerhapsFixed(options.module));
  return InvalidInput(
      "shrink: the module does not fail on ", backend, " in ", CountText(trial.runs_max, "run"),
      "; --repeat=N runs it more often, if the failure is not deterministic",
      options.seed ? "; --data=NAME selects the inputs of the seed, as in diff" : "",
      PerhapsFixed(options.module));
}

// Runs the small module again: its bundle must state how often it fails.
void CountRuns(backends::Backend& engine, const fuzz::TrialOptions& trial, fuzz::Bundle& bundle) {
  if (trial.runs_max <= 1 || trial.invalid) return;
  RepeatedRun repeated = RunRepeatedly(
      trial.runs_max, [&] { return fuzz::RunSample(bundle.sample, engine, bundle.options); },
      [&](const backends::RunOutcome& outcome) {
        return fuzz::JudgeTrial(bundle.sample, outcome, engine, bundle.options, false).verdict;
      });
  int64_t& failed = repeated.counts[std::string(OutcomeName(bundle.result.verdict.kind))];
  failed = std::max<int64_t>(failed, 1);  // at least the recorded run
  RecordRunCounts(repeated.counts, bundle.result.verdict);
}

absl::Status WriteResult(const fuzz::Bundle& bundle, const std::string& out) {
  if (out.empty()) {
    std::cerr
        << "hlocts: only printed; -o DIR writes a bundle for replay, history and report-bug\n";
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(const size_t bytes, fuzz::WriteBundle(bundle, out));
  if (bytes > fuzz::kBundleBytesMax)
    std::cerr << "hlocts: " << out << ": the bundle has " << bytes
              << " bytes; a campaign stores bundles of at most 64 KB\n";
  if (Interrupted()) std::cerr << "hlocts: interrupted; " << LeavesText(out, true) << "\n";
  return absl::OkStatus();
}

absl::StatusOr<int> ShrinkSubject(const ShrinkOptions& options) {
  HLOCTS_RETURN_IF_ERROR(CheckOutputFolder("-o", options.out));
  HLOCTS_ASSIGN_OR_RETURN(
      fuzz::Bundle bundle,
      LoadSubject(options.module, options.inputs, options.seed, options.profile, options.common));
  if (!options.backend.empty()) bundle.backend = options.backend;
  if (bundle.backend.empty()) return InvalidInput("shrink: expected --backend");
  if (options.backend.empty())
    HLOCTS_RETURN_IF_ERROR(CheckRecordedEngine(bundle.result.verdict, options.module));
  HLOCTS_RETURN_IF_ERROR(CheckOwnFolder(options.out, options.module, bundle));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> engine,
                          backends::MakeBackend(bundle.backend));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> reference,
                          backends::MakeBackend("reference"));
  bundle.plugin = PluginHashOf(bundle.backend);
  bundle.backend = backends::RecordedName(bundle.backend);
  backends::BackendInfo info = engine->info();
  if (!info.available)
    return absl::UnavailableError(absl::StrCat(bundle.backend, ": ", info.error.Text()));
  fuzz::ShrinkOptions shrink{.seconds_max = options.seconds_max, .stop = Interrupted};
  Watch watch;
  watch.Attach(bundle, options.out, shrink);
  bundle.options.load = options.common.ToLoadOptions(*bundle.sample.module);
  shrink.trial = TrialOf(options, bundle);
  fuzz::ShrinkResult shrunk = fuzz::Shrink(bundle.sample, *engine, *reference, shrink);
  watch.line.Clear();
  if (!shrunk.reproduced && !Interrupted() &&
      !ContinueWithPiece(bundle.sample, *engine, bundle.options, "shrinking").empty()) {
    bundle.options.cut = shrink.trial.cut = 0;
    shrunk = fuzz::Shrink(bundle.sample, *engine, *reference, shrink);
    watch.line.Clear();
  }
  if (!shrunk.reproduced && Interrupted())
    return absl::CancelledError("interrupted; " + LeavesText(options.out, watch.kept));
  if (!shrunk.reproduced) {
    PrintVerdict(shrunk.result.verdict, options.common.json, "", options.explain);
    return NotReproduced(shrink.trial, shrunk.result.verdict, bundle.backend, options);
  }
  bundle.sample = std::move(shrunk.sample);
  const std::string of_case = bundle.result.verdict.case_address;
  bundle.result = std::move(shrunk.result);
  bundle.result.verdict.case_address = of_case.empty() ? CaseAddressOf(options.module) : of_case;
  MakePlain(bundle);
  CountRuns(*engine, shrink.trial, bundle);
  bundle.signature = shrunk.signature;
  bundle.expected =
      fuzz::ExpectedLines(bundle.sample, bundle.result.verdict, bundle.options, info.facts);
  HLOCTS_RETURN_IF_ERROR(WriteResult(bundle, options.out));
  if (!options.common.json) PrintShrunk(bundle, shrunk.evaluations);
  if (options.explain && !options.common.json) PrintDifferences(shrunk.identity, watch.differences);
  PrintVerdict(bundle.result.verdict, options.common.json, "", options.explain);
  return kExitOk;
}

int RunShrink(const ShrinkOptions& options) {
  if (options.module.empty()) return Fail(InvalidInput("shrink: expected a module or a bundle"));
  CatchInterrupts(LeavesText(options.out, false));
  LimitTime();
  // The search ends after --time, but the runs of its last candidate, each within --timeout, and
  // the final verdict follow.
  const HardLimit limit(
      reference::DeadlineAfter(options.seconds_max + 10 * options.common.timeout_seconds));
  auto status = ShrinkSubject(options);
  return status.ok() ? *status : Fail(status.status());
}

}  // namespace

Command ShrinkCommand() {
  return {"shrink", "find the smallest module with the same failure", [](Flags& flags) {
            auto options = std::make_shared<ShrinkOptions>();
            flags.Positional("MODULE", &options->module,
                             "module (with --inputs or --seed), or directory of a bundle");
            flags.Add("--backend", &options->backend, "engine (default: that of the bundle)");
            options->common.DeclareInputs(flags, &options->inputs, &options->seed);
            flags.Add("--explain", &options->explain,
                      "print the failure's criteria, and why candidates were rejected");
            flags.AddProfile(&options->profile);
            AddRepeat(flags, &options->runs);
            flags.AddDuration("--time", &options->seconds_max, "time limit for shrinking");
            flags.Add("-o,--output", &options->out,
                      "directory for a bundle of the result (default: it is only printed)");
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] { return RunShrink(*options); };
          }};
}

}  // namespace hlocts::tools
