// SPDX-License-Identifier: Apache-2.0
// Loads the cases of a directory.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "absl/strings/str_cat.h"
#include "spec/files/file_io.h"
#include "suites/case.h"
#include "suites/case_template.h"

namespace hlocts::suites {

std::vector<std::string> AddressesOf(const std::vector<Case>& cases) {
  std::vector<std::string> addresses;
  for (const Case& one : cases) addresses.push_back(one.address);
  return addresses;
}

std::vector<std::string> TakenAddresses(const std::vector<Case>& cases) {
  std::map<absl::string_view, const Case*> first;
  std::vector<std::string> mistakes;
  for (const Case& one : cases) {
    const auto [owner, is_new] = first.emplace(one.address, &one);
    if (is_new) continue;
    const CasePlace& place = owner->second->place;
    mistakes.push_back(absl::StrCat(one.place.file, ":", one.place.line, ": address ", one.address,
                                    " is already used in ", place.file, ":", place.line));
  }
  return mistakes;
}

absl::StatusOr<std::vector<Case>> LoadCases(const std::string& folder, std::vector<BadFile>* bad) {
  namespace fs = std::filesystem;
  std::vector<Case> cases;
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::string area = fs::relative(path.parent_path(), folder).string();
    auto text = ReadFile(path);
    std::vector<absl::Status> mistakes;
    std::vector<Case> of_file;
    if (text.ok()) {
      of_file = ParseAllCases(*text, area, path.stem().string(),
                              fs::relative(path, folder).string(), mistakes);
    } else {
      mistakes.push_back(text.status());
    }
    if (!mistakes.empty() && bad == nullptr) return mistakes[0];
    for (const absl::Status& mistake : mistakes)
      bad->push_back({absl::StrCat(area, "/", path.stem().string()), mistake});
    std::move(of_file.begin(), of_file.end(), std::back_inserter(cases));
  }
  std::stable_sort(cases.begin(), cases.end(),
                   [](const Case& a, const Case& b) { return a.address < b.address; });
  for (const std::string& taken : TakenAddresses(cases)) return InvalidInput(taken);
  return cases;
}

}  // namespace hlocts::suites
