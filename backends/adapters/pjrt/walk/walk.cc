// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/walk/walk.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "backends/adapters/pjrt/walk/walker.h"

namespace hlocts::backends {

absl::Span<const Walker::Step> Walker::Steps() {
  static constexpr Step kSteps[] = {
      {"open a second client", &Walker::OpenClient, 1},
      {"query a client", &Walker::AskClient, 2},
      {"buffer from the host", &Walker::FromHost, 8},
      {"buffer from the host in pieces", &Walker::FromHostInPieces, 3},
      {"zero-copy view of host memory", &Walker::ViewOfHost, 3},
      {"read", &Walker::Read, 8},
      {"read raw bytes", &Walker::ReadRaw, 3},
      {"begin to read", &Walker::BeginRead, 5},
      {"end of a read", &Walker::EndRead, 5},
      {"query a buffer", &Walker::AskBuffer, 4},
      {"copy to another device", &Walker::CopyToOtherDevice, 4},
      {"copy to its own device", &Walker::CopyToItsOwnDevice, 1},
      {"delete a buffer", &Walker::Delete, 4},
      {"destroy a buffer", &Walker::Destroy, 5},
      {"wait for a buffer", &Walker::AwaitReady, 4},
      {"hold and release", &Walker::AcquireAndReleaseReference, 2},
      {"release without a reference", &Walker::ReleaseUnheldReference, 1},
      {"compile", &Walker::Compile, 3},
      {"execute", &Walker::Execute, 14},
      {"query an executable", &Walker::AskExecutable, 2},
      {"serialize and load", &Walker::Reload, 1},
      {"delete an executable", &Walker::DeleteExecutable, 1},
  };
  return kSteps;
}

const Walker::Step& Walker::Begin(uint64_t seed) {
  random_.seed(seed);
  int all = 0;
  for (const Step& step : Steps()) all += step.weight;
  int drawn = static_cast<int>(Pick(static_cast<size_t>(all)));
  for (const Step& step : Steps()) {
    drawn -= step.weight;
    if (drawn < 0) return step;
  }
  return Steps().back();
}

std::vector<std::string> WalkStepNames() {
  std::vector<std::string> names;
  for (const Walker::Step& step : Walker::Steps()) names.emplace_back(step.name);
  return names;
}

absl::StatusOr<WalkReport> WalkPjrt(const WalkedPlugin& plugin, const WalkSteps& steps,
                                    const std::function<void(const std::string&)>& tell) {
  HLOCTS_ASSIGN_OR_RETURN(const PjrtApi* api, PjrtApi::Load(plugin.path));
  WalkReport report;
  Walker walker(*api, plugin);
  for (const uint64_t seed : steps) {
    const Walker::Step& step = walker.Begin(seed);
    if (absl::c_linear_search(plugin.without, step.name)) continue;
    tell(step.name);
    absl::Status made = walker.Trim();
    if (made.ok()) made = (walker.*step.make)();
    ++report.steps[step.name];
    if (absl::IsUnimplemented(made)) {
      ++report.lacks[absl::StrCat(step.name, ": ", made.message())];
    } else if (!made.ok()) {
      report.difference = absl::StrCat(step.name, ": ", made.message());
      return report;
    }
  }
  tell(kWalkEnd);
  const absl::Status ended = walker.End();
  if (!ended.ok()) report.difference = absl::StrCat("the end: ", ended.message());
  return report;
}

}  // namespace hlocts::backends
