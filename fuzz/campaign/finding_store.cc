// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/finding_store.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/faulty_instructions.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"

namespace hlocts::fuzz {

using Json = nlohmann::ordered_json;

absl::Status AppendLine(const std::string& path, const Json& json) {
  std::ofstream out(path, std::ios::app);
  out << JsonText(json) << std::endl;
  return out ? absl::OkStatus() : absl::InternalError(absl::StrCat(path, ": cannot be written"));
}

absl::Status FindingStore::Load() {
  std::string path = options_.out + "/findings.jsonl";
  std::ifstream in(path);
  std::string line;
  bool cut_off = false;  // true: the last line has no newline, because the campaign was killed
  while (std::getline(in, line)) {
    cut_off = in.eof();
    Json json = ParseJson<Json>(line);
    if (!json.is_object() || !json["backend"].is_string() || !json["signature"].is_string())
      continue;
    Key key = {json["backend"].get<std::string>(), json["signature"].get<std::string>()};
    Key original_key = {key.first, json.value("met_as", key.second)};
    ++met_[original_key];
    met_.try_emplace(key, 1);
    if (to_shrink_.erase(original_key) > 0) buckets_.erase(original_key);
    if (json.value("known", false)) continue;
    Entry entry = {key, original_key, "", 0, {}, {}, {}};
    if (json["to_shrink"].is_number_integer()) {
      entry.to_shrink = to_shrink_[original_key] = json["to_shrink"].get<int64_t>();
    }
    entry.remains = {json.value("elements", int64_t{0}), json.value("rivals", false),
                     json.value("needs", std::set<std::string>())};
    Key bucket = BucketKeyOf(entry);
    buckets_[bucket] = {1, json.value("instructions", int64_t{0}),
                        json.value("folder", std::string())};
  }
  if (cut_off) std::ofstream(path, std::ios::app) << "\n";
  return absl::OkStatus();
}

std::set<int64_t> FindingStore::NumbersToShrink() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::set<int64_t> numbers;
  for (const auto& [key, number] : to_shrink_) {
    numbers.insert(number);
    met_.erase(key);
  }
  return numbers;
}

int64_t FindingStore::CountIn(std::map<Key, int64_t>& times, const Key& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  return ++times[key];
}

absl::Status FindingStore::Append(const Entry& entry, const Sample& sample,
                                  const std::string& folder) {
  Json json;
  json["backend"] = entry.key.first;
  json["signature"] = entry.key.second;
  json["bucket"] = BucketOf(entry.key.second, entry.remains).Name();
  json["met_as"] = entry.original_key.second;
  json["origin"] = entry.origin;
  json["instructions"] = CountInstructions(*sample.module);
  json["elements"] = entry.remains.elements;
  if (entry.remains.has_distinct_callees) json["rivals"] = true;
  json["needs"] = entry.remains.needs;
  json["evaluations"] = entry.evaluations;
  json["folder"] = folder;
  if (entry.to_shrink) json["to_shrink"] = *entry.to_shrink;
  if (entry.known) json["known"] = true;
  return AppendLine(options_.out + "/findings.jsonl", json);
}

// Repeats the trial of a failure that shrinking did not reproduce, and records the outcome of each
// run. The shrinker has already made the second run, with the outcome `shrunk`.
static void CountRuns(const FoundBy& found, const std::function<bool()>& stop, Outcome shrunk,
                      Bundle& bundle) {
  constexpr int kRuns = 10;
  reports::Verdict& verdict = bundle.result.verdict;
  const auto count = [&](Outcome kind) { ++verdict.runs[std::string(OutcomeName(kind))]; };
  count(verdict.kind);
  count(shrunk);
  for (int run = 2; run < kRuns && !stop(); ++run)
    count(RunTrial(bundle.sample, *found.engine, found.trial, false).verdict.kind);
  verdict.flake = reports::RunCountsText(verdict.runs);
}

// Shrinks the bundle's sample. Returns false and leaves the bundle unchanged if `stop` became true.
bool FindingStore::ShrinkInto(Bundle& bundle, Entry& entry, const FoundBy& found,
                              const std::function<bool()>& stop) {
  if (stop()) return false;
  ShrinkOptions shrink{.trial = found.trial,
                       .evaluations_max = options_.shrink_evaluations,
                       .seconds_max = options_.shrink_seconds,
                       .stop = stop};
  ShrinkResult shrunk = Shrink(bundle.sample, *found.engine, *found.reference, shrink);
  if (stop()) return false;
  entry.evaluations = shrunk.evaluations;
  // A failure that is not reproduced is stored unshrunk.
  bundle.signature =
      shrunk.reproduced ? shrunk.signature : absl::StrCat("flaky ", bundle.signature);
  if (!shrunk.reproduced) {
    CountRuns(found, stop, shrunk.result.verdict.kind, bundle);
  } else {
    bundle.sample = std::move(shrunk.sample);
    bundle.result = std::move(shrunk.result);
  }
  return true;
}

// First cuts the module: several instructions may be wrong although the outputs show only one
// failure. Each instruction that is wrong in isolation is a separate finding.
absl::Status FindingStore::Add(const Sample& sample, const TrialResult& result,
                               const FoundBy& found, const std::function<bool()>& stop) {
  const Key original_key = {found.backend, SignatureOf(result.verdict, *sample.module)};
  Entry whole = {original_key, original_key, found.origin, 0, {}, {}, {}};
  whole.known = options_.known(original_key.second, result.verdict, nullptr);
  if (whole.known) return CountKnown(whole);
  bool cut = result.verdict.kind == Outcome::kFail && options_.shrink_evaluations > 0;
  if (!cut || stop()) return AddOne(sample, result, found, stop);
  if (!IsToCut(CountIn(cut_, original_key))) return CountAgain(original_key);
  std::vector<FaultyInstruction> faulty = FaultyInstructionsOf(sample, *found.engine, found.trial);
  // Wrong values come first, because a known wrong value may be the cause of a crash.
  std::stable_partition(faulty.begin(), faulty.end(), [](const FaultyInstruction& one) {
    return one.result.verdict.kind == Outcome::kFail;
  });
  // If no time is left, the module is stored whole, and is cut in a later run.
  if (faulty.empty() || stop()) return AddOne(sample, result, found, stop);
  for (const FaultyInstruction& instruction : faulty)
    HLOCTS_RETURN_IF_ERROR(AddOne(instruction.sample, instruction.result, found, stop));
  return RemoveBucket(whole);
}

absl::Status FindingStore::AddOne(const Sample& sample, const TrialResult& result,
                                  const FoundBy& found, const std::function<bool()>& stop) {
  Bundle bundle = {sample.Clone(),
                   found.backend,
                   found.trial,
                   result,
                   SignatureOf(result.verdict, *sample.module),
                   found.origin,
                   "",
                   "",
                   options_.shrink_evaluations == 0};
  Key original_key = {found.backend, bundle.signature};
  Entry entry = {original_key, original_key, found.origin, 0, {}, {}, {}};
  entry.known = options_.known(bundle.signature, result.verdict, nullptr);
  if (entry.known) return CountKnown(entry);
  if (!IsToShrink(CountIn(met_, original_key))) return CountAgain(original_key);
  if (options_.shrink_evaluations > 0 && !ShrinkInto(bundle, entry, found, stop)) {
    entry.to_shrink = found.number;
    bundle.unshrunk = true;
    absl::StrAppend(&bundle.origin, "; not shrunk, since the time of the campaign had ended");
  }
  entry.key.second = bundle.signature;
  entry.remains = FailureTraitsOf(bundle.sample, bundle.result);
  // Expectations contain signatures without the word "flaky".
  const std::string own = SignatureOf(bundle.result.verdict, *bundle.sample.module);
  entry.known = options_.known(own, bundle.result.verdict, &entry.remains.needs);
  if (entry.known) return CountKnown(entry);
  AddConsequence(entry, bundle.result.verdict);
  bundle.options.load.stop = nullptr;
  bundle.expected =
      ExpectedLines(bundle.sample, bundle.result.verdict, found.trial, found.engine->info().facts);
  return Store(bundle, entry);
}

// Adds a note to a crash whose module also has a known failure that corrupts memory.
void FindingStore::AddConsequence(const Entry& entry, reports::Verdict& verdict) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto cause = corrupted_by_.find(entry.origin);
  if (verdict.kind != Outcome::kCrash || cause == corrupted_by_.end()) return;
  verdict.notes.push_back(
      absl::StrCat("perhaps not new: the same module has a known failure that corrupts memory (",
                   cause->second.link.empty() ? cause->second.signature : cause->second.link, ")"));
}

absl::Status FindingStore::CountAgain(const Key& original_key) {
  std::lock_guard<std::mutex> lock(mutex_);
  known_ += known_as_.count(original_key) > 0;
  return absl::OkStatus();
}

absl::Status FindingStore::CountKnown(const Entry& entry) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ++known_;
    known_as_.insert(entry.original_key);
    Json line = {{"backend", entry.key.first},   {"signature", entry.key.second},
                 {"origin", entry.origin},       {"expectation", entry.known->signature},
                 {"link", entry.known->link},    {"clause", entry.known->clause},
                 {"reason", entry.known->reason}};
    if (entry.known->memory) {
      line["memory"] = "the engine leaves its buffers; the failure may not occur again";
      corrupted_by_.emplace(entry.origin, *entry.known);
    }
    HLOCTS_RETURN_IF_ERROR(AppendLine(options_.out + "/known.jsonl", line));
  }
  return RemoveBucket(entry);
}

absl::Status FindingStore::RemoveBucket(const Entry& entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  bool stored = to_shrink_.count(entry.original_key) > 0;
  Forget(entry.original_key);
  if (!stored) return absl::OkStatus();
  Sample none = {std::make_unique<Module>("known"), {}};
  Entry line = entry;
  if (!line.known) line.known.emplace();
  line.remains = {};
  return Append(line, none, "");
}

// Drops a bucket that was stored unshrunk: the shrunk failure replaces it.
void FindingStore::Forget(const Key& key) {
  if (to_shrink_.erase(key) > 0) Drop(key);
}

void FindingStore::Drop(const Key& key) {
  auto bucket = buckets_.find(key);
  if (bucket == buckets_.end()) return;
  std::error_code ignored;
  if (!bucket->second.folder.empty()) {
    std::filesystem::remove_all(absl::StrCat(options_.out, "/", bucket->second.folder), ignored);
  }
  buckets_.erase(bucket);
}

FindingStore::Key FindingStore::BucketKeyOf(const Entry& entry) {
  const auto& [backend, signature] = entry.key;
  // An unshrunk finding cannot be compared with others.
  if (entry.to_shrink || options_.shrink_evaluations == 0) return entry.key;
  std::vector<std::string> absorbed;
  std::string name = sets_[backend].Add(BucketOf(signature, entry.remains), &absorbed);
  for (const std::string& other : absorbed) Drop({backend, other});
  return {backend, name};
}

absl::Status FindingStore::Store(const Bundle& bundle, const Entry& entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!entry.to_shrink) Forget(entry.original_key);
  int64_t instructions = CountInstructions(*bundle.sample.module);
  Key key = BucketKeyOf(entry);
  Bucket& bucket = buckets_[key];
  met_.try_emplace(entry.key, 1);
  bool smaller = bucket.met > 0 && instructions < bucket.instructions;
  if (++bucket.met > 1 && !smaller) return absl::OkStatus();
  bucket.instructions = instructions;
  bucket.folder = absl::StrCat("findings/", FolderNameOf(absl::StrCat(key.first, " ", key.second)));
  absl::Status written = WriteBundle(bundle, absl::StrCat(options_.out, "/", bucket.folder));
  if (!written.ok() && !absl::IsResourceExhausted(written)) return written;
  if (!written.ok()) bucket.folder.clear();
  if (entry.to_shrink) to_shrink_[entry.original_key] = *entry.to_shrink;
  return Append(entry, bundle.sample, bucket.folder);
}

absl::Status FindingStore::AddGeneratorDefect(const Sample& sample, const absl::Status& verified,
                                              const std::string& origin) {
  Bundle bundle{.sample = sample.Clone(), .backend = "reference"};
  bundle.result.verdict.kind = Outcome::kError;
  bundle.result.verdict.backend = "reference";
  bundle.result.verdict.reason =
      absl::StrCat("the validity of this module differs from the intention of the generator: ",
                   verified.message());
  bundle.origin = origin;
  Key key = {"generator", absl::StrCat("error generator ", RuleOf(verified))};
  bundle.signature = key.second;
  if (CountIn(met_, key) > 1) return absl::OkStatus();
  return Store(bundle, {key, key, origin, 0, {}, {}, FailureTraitsOf(bundle.sample)});
}

int64_t FindingStore::buckets() {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(buckets_.size());
}
int64_t FindingStore::known() {
  std::lock_guard<std::mutex> lock(mutex_);
  return known_;
}
int64_t FindingStore::not_shrunk() {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(to_shrink_.size());
}

}  // namespace hlocts::fuzz
