#include "fuzz/finding_store.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "fuzz/shrinker.h"
#include "nlohmann/json.hpp"

namespace hlocts {

using Json = nlohmann::ordered_json;

absl::Status FindingStore::Load() {
  std::ifstream in(options_.out + "/findings.jsonl");
  std::string line;
  while (std::getline(in, line)) {
    Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json["backend"].is_string() || !json["signature"].is_string()) continue;
    Key key = {json["backend"].get<std::string>(), json["signature"].get<std::string>()};
    Bucket& bucket = buckets_[key];
    bucket.met = 1;
    bucket.instructions = json.value("instructions", int64_t{0});
    bucket.folder = json.value("folder", std::string());
    met_.insert(key);
    if (json["met_as"].is_string()) met_.insert({key.first, json["met_as"].get<std::string>()});
  }
  return absl::OkStatus();
}

bool FindingStore::MetBefore(const Key& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto bucket = buckets_.find(key);
  if (bucket != buckets_.end()) ++bucket->second.met;
  return !met_.insert(key).second;
}

absl::Status FindingStore::Append(const std::string& line) {
  std::ofstream out(options_.out + "/findings.jsonl", std::ios::app);
  out << line << std::endl;
  return out ? absl::OkStatus() : absl::InternalError(absl::StrCat(options_.out, "/findings.jsonl: cannot be written"));
}

absl::Status FindingStore::Add(const Sample& sample, const TrialResult& result, const FoundBy& found,
                               const std::function<bool()>& stop) {
  Key met_as = {found.backend, SignatureOf(result.verdict, *sample.module)};
  if (options_.known(met_as.second, result.verdict)) {
    std::lock_guard<std::mutex> lock(mutex_);
    ++known_;
    return absl::OkStatus();
  }
  if (MetBefore(met_as)) return absl::OkStatus();
  Bundle bundle = {sample.Clone(), found.backend, found.trial, result, met_as.second, found.origin, ""};
  int evaluations = 0;
  if (options_.shrink_evaluations > 0) {
    ShrinkOptions shrink;
    shrink.trial = found.trial;
    shrink.evaluations_max = options_.shrink_evaluations;
    shrink.stop = stop;
    ShrinkResult shrunk = Shrink(sample, *found.engine, *found.reference, shrink);
    evaluations = shrunk.evaluations;
    // What is not there a second time is stored as it was met.
    bundle.signature = shrunk.reproduced ? shrunk.signature : absl::StrCat("flaky ", met_as.second);
    if (shrunk.reproduced) {
      bundle.sample = std::move(shrunk.sample);
      bundle.result = std::move(shrunk.result);
    }
  }
  if (options_.known(bundle.signature, bundle.result.verdict)) {
    std::lock_guard<std::mutex> lock(mutex_);
    ++known_;
    return absl::OkStatus();
  }
  bundle.expected = ExpectedLines(bundle.sample, bundle.result.verdict, found.trial, found.engine->info().facts);
  Key key = {found.backend, bundle.signature};
  return Store(std::move(bundle), key, met_as, evaluations);
}

absl::Status FindingStore::Store(Bundle bundle, const Key& key, const Key& met_as, int evaluations) {
  std::lock_guard<std::mutex> lock(mutex_);
  int64_t instructions = CountInstructions(*bundle.sample.module);
  Bucket& bucket = buckets_[key];
  met_.insert(key);
  bool smaller = bucket.met > 0 && instructions < bucket.instructions;
  if (++bucket.met > 1 && !smaller) return absl::OkStatus();
  bucket.instructions = instructions;
  bucket.folder = absl::StrCat("findings/", FolderNameOf(absl::StrCat(key.first, " ", key.second)));
  absl::Status written = WriteBundle(bundle, absl::StrCat(options_.out, "/", bucket.folder));
  if (!written.ok() && !absl::IsResourceExhausted(written)) return written;
  Json json;
  json["backend"] = key.first;
  json["signature"] = key.second;
  json["met_as"] = met_as.second;
  json["origin"] = bundle.origin;
  json["instructions"] = instructions;
  json["elements"] = CountElements(*bundle.sample.module);
  json["evaluations"] = evaluations;
  json["folder"] = written.ok() ? bucket.folder : "";
  return Append(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

absl::Status FindingStore::AddGeneratorDefect(const Sample& sample, const absl::Status& verified,
                                              const std::string& origin) {
  Bundle bundle;
  bundle.sample = sample.Clone();
  bundle.backend = "reference";
  bundle.result.verdict.kind = VerdictKind::kError;
  bundle.result.verdict.backend = "reference";
  bundle.result.verdict.reason = absl::StrCat("the generator meant this module otherwise: ", verified.message());
  bundle.origin = origin;
  Key key = {"generator", absl::StrCat("error generator ", RuleOf(verified))};
  bundle.signature = key.second;
  if (MetBefore(key)) return absl::OkStatus();
  return Store(std::move(bundle), key, key, 0);
}

int64_t FindingStore::buckets() {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(buckets_.size());
}
int64_t FindingStore::known() {
  std::lock_guard<std::mutex> lock(mutex_);
  return known_;
}

}  // namespace hlocts
