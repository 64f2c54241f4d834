// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/campaign_state.h"

#include <filesystem>

#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"

namespace hlocts::fuzz {

void CampaignState::Done(int64_t number) {
  done.insert(number);
  while (!done.empty() && *done.begin() == next) {
    done.erase(done.begin());
    ++next;
  }
}

absl::Status CampaignState::Save(const std::string& path) const {
  nlohmann::ordered_json json;
  json["seed"] = seed;
  json["recipe"] = recipe;
  json["backends"] = backends;
  json["next"] = next;
  json["done"] = done;
  return WriteFile(path, JsonText(json) + "\n");
}

absl::Status CampaignState::Load(const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  auto json = ParseJson<nlohmann::json>(text);
  if (!json.is_object() || !json["seed"].is_number_unsigned() ||
      !json["next"].is_number_integer() || !json["recipe"].is_string() ||
      !json["done"].is_array()) {
    return InvalidInput(path, ": expected an object with seed, recipe, next and done");
  }
  if (json["seed"].get<uint64_t>() != seed) {
    return InvalidInput(path, ": expected a campaign of seed ", seed, ", found seed ",
                        json["seed"].get<uint64_t>());
  }
  if (json["recipe"].get<std::string>() != recipe) {
    return InvalidInput(path, ": expected a campaign of the modules ", recipe, ", found ",
                        json["recipe"].get<std::string>());
  }
  next = json["next"].get<int64_t>();
  for (const auto& number : json["done"]) {
    if (number.is_number_integer()) done.insert(number.get<int64_t>());
  }
  return absl::OkStatus();
}

absl::Status RenameOldCampaign(const std::string& out) {
  std::error_code error;
  for (int number = 1; number < 10'000; ++number) {
    const std::string aside = absl::StrCat(out, ".", number);
    if (std::filesystem::exists(aside)) continue;
    std::filesystem::rename(out, aside, error);
    return error ? InvalidInput(aside, ": ", error.message()) : absl::OkStatus();
  }
  return InvalidInput(out, ": cannot be renamed: all names up to ", out, ".9999 exist");
}

std::string StatePath(const std::string& out) { return out + "/state.json"; }

namespace {

absl::Status MakeLocked(const std::string& out, FolderLock& lock) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) return InvalidInput("--out: ", out, ": ", error.message());
  auto taken = FolderLock::Take(out);
  if (!taken.ok()) return Annotate(taken.status(), "--out");
  lock = *std::move(taken);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> OpenFolder(const std::string& out, bool resume, bool restart,
                                FolderLock& lock) {
  HLOCTS_RETURN_IF_ERROR(MakeLocked(out, lock));
  const bool exists = std::filesystem::exists(StatePath(out));
  if (exists && !resume && !restart) {
    return InvalidInput("--out: ", out,
                        " contains a campaign: expected --resume to continue it, --restart to "
                        "rename it, or another directory");
  }
  if (!exists || !restart) return exists;
  HLOCTS_RETURN_IF_ERROR(RenameOldCampaign(out));
  HLOCTS_RETURN_IF_ERROR(MakeLocked(out, lock));
  return false;
}

}  // namespace hlocts::fuzz
