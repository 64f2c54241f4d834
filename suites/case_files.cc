// SPDX-License-Identifier: Apache-2.0
// The cases of a folder.
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "spec/files/file_io.h"
#include "suites/case.h"

namespace hlocts::suites {

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
    auto of_file = text.ok() ? ParseCases(*text, area, path.stem().string(),
                                          fs::relative(path, folder).string())
                             : text.status();
    if (of_file.ok()) {
      std::move(of_file->begin(), of_file->end(), std::back_inserter(cases));
    } else if (bad != nullptr) {
      bad->push_back({absl::StrCat(area, "/", path.stem().string()), of_file.status()});
    } else {
      return of_file.status();
    }
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.address < b.address; });
  for (size_t i = 1; i < cases.size(); ++i) {
    if (cases[i].address == cases[i - 1].address) {
      return InvalidInput(cases[i].place.file, ":", cases[i].place.line, ": address ",
                          cases[i].address, " is taken");
    }
  }
  return cases;
}

}  // namespace hlocts::suites
