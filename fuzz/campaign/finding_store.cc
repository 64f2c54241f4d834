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
    Entry entry = {key, {key.first, json.value("met_as", key.second)}};
    ++met_[entry.original_key];
    met_.try_emplace(key, 1);
    entry.unshrunk = json["to_shrink"].is_number_integer();
    const auto pending = to_shrink_.find(entry.original_key);
    // Lines of earlier programs have no number of the module.
    if (pending != to_shrink_.end() &&
        (entry.unshrunk || json.value("module", pending->second) == pending->second)) {
      to_shrink_.erase(pending);
      Drop(entry.original_key, /*unshrunk=*/true);
    }
    if (json.value("known", false) || json.value("cut", false)) continue;
    if (entry.unshrunk) to_shrink_[entry.original_key] = json["to_shrink"].get<int64_t>();
    entry.remains = {json.value("elements", int64_t{0}), json.value("rivals", false),
                     json.value("needs", std::set<std::string>())};
    Bucket& bucket = buckets_[BucketKeyOf(entry)];
    if (!Takes(bucket, entry.unshrunk, json.value("instructions", int64_t{0}))) continue;
    bucket.folder = json.value("folder", std::string());
    bucket.perhaps_known = json.contains("perhaps_known");
  }
  RemoveDroppedBundles();
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

bool FindingStore::IsPending(const Entry& entry) const {
  const auto pending = to_shrink_.find(entry.original_key);
  return pending != to_shrink_.end() && pending->second == entry.number;
}

bool FindingStore::Count(std::map<Key, int64_t>& times, const Entry& entry, bool (*is)(int64_t)) {
  std::lock_guard<std::mutex> lock(mutex_);
  return is(++times[entry.original_key]) || IsPending(entry);
}

Json FindingStore::LineOf(const Entry& entry) const {
  Json json = {{"backend", entry.key.first},
               {"signature", entry.key.second},
               {"bucket", BucketOf(entry.key.second, entry.remains).Name()},
               {"met_as", entry.original_key.second},
               {"origin", entry.origin}};
  if (entry.number >= 0) json["module"] = entry.number;
  return json;
}

absl::Status FindingStore::Append(const Entry& entry, const Sample& sample,
                                  const std::string& folder) {
  Json json = LineOf(entry);
  json["instructions"] = CountInstructions(*sample.module);
  json["elements"] = entry.remains.elements;
  if (entry.remains.has_distinct_callees) json["rivals"] = true;
  json["needs"] = entry.remains.needs;
  json["evaluations"] = entry.evaluations;
  json["folder"] = folder;
  if (entry.unshrunk) json["to_shrink"] = entry.number;
  if (entry.known) json["perhaps_known"] = entry.known->signature;
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

// Shrinks the bundle's sample. Returns false and leaves the bundle unchanged if `stop` became true,
// or if the engine no longer starts.
bool FindingStore::ShrinkInto(Bundle& bundle, Entry& entry, const FoundBy& found,
                              const std::function<bool()>& stop) {
  if (stop()) return false;
  ShrinkOptions shrink{.trial = found.trial,
                       .evaluations_max = options_.shrink_evaluations,
                       .seconds_max = options_.shrink_seconds,
                       .stop = stop};
  ShrinkResult shrunk = Shrink(bundle.sample, *found.engine, *found.reference, shrink);
  const bool lost = !shrunk.reproduced && shrunk.result.verdict.kind == Outcome::kError;
  if (stop() || lost) return false;
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

absl::Status FindingStore::Add(const Sample& sample, const TrialResult& result,
                               const FoundBy& found, const std::function<bool()>& stop) {
  HLOCTS_ASSIGN_OR_RETURN(const Fate fate, AddParts(sample, result, found, stop));
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [at, first] = fates_.try_emplace({found.backend, found.origin}, fate);
  if (found.again && first) {  // the failure was counted in an earlier run
    fates_.erase(at);
    known_earlier_ += fate == Fate::kKnown;
    return absl::OkStatus();
  }
  if (found.again) --failures_[at->second];
  at->second = fate;
  ++failures_[fate];
  return absl::OkStatus();
}

// First cuts the module: several instructions may be wrong although the outputs show only one
// failure. Each instruction that is wrong in isolation is a separate finding.
absl::StatusOr<Fate> FindingStore::AddParts(const Sample& sample, const TrialResult& result,
                                            const FoundBy& found,
                                            const std::function<bool()>& stop) {
  const Key original_key = {found.backend, SignatureOf(result.verdict, *sample.module)};
  Entry whole = {original_key, original_key, found.origin, found.number};
  whole.known = options_.known(original_key.second, result.verdict, nullptr);
  if (whole.known) return AddKnown(whole);
  bool cut = result.verdict.kind == Outcome::kFail && options_.shrink_evaluations > 0;
  if (!cut || stop()) return AddOne(sample, result, found, stop);
  if (!Count(cut_, whole, IsToCut)) return Fate::kRepeated;
  std::vector<FaultyInstruction> faulty = FaultyInstructionsOf(sample, *found.engine, found.trial);
  // Wrong values come first, because a known wrong value may be the cause of a crash.
  std::stable_partition(faulty.begin(), faulty.end(), [](const FaultyInstruction& one) {
    return one.result.verdict.kind == Outcome::kFail;
  });
  // If no time is left, the module is stored whole, and is cut in a later run.
  if (faulty.empty() || stop()) return AddOne(sample, result, found, stop);
  Fate fate = Fate::kKnown;
  bool same = false;  // true: a part replaces the whole module, because it has its signature
  for (const FaultyInstruction& part : faulty) {
    same = same || SignatureOf(part.result.verdict, *part.sample.module) == original_key.second;
    HLOCTS_ASSIGN_OR_RETURN(const Fate own, AddOne(part.sample, part.result, found, stop));
    fate = std::min(fate, own);
  }
  if (!same) HLOCTS_RETURN_IF_ERROR(RemovePending(whole));
  return fate;
}

absl::StatusOr<Fate> FindingStore::AddOne(const Sample& sample, const TrialResult& result,
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
  Entry entry = {original_key, original_key, found.origin, found.number};
  entry.known = options_.known(bundle.signature, result.verdict, nullptr);
  if (entry.known) return AddKnown(entry);
  if (!Count(met_, entry, IsToShrink)) return Fate::kRepeated;
  if (options_.shrink_evaluations > 0 && !ShrinkInto(bundle, entry, found, stop)) {
    entry.unshrunk = bundle.unshrunk = true;
    absl::StrAppend(&bundle.origin, "; not shrunk: the campaign ended or lost the engine");
  }
  entry.key.second = bundle.signature;
  entry.remains = FailureTraitsOf(bundle.sample, bundle.result);
  // Expectations contain signatures without the word "flaky". A module that remains to be shrunk
  // has more traits than its failure needs, so it is only perhaps known by them.
  const std::string own = SignatureOf(bundle.result.verdict, *bundle.sample.module);
  entry.known = options_.known(own, bundle.result.verdict, &entry.remains.needs);
  if (entry.known) {
    HLOCTS_ASSIGN_OR_RETURN(const Fate known, AddKnown(entry));
    if (!entry.unshrunk) return known;
  }
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

absl::StatusOr<Fate> FindingStore::AddKnown(const Entry& entry) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Json line = {{"backend", entry.key.first},   {"signature", entry.key.second},
                 {"origin", entry.origin},       {"expectation", entry.known->signature},
                 {"link", entry.known->link},    {"clause", entry.known->clause},
                 {"reason", entry.known->reason}};
    if (entry.unshrunk) line["not_shrunk"] = true;
    if (entry.known->memory) {
      line["memory"] = "the engine leaves its buffers; the failure may not occur again";
      corrupted_by_.emplace(entry.origin, *entry.known);
    }
    HLOCTS_RETURN_IF_ERROR(AppendLine(options_.out + "/known.jsonl", line));
  }
  if (!entry.unshrunk) HLOCTS_RETURN_IF_ERROR(RemovePending(entry));
  return Fate::kKnown;
}

absl::Status FindingStore::RemovePending(const Entry& entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!IsPending(entry)) return absl::OkStatus();
  to_shrink_.erase(entry.original_key);
  Drop(entry.original_key, /*unshrunk=*/true);
  Json line = LineOf(entry);
  line[entry.known ? "known" : "cut"] = true;
  HLOCTS_RETURN_IF_ERROR(AppendLine(options_.out + "/findings.jsonl", line));
  RemoveDroppedBundles();
  return absl::OkStatus();
}

bool FindingStore::Takes(Bucket& bucket, bool unshrunk, int64_t instructions) {
  const bool first = ++bucket.met == 1, smaller = instructions < bucket.instructions;
  if (!first && (unshrunk == bucket.unshrunk ? !smaller : unshrunk)) return false;
  bucket.instructions = instructions;
  bucket.unshrunk = unshrunk;
  return true;
}

void FindingStore::Drop(const Key& key, bool unshrunk) {
  auto bucket = buckets_.find(key);
  if (bucket == buckets_.end() || bucket->second.unshrunk != unshrunk) return;
  if (!bucket->second.folder.empty()) dropped_.insert(bucket->second.folder);
  buckets_.erase(bucket);
}

void FindingStore::RemoveDroppedBundles() {
  for (const auto& [key, bucket] : buckets_) dropped_.erase(bucket.folder);
  std::error_code ignored;
  for (const std::string& folder : dropped_)
    std::filesystem::remove_all(absl::StrCat(options_.out, "/", folder), ignored);
  dropped_.clear();
}

FindingStore::Key FindingStore::BucketKeyOf(const Entry& entry) {
  const auto& [backend, signature] = entry.key;
  // An unshrunk finding cannot be compared with others.
  if (entry.unshrunk || options_.shrink_evaluations == 0) return entry.key;
  std::vector<std::string> absorbed;
  std::string name = sets_[backend].Add(BucketOf(signature, entry.remains), &absorbed);
  for (const std::string& other : absorbed) Drop({backend, other}, /*unshrunk=*/false);
  return {backend, name};
}

absl::StatusOr<Fate> FindingStore::Store(const Bundle& bundle, const Entry& entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  const bool pending = IsPending(entry), replaces = pending && !entry.unshrunk;
  if (replaces) Drop(entry.original_key, /*unshrunk=*/true);
  Key key = BucketKeyOf(entry);
  Bucket& bucket = buckets_[key];
  met_.try_emplace(entry.key, 1);
  const Fate fate = entry.known                                ? Fate::kKnown
                    : bucket.met > 0 && (!pending || replaces) ? Fate::kRepeated
                                                               : Fate::kNew;
  if (Takes(bucket, entry.unshrunk, CountInstructions(*bundle.sample.module))) {
    bucket.perhaps_known = entry.known.has_value();
    bucket.folder.clear();
    if (!entry.known) {
      const std::string folder =
          absl::StrCat("findings/", FolderNameOf(absl::StrCat(key.first, " ", key.second)));
      const auto written =
          WriteBundle(bundle, absl::StrCat(options_.out, "/", folder), kBundleBytesMax);
      if (!written.ok() && !absl::IsResourceExhausted(written.status())) return written.status();
      if (written.ok()) bucket.folder = folder;
    }
    if (entry.unshrunk) to_shrink_[entry.original_key] = entry.number;
  } else if (!replaces) {
    return fate;
  }
  HLOCTS_RETURN_IF_ERROR(Append(entry, bundle.sample, bucket.folder));
  if (replaces) to_shrink_.erase(entry.original_key);
  RemoveDroppedBundles();
  return fate;
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
  Entry entry = {key, key, origin};
  if (!Count(met_, entry, [](int64_t times) { return times == 1; })) return absl::OkStatus();
  entry.remains = FailureTraitsOf(bundle.sample);
  return Store(bundle, entry).status();
}

int64_t FindingStore::buckets() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::count_if(buckets_.begin(), buckets_.end(),
                       [](const auto& one) { return !one.second.perhaps_known; });
}
int64_t FindingStore::not_shrunk() {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(to_shrink_.size());
}
FailureCounts FindingStore::failures() {
  std::lock_guard<std::mutex> lock(mutex_);
  return {failures_[Fate::kNew], failures_[Fate::kRepeated], failures_[Fate::kKnown],
          known_earlier_};
}

}  // namespace hlocts::fuzz
