// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts fuzz`: runs random modules on engines, judges the results, shrinks
// failures and stores them as bundles.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "fuzz/campaign/campaign.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "spec/base/json_text.h"
#include "spec/ops/op_table.h"
#include "suites/expectations.h"
#include "suites/expectations.pb.h"
#include "suites/replay.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/story.h"
#include "tools/cli/terminal.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct FuzzOptions {
  CommonOptions common;
  fuzz::CampaignOptions campaign;
  std::vector<std::string> backends, without;
  std::optional<uint64_t> seed, only, variants;  // `variants`: if not given, 2
  int64_t jobs = 0, instructions = 10, cut = 4, partitions = 1;
  std::string profile = "default", stream, expectations;
  bool no_shrink = false, metamorphic = false, shrink_given = false;
  double shrink_seconds = 60;
};

using Lists = std::map<std::string, suites::ExpectationList>;

absl::StatusOr<Lists> LoadLists(const FuzzOptions& options) {
  Lists lists;
  for (const std::string& backend : backends::RecordedNames(options.campaign.backends)) {
    std::string path = options.expectations;
    if (path.empty()) path = suites::ExpectationsPath(backend);
    HLOCTS_ASSIGN_OR_RETURN(suites::ExpectationList list,
                            suites::ExpectationList::Load(path, !options.expectations.empty()));
    lists.emplace(backend, std::move(list));
  }
  return lists;
}

// Returns an error if options contradict each other.
absl::Status CheckTogether(const FuzzOptions& options) {
  const fuzz::CampaignOptions& campaign = options.campaign;
  if (campaign.resume && campaign.restart)
    return InvalidInput("expected --resume or --restart, found both");
  const bool twins = OwnCommandLine().find(" --twins") != std::string::npos;
  if (options.variants.has_value() && !options.metamorphic)
    return InvalidInput(twins ? "--twins" : "--variants", ": expected --metamorphic as well");
  if (options.variants == uint64_t{0})
    return InvalidInput(twins ? "--twins" : "--variants", ": expected at least 1, found 0");
  if (options.no_shrink && options.shrink_given)
    return InvalidInput("expected --no-shrink or --shrink-time, found both");
  if (options.partitions > 1 && campaign.stream == generators::Stream::kNegative)
    return InvalidInput("--partitions: expected a stream of valid modules");
  if (options.partitions > 1 && (options.common.replicas > 1 || options.metamorphic))
    return InvalidInput("--partitions: expected no --replicas or --metamorphic");
  if (options.no_shrink && campaign.shrink_last)
    return InvalidInput("expected --no-shrink or --shrink-last, found both");
  if (options.only && (campaign.modules_max > 0 || campaign.resume || campaign.guided))
    return InvalidInput("--only: expected no --modules, --resume or --guided");
  return absl::OkStatus();
}

// Handles --without: excludes the named element types, or arguments with run-time sizes.
absl::Status LeaveOut(const std::vector<std::string>& without,
                      generators::GeneratorOptions& generator) {
  for (const std::string& words : without) {
    for (absl::string_view word : absl::StrSplit(words, absl::ByAnyChar(", "), absl::SkipEmpty())) {
      const auto type = PrimitiveTypeFromName(word);
      if (word == "dynamic-arguments") {
        generator.dynamic_parameters = false;
      } else if (type) {
        generator.types &= ~TypeBit(*type);
      } else {
        return InvalidInput("--without: expected element types or dynamic-arguments, found \"",
                            word, "\"");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Complete(FuzzOptions& options) {
  fuzz::CampaignOptions& campaign = options.campaign;
  campaign.backends = backends::SplitBackendNames(options.backends);
  if (campaign.backends.empty()) return InvalidInput("fuzz: expected --backend");
  if (!options.stream.empty()) campaign.stream = generators::StreamFromName(options.stream);
  HLOCTS_RETURN_IF_ERROR(CheckTogether(options));
  if (options.only) {
    campaign.only = static_cast<int64_t>(*options.only);
    options.jobs = 1;
  }
  HLOCTS_RETURN_IF_ERROR(LeaveOut(options.without, campaign.generator));
  campaign.generator.replicas_max = std::max<int64_t>(1, options.common.replicas);
  campaign.partitions_max = options.partitions;
  campaign.generator.instructions = static_cast<int>(options.instructions);
  campaign.seed = options.seed.value_or(1);
  unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  campaign.jobs = static_cast<int>(options.jobs > 0 ? options.jobs : processors);
  if (campaign.seconds_max == 0 && campaign.modules_max == 0 && !campaign.only)
    campaign.seconds_max = 60;
  if (campaign.out.empty()) campaign.out = "out/fuzz";
  campaign.trial.cut = options.cut;
  if (options.metamorphic) campaign.variants = static_cast<int>(options.variants.value_or(2));
  if (options.no_shrink) campaign.shrink_evaluations = 0;
  campaign.shrink_seconds = options.shrink_seconds;
  campaign.trial.profile = *ProfileFromName(options.profile);
  campaign.trial.load.timeout_seconds = options.common.timeout_seconds;
  if (options.common.timeout_given)
    campaign.trial.load.reference_seconds_max = options.common.timeout_seconds;
  campaign.trial.load.memory_bytes_max = options.common.memory_bytes_max;
  campaign.trial.load.steps_max = options.common.steps_max;
  campaign.trial.load.rng_seed = options.common.rng_seed_flag.value_or(0);
  campaign.stop = Interrupted;
  return absl::OkStatus();
}

// Returns the names of the bundles in order.
std::vector<std::string> FindingsIn(const std::string& out) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(out + "/findings", none))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void PrintJson(const fuzz::CampaignStatus& now, const std::string& out) {
  auto line = ParseJson<nlohmann::ordered_json>(now.ToJson());
  line["findings"] = FindingsIn(out);
  std::cout << JsonText(line) << std::endl;
}

// Runs the campaign with a status line, which the end of the function clears. A log gets a line
// after a few seconds, one per minute and one for each new finding.
absl::StatusOr<fuzz::CampaignStatus> RunLive(const fuzz::CampaignOptions& options) {
  StatusLine line(std::chrono::seconds(60));
  int64_t buckets = 0;
  return fuzz::RunCampaign(options, [&](const fuzz::CampaignStatus& now) {
    if (now.ended) return;  // the final status is printed on standard output
    if (now.buckets > buckets && !line.shown())
      std::fprintf(stderr, "%s\n", now.ToText().c_str());
    else
      line.Show(now.ToText(), /*in_log=*/true);
    buckets = now.buckets;
  });
}

std::string AdviceOf(const FuzzOptions& options) {
  return absl::StrCat("the same command with ",
                      options.only ? "--restart repeats it" : "--resume continues");
}

// Returns the option that a replay needs if bundles do not record where the only engine is.
std::string LocatedEngine(const FuzzOptions& options) {
  const std::vector<std::string>& engines = options.campaign.backends;
  if (engines.size() != 1 ||
      backends::EngineLocationOption(backends::RecordedName(engines[0])).empty())
    return "";
  return absl::StrCat(" --backend=", suites::ShellQuoted(engines[0]));
}

bool IsFlaky(const std::string& folder) {
  const auto verdict = reports::RecordedVerdict(folder);
  return verdict.ok() && ParseJson<nlohmann::ordered_json>(*verdict).contains("flake");
}

std::string FurtherText(const std::string& folder, const std::vector<std::string>& names) {
  if (names.size() < 2) return "";
  return absl::StrCat("   (", names.size() - 1,
                      names.size() == 2 ? " further finding" : " further findings",
                      "; all: ", folder, "*)");
}

// Prints the names of the findings, and the next steps.
void PrintEnd(const FuzzOptions& options, const fuzz::CampaignStatus& status) {
  std::cout << status.ToText() << "\n";
  if (options.campaign.only)
    std::cout << "seed " << options.campaign.seed << ", module " << *options.campaign.only << ", "
              << fuzz::StreamText(
                     options.campaign,
                     fuzz::CampaignModule(options.campaign, *options.campaign.only).stream)
              << fuzz::WithoutOf(options.campaign, ",") << "\n";
  const std::string folder = options.campaign.out + "/findings/";
  const std::vector<std::string> names = FindingsIn(options.campaign.out);
  for (const std::string& name : names) std::cout << "finding: " << folder << name << "\n";
  if (const int64_t rest = status.buckets - static_cast<int64_t>(names.size()); rest > 0)
    std::cout << "findings without a bundle, which would exceed 64 KB: " << rest << "; "
              << options.campaign.out << "/findings.jsonl has seed and module of each\n";
  if (status.failures.known + status.failures.known_earlier > 0)
    std::cout << "known failures: " << options.campaign.out
              << "/known.jsonl (seed, module and reason of each); to store one as a bundle, repeat "
              << "this command with --only=MODULE --expectations=/dev/null --out=DIR, without "
              << "--modules and --resume\n";
  if (absl::c_any_of(status.verdicts, [](const auto& one) {
        const auto kind = OutcomeFromName(one.first);
        return kind && fuzz::IsUndecided(*kind);
      }))
    std::cout << "inconclusive, suspect or nan_bits: " << options.campaign.out
              << "/undecided.jsonl (seed, module and reason of each; --only=MODULE runs one)\n";
  if (!names.empty())
    std::cout << "next: " << suites::ShellQuoted(ProgramAsCalled()) << " replay "
              << suites::ShellQuoted(folder + names[0]) << LocatedEngine(options)
              << (IsFlaky(folder + names[0]) ? " --repeat=100" : "") << FurtherText(folder, names)
              << "\n";
  if (Interrupted()) std::cout << "interrupted; " << AdviceOf(options) << "\n";
  std::cout << std::flush;
}

int RunFuzz(FuzzOptions options) {
  if (absl::Status status = Complete(options); !status.ok()) return Fail(status);
  auto lists = LoadLists(options);
  if (!lists.ok()) return Fail(lists.status());
  options.campaign.known = [&](const std::string& signature, const reports::Verdict& verdict,
                               const std::set<std::string>* needs) {
    auto list = lists->find(verdict.backend);
    std::optional<fuzz::KnownBy> by;
    if (list == lists->end()) return by;
    if (const auto* entry = list->second.Explaining(signature, verdict, needs))
      by = fuzz::KnownBy{entry->signature(), entry->link(), entry->clause(), entry->reason(),
                         entry->memory()};
    return by;
  };
  CatchInterrupts(AdviceOf(options));
  const bool json = options.common.json;
  const auto print = [&](const fuzz::CampaignStatus& now) { PrintJson(now, options.campaign.out); };
  auto status = json ? fuzz::RunCampaign(options.campaign, print) : RunLive(options.campaign);
  if (!status.ok()) return Fail(status.status());
  if (!json) PrintEnd(options, *status);
  return status->buckets > 0 ? kExitFailed : kExitOk;
}

void DeclareShrinking(Flags& flags, FuzzOptions& options) {
  flags.AddDuration("--shrink-time", &options.shrink_seconds,
                    "time limit for shrinking one finding", &options.shrink_given);
  flags.Add("--shrink-last", &options.campaign.shrink_last,
            "run all modules first and shrink failures in the last third of the time");
  flags.Add("--no-shrink", &options.no_shrink, "store failing modules unchanged");
}

}  // namespace

Command FuzzCommand() {
  return {"fuzz", "run random modules on engines; shrink and store failures", [](Flags& flags) {
            auto options = std::make_shared<FuzzOptions>();
            fuzz::CampaignOptions& campaign = options->campaign;
            flags.Add("--backend", &options->backends, "engines, comma-separated; repeatable");
            flags.AddDuration("--time", &campaign.seconds_max,
                              "time limit (default: 60s without --modules)");
            flags.Add("--modules", &campaign.modules_max, "number of modules", {1});
            flags.Add("--seed", &options->seed,
                      "seed; equal seeds make equal modules on engines that support the same "
                      "element types (1)");
            flags.Add("--only", &options->only,
                      "number of one module, as recorded in a finding: seed 1, module 81 (a known "
                      "failure is stored only with --expectations=/dev/null)");
            flags.Add("--without", &options->without,
                      "element types to exclude; with those recorded in a finding, --seed and "
                      "--only make the same module on every engine");
            flags.Add("--jobs", &options->jobs, "parallel modules (default: number of CPUs)",
                      {1, 1024});
            flags.Add("--resume", &campaign.resume, "resume the campaign in --out, or start it");
            flags.Add("--restart", &campaign.restart,
                      "start again; the earlier campaign in --out is renamed, with its findings");
            flags.Add("--out", &campaign.out, "directory for bundles and state (out/fuzz)");
            flags.AddChoice("--stream", &options->stream,
                            {"defined", "exact", "edge", "sizes", "negative"}, "stream of modules");
            flags.Add("--guided", &campaign.guided,
                      "favour choices that recently reached new kinds of instructions");
            flags.Add("--instructions", &options->instructions,
                      "approximate number of instructions per module", {1, 10'000});
            flags.AddProfile(&options->profile);
            flags.Add("--expectations", &options->expectations,
                      "expectations file (default: suites/expectations/<backend>.textproto)");
            flags.Add("--partitions", &options->partitions,
                      "number of devices; modules have random sharding annotations, and engines "
                      "partition them for N devices or a divisor of N",
                      {2, 64});
            flags.Add("--metamorphic", &options->metamorphic,
                      "also run metamorphic variants of each module; judge them if outputs differ");
            flags.Add("--cut", &options->cut,
                      "also judge pieces of about N floating-point operations (0: outputs only)");
            flags.Add("--twins,--variants", &options->variants,
                      "number of variants per module, with --metamorphic (2)");
            DeclareShrinking(flags, *options);
            options->common.Declare(flags, /*with_batch=*/false, {"--infeed", "--outfeed"});
            return [options] { return RunFuzz(*options); };
          }};
}

}  // namespace hlocts::tools
