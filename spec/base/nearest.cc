// SPDX-License-Identifier: Apache-2.0
#include "spec/base/nearest.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hlocts {

int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
        continue;
      }
      int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string Nearest(absl::string_view typed, const std::vector<std::string>& names) {
  std::string nearest;
  // Doubles distances and adds 1 for another first letter, which decides among equally near names.
  int least = 2 * std::max<int>(2, static_cast<int>(typed.size()) / 3) + 2;
  for (const std::string& name : names) {
    int distance = 2 * EditDistance(typed, name);
    if (typed.size() >= 3 && absl::StartsWith(name, typed)) distance = 2;  // a prefix
    distance += typed.substr(0, 1) != absl::string_view(name).substr(0, 1);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string DidYouMean(absl::string_view typed, const std::vector<std::string>& names) {
  std::string nearest = Nearest(typed, names);
  return nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?");
}

}  // namespace hlocts
