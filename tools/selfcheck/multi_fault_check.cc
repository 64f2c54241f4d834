// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/multi_fault_check.h"

#include <algorithm>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/selftest/faults/fault.h"
#include "fuzz/campaign/finding_store.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/bucket.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/culprits.h"
#include "tools/bench/processor_time.h"

namespace hlocts::tools {
namespace {

class MultiFault {
 public:
  MultiFault(const std::vector<std::string>& faults, const FuzzCheckOptions& options)
      : faults_(faults),
        options_(options),
        reference_(*backends::MakeInProcessBackend("reference")) {
    auto engine = backends::MakeInProcessBackend("canary:" + absl::StrJoin(faults, "+"));
    HLOCTS_CHECK(engine.ok());
    together_ = *std::move(engine);
    for (const std::string& id : faults)
      alone_.push_back(*backends::MakeInProcessBackend("canary:" + id));
  }

  MultiFaultReport Run() {
    const double start = OwnSeconds();
    while (report_.seconds < options_.seconds) {
      Try(fuzz::CampaignModule(options_.campaign, report_.modules++));
      report_.seconds = OwnSeconds() - start - asking_;
    }
    return std::move(report_);
  }

 private:
  static constexpr int kAskedOfASignature = 5;
  struct Met {
    std::string bucket;
    int64_t count = 0;
  };

  // As FindingStore does it.
  void Try(generators::Generated generated) {
    fuzz::Sample sample = {std::move(generated.module), std::move(generated.arguments)};
    fuzz::TrialOptions trial = options_.campaign.trial;
    trial.invalid = !generated.broken_rule.empty();
    reports::Verdict verdict = fuzz::RunTrial(sample, *together_, trial, false).verdict;
    if (!fuzz::CountsAsFinding(verdict.kind)) return;
    const std::string signature = fuzz::SignatureOf(verdict, *sample.module);
    bool cut = verdict.kind == reports::VerdictKind::kFail;
    if (cut && !fuzz::IsToCut(++cut_[signature])) return;
    std::vector<fuzz::Culprit> culprits;
    if (cut) culprits = fuzz::CulpritsOf(sample, *together_, trial);
    for (const auto& [piece, alone] : culprits)
      Found(piece, trial, fuzz::SignatureOf(alone.verdict, *piece.module));
    if (culprits.empty()) Found(sample, trial, signature);
  }

  void Found(const fuzz::Sample& sample, const fuzz::TrialOptions& trial,
             const std::string& signature) {
    ++report_.findings;
    Met& met = met_[signature];
    if (fuzz::IsToShrink(++met.count)) met.bucket = Shrunk(sample, trial, signature);
    while (merged_.count(met.bucket) > 0) met.bucket = merged_[met.bucket];
    if (met.count > kAskedOfASignature) return;
    std::set<std::string> causes = Causes(sample, trial);
    ++report_.asked;
    const std::set<std::string>& owners = report_.buckets[met.bucket];
    bool pure = std::any_of(owners.begin(), owners.end(),
                            [&](const auto& id) { return causes.count(id) > 0; });
    report_.pure += pure;
    if (!pure) ++report_.strays[absl::StrCat(met.bucket, ": ", absl::StrJoin(causes, ", "))];
  }

  std::string Shrunk(const fuzz::Sample& sample, const fuzz::TrialOptions& trial,
                     const std::string& met_as) {
    fuzz::ShrinkOptions shrink;
    shrink.trial = trial;
    shrink.evaluations_max = options_.campaign.shrink_evaluations;
    fuzz::ShrinkResult shrunk = fuzz::Shrink(sample, *together_, *reference_, shrink);
    const fuzz::Sample& small = shrunk.reproduced ? shrunk.sample : sample;
    std::string signature = shrunk.reproduced ? shrunk.signature : met_as;
    report_.signatures.insert(signature);
    std::vector<std::string> absorbed;
    fuzz::FailureTraits remains = fuzz::FailureTraitsOf(small, shrunk.result);
    std::string bucket = buckets_.Add(fuzz::BucketOf(signature, remains), &absorbed);
    // The first module of a bucket is the bundle that people see.
    if (report_.buckets.count(bucket) == 0) {
      report_.buckets[bucket] = Causes(small, trial);
      Keep(small, trial, shrunk, bucket);
    }
    for (const std::string& other : absorbed) {
      report_.buckets.erase(other);
      merged_[other] = bucket;
    }
    return bucket;
  }

  void Keep(const fuzz::Sample& small, const fuzz::TrialOptions& trial,
            const fuzz::ShrinkResult& shrunk, const std::string& bucket) {
    if (options_.bundles.empty()) return;
    fuzz::Bundle bundle = {small.Clone(),    together_->info().name,          trial, shrunk.result,
                           shrunk.signature, absl::StrCat("bucket ", bucket), ""};
    const std::string folder = absl::StrCat(options_.bundles, "/", fuzz::FolderNameOf(bucket));
    if (absl::Status written = fuzz::WriteBundle(bundle, folder); !written.ok())
      std::cerr << written.message() << "\n";
  }

  // A campaign would not know: its time does not count.
  std::set<std::string> Causes(const fuzz::Sample& sample, const fuzz::TrialOptions& trial) {
    const double start = OwnSeconds();
    std::set<std::string> causes;
    for (size_t i = 0; i < faults_.size(); ++i) {
      const backends::Fault& fault = *backends::FindFault(faults_[i]);
      if (trial.invalid ? fault.forgotten_rule.empty()
                        : !backends::AppliesTo(fault, *sample.module))
        continue;
      if (fuzz::CountsAsFinding(fuzz::RunTrial(sample, *alone_[i], trial, false).verdict.kind))
        causes.insert(faults_[i]);
    }
    asking_ += OwnSeconds() - start;
    return causes;
  }

  const std::vector<std::string>& faults_;
  const FuzzCheckOptions& options_;
  std::unique_ptr<backends::Backend> reference_, together_;
  std::vector<std::unique_ptr<backends::Backend>> alone_;
  std::map<std::string, Met> met_;
  std::map<std::string, int64_t> cut_;  // how often, by signature of the whole module
  fuzz::BucketSet buckets_;
  std::map<std::string, std::string> merged_;  // into which bucket one went
  double asking_ = 0;                          // seconds
  MultiFaultReport report_;
};

}  // namespace

MultiFaultReport CheckMultiFault(const std::vector<std::string>& faults,
                                 const FuzzCheckOptions& options) {
  return MultiFault(faults, options).Run();
}

// Faults whose bundle people see.
std::set<std::string> OwnersOf(const MultiFaultReport& report) {
  std::set<std::string> owners;
  for (const auto& [bucket, causes] : report.buckets) {
    if (!causes.empty()) owners.insert(*causes.begin());
  }
  return owners;
}

std::string MultiFaultText(const MultiFaultReport& report, const std::vector<std::string>& faults) {
  std::string text;
  for (const auto& [bucket, owners] : report.buckets) {
    absl::StrAppend(&text, bucket, ": ",
                    owners.empty() ? "no fault by itself" : absl::StrJoin(owners, ", "), "\n");
  }
  for (const auto& [stray, count] : report.strays)
    absl::StrAppend(&text, count, " of another fault in ", stray, "\n");
  std::set<std::string> hit = OwnersOf(report);
  for (const std::string& id : faults) {
    if (hit.count(id) == 0) absl::StrAppend(&text, "no bucket of its own: ", id, "\n");
  }
  auto share = [](auto part, size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  };
  absl::StrAppendFormat(&text,
                        "\n%d faults at once, %d modules in %.0f s: %d findings, %d signatures, %d "
                        "buckets; %d faults own one; "
                        "purity %.3f (of %d findings asked); %.2f buckets a fault\n",
                        faults.size(), report.modules, report.seconds, report.findings,
                        report.signatures.size(), report.buckets.size(), hit.size(),
                        share(report.pure, static_cast<size_t>(report.asked)), report.asked,
                        share(report.buckets.size(), hit.size()));
  return text;
}

}  // namespace hlocts::tools
