// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/fuzz_check.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/bucket.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/culprits.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/ir/surgery.h"
#include "tools/bench/processor_time.h"
#include "tools/selfcheck/forked.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFoundShare = 0.95, kFoundSecondsMedian = 10;
constexpr int64_t kInstructionsMedian = 3, kInstructions95 = 6, kElements = 8, kEvaluations = 1500;
constexpr int kReplays = 3;

int Replays(const std::string& folder, backends::Backend& engine, const fuzz::TrialOptions& trial) {
  auto bundle = fuzz::ReadBundle(folder);
  if (!bundle.ok()) return 0;
  bundle->options.load = trial.load;
  int failed = 0;
  for (int i = 0; i < kReplays; ++i) {
    failed += fuzz::CountsAsFinding(
        fuzz::RunTrial(bundle->sample, engine, bundle->options, false).verdict.kind);
  }
  return failed;
}

// Another failure than the one that was to be made small. An argument, or what is made of
// constants, that is wrong by itself is the cause of what is computed from it.
bool Drifted(const reports::Verdict& from, const std::set<std::string>& blamable, bool coarse,
             const fuzz::ShrinkResult& shrunk) {
  const Instruction* root = shrunk.sample.module->entry()->root();
  if (shrunk.result.verdict.kind == reports::VerdictKind::kFail &&
      (IsCarrier(*root) || fuzz::IsMadeOfConstants(*root)))
    return false;
  const fuzz::FailureSignature symptom = fuzz::FailureSignatureOf(shrunk.result.verdict),
                               was = fuzz::FailureSignatureOf(from);
  // To what only moves elements a NaN is one like others, and some types have none.
  const std::vector<std::string> operations(blamable.begin(), blamable.end());
  const bool alike =
      fuzz::SameFailure(symptom, was) ||
      (fuzz::OnlyMoves(operations) && fuzz::AlikeMoved(symptom, was)) ||
      ((coarse || fuzz::OnlyOrders(operations)) && fuzz::AlikeInAnyData(symptom, was));
  if (!alike) return true;
  // A message that tells what is wrong is the same failure with any operation.
  if (fuzz::HasMessage(symptom)) return false;
  return !blamable.empty() &&
         blamable.count(fuzz::BlamedOpcode(shrunk.result.verdict, *shrunk.sample.module)) == 0;
}

std::string ShrinkOne(const FuzzRecord& record, const FuzzCheckOptions& options,
                      const std::string& folder) {
  auto engine = backends::MakeInProcessBackend("canary:" + record.fault);
  auto reference = backends::MakeInProcessBackend("reference");
  if (!engine.ok() || !reference.ok()) return "";
  generators::Generated generated = fuzz::CampaignModule(options.campaign, record.number);
  fuzz::Sample sample = {std::move(generated.module), std::move(generated.arguments)};
  fuzz::ShrinkOptions shrink;
  shrink.trial = options.campaign.trial;
  shrink.trial.invalid = !generated.broken_rule.empty();
  fuzz::TrialResult blamed = fuzz::RunTrial(sample, **engine, shrink.trial, true);
  std::set<std::string> before = fuzz::BlamableOpcodes(blamed.verdict, *sample.module);
  const bool coarse = fuzz::LacksSpecials(blamed.verdict, *sample.module);
  double start = OwnSeconds();
  fuzz::ShrinkResult shrunk = fuzz::Shrink(sample, **engine, **reference, shrink);
  Json json;
  json["shrink_seconds"] = OwnSeconds() - start;
  json["signature"] = shrunk.signature;
  json["instructions"] = fuzz::CountInstructions(*shrunk.sample.module);
  json["elements"] = fuzz::CountElements(*shrunk.sample.module);
  json["evaluations"] = shrunk.evaluations;
  json["drifted"] = !shrunk.reproduced || Drifted(blamed.verdict, before, coarse, shrunk);
  fuzz::Bundle bundle = {std::move(shrunk.sample),
                         "canary:" + record.fault,
                         shrink.trial,
                         std::move(shrunk.result),
                         shrunk.signature,
                         "",
                         ""};
  absl::Status written = fuzz::WriteBundle(bundle, folder);
  json["replays"] = written.ok() ? Replays(folder, **engine, shrink.trial) : 0;
  return JsonText(json);
}

template <typename T>
T Quantile(std::vector<T> values, double share) {
  if (values.empty()) return T{};
  std::sort(values.begin(), values.end());
  size_t rank = static_cast<size_t>(share * static_cast<double>(values.size()));
  return values[std::min(rank, values.size() - 1)];
}

struct Summary {
  int64_t all = 0, found = 0, shrunk = 0, large = 0, dear = 0, drifted = 0, replayed = 0;
  std::vector<double> seconds, shrink_seconds;
  std::vector<int64_t> instructions, elements, evaluations;
  double Share() const {
    return all == 0 ? 0 : static_cast<double>(found) / static_cast<double>(all);
  }
};

Summary SummaryOf(const std::vector<FuzzRecord>& records) {
  Summary sum;
  for (const FuzzRecord& record : records) {
    ++sum.all;
    sum.found += record.found;
    if (record.found) sum.seconds.push_back(record.seconds);
    if (!record.shrunk) continue;
    ++sum.shrunk;
    sum.instructions.push_back(record.instructions);
    sum.elements.push_back(record.elements);
    sum.evaluations.push_back(record.evaluations);
    sum.shrink_seconds.push_back(record.shrink_seconds);
    sum.large += record.elements > kElements;
    sum.dear += record.evaluations > kEvaluations;
    sum.drifted += record.drifted;
    sum.replayed += record.replays == kReplays;
  }
  return sum;
}

std::string LineOf(const FuzzRecord& record) {
  if (!record.found) {
    return absl::StrFormat("%-50s NOT FOUND in %d modules, %.0f s\n", record.fault, record.number,
                           record.seconds);
  }
  std::string line =
      absl::StrFormat("%-50s %8.2f s, module %6d", record.fault, record.seconds, record.number);
  if (!record.shrunk) return absl::StrCat(line, ", ", record.verdict, "\n");
  absl::StrAppendFormat(&line, ", %d instructions, %d elements, %d evaluations, %s",
                        record.instructions, record.elements, record.evaluations, record.signature);
  if (record.drifted) absl::StrAppend(&line, ", DRIFTED");
  if (record.replays != kReplays)
    absl::StrAppend(&line, ", REPLAYS ", record.replays, " OF ", kReplays);
  return line + "\n";
}

}  // namespace

void ShrinkFound(std::vector<FuzzRecord>& records, const FuzzCheckOptions& options) {
  constexpr double kSecondsMax = 600;
  const bool keeps = !options.bundles.empty();
  const std::string folder = keeps ? options.bundles
                                   : absl::StrCat(std::filesystem::temp_directory_path().string(),
                                                  "/hlocts_fuzz_check.", getpid());
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);  // else none of them replays
  auto work = [&](size_t i) {
    const FuzzRecord& record = records[i];
    bool small_can_do = record.found && record.verdict != "crash" && record.verdict != "timeout";
    return small_can_do ? ShrinkOne(record, options, absl::StrCat(folder, "/", record.fault)) : "";
  };
  RunForked(records.size(), options.jobs, kSecondsMax, work,
            [&](size_t i, const ForkedResult& result) {
              Json json = ParseJson<Json>(result.text);
              FuzzRecord& record = records[i];
              if (!json.is_object()) return;
              record.shrunk = true;
              record.shrink_seconds = json["shrink_seconds"].get<double>();
              record.signature = json["signature"].get<std::string>();
              record.instructions = json["instructions"].get<int64_t>();
              record.elements = json["elements"].get<int64_t>();
              record.evaluations = json["evaluations"].get<int64_t>();
              record.drifted = json["drifted"].get<bool>();
              record.replays = json["replays"].get<int>();
            });
  if (!keeps) std::filesystem::remove_all(folder, ignored);
}

bool FuzzGoalsKept(const std::vector<FuzzRecord>& records) {
  Summary sum = SummaryOf(records);
  return sum.Share() >= kFoundShare && Quantile(sum.seconds, 0.5) <= kFoundSecondsMedian &&
         Quantile(sum.instructions, 0.5) <= kInstructionsMedian &&
         Quantile(sum.instructions, 0.95) <= kInstructions95 && sum.dear == 0 && sum.drifted == 0 &&
         sum.replayed == sum.shrunk;
}

std::string FuzzCheckText(const std::vector<FuzzRecord>& records, const FuzzCheckOptions& options) {
  Summary sum = SummaryOf(records);
  std::string text;
  for (const FuzzRecord& record : records) absl::StrAppend(&text, LineOf(record));
  absl::StrAppendFormat(
      &text,
      "\n%d of %d planted faults found (%.1f %%) within %.0f s of processor time each, seed %d\n",
      sum.found, sum.all, 100 * sum.Share(), options.seconds, options.campaign.seed);
  absl::StrAppendFormat(&text, "seconds to find: median %.2f, 95th percentile %.2f, largest %.2f\n",
                        Quantile(sum.seconds, 0.5), Quantile(sum.seconds, 0.95),
                        Quantile(sum.seconds, 1));
  absl::StrAppendFormat(&text,
                        "shrunk %d: instructions median %d, 95th percentile %d, largest %d; "
                        "elements median %d, largest %d, above %d: %d\n",
                        sum.shrunk, Quantile(sum.instructions, 0.5),
                        Quantile(sum.instructions, 0.95), Quantile(sum.instructions, 1),
                        Quantile(sum.elements, 0.5), Quantile(sum.elements, 1), kElements,
                        sum.large);
  absl::StrAppendFormat(&text,
                        "evaluations of a shrink: median %d, 95th percentile %d, largest %d; "
                        "seconds median %.2f, largest %.2f\n",
                        Quantile(sum.evaluations, 0.5), Quantile(sum.evaluations, 0.95),
                        Quantile(sum.evaluations, 1), Quantile(sum.shrink_seconds, 0.5),
                        Quantile(sum.shrink_seconds, 1));
  absl::StrAppendFormat(&text, "drifted: %d; replayed %d of %d: %d of %d\n", sum.drifted, kReplays,
                        kReplays, sum.replayed, sum.shrunk);
  return text;
}

}  // namespace hlocts::tools
