// SPDX-License-Identifier: Apache-2.0
#include "backends/worker/kept_arguments.h"

#include <algorithm>

#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

std::string BytesOf(const Literal& literal) {
  if (!literal.shape().IsArray() || literal.raw_size() == 0) return "";
  return std::string(reinterpret_cast<const char*>(literal.raw_data()), literal.raw_size());
}

}  // namespace

KeptArguments::KeptArguments(const Module& module, const ExecuteRequest& request) {
  if (module.input_output_alias.empty() && module.buffer_donor.empty()) return;
  for (const std::vector<Literal>& leaves : request.arguments) {
    std::vector<std::string>& device = bytes_.emplace_back();
    for (size_t i = 0; i < leaves.size(); ++i) {
      const auto& donated = request.donated_leaves;
      const bool given =
          std::find(donated.begin(), donated.end(), static_cast<int64_t>(i)) != donated.end();
      device.push_back(given ? "" : BytesOf(leaves[i]));
    }
  }
}

void KeptArguments::Compare(const ExecuteRequest& request,
                            std::vector<ArgumentState>& states) const {
  for (size_t d = 0; d < bytes_.size(); ++d) {
    for (size_t i = 0; i < bytes_[d].size(); ++i) {
      if (bytes_[d][i].empty() || bytes_[d][i] == BytesOf(request.arguments[d][i])) continue;
      const int64_t leaf = static_cast<int64_t>(i);
      auto state = std::find_if(states.begin(), states.end(),
                                [&](const ArgumentState& s) { return s.leaf == leaf; });
      if (state == states.end()) state = states.insert(states.end(), ArgumentState{leaf});
      state->changed = true;
    }
  }
}

}  // namespace hlocts::backends
