// SPDX-License-Identifier: Apache-2.0
// Makes random legal calls of the PJRT C API and checks a plugin against a model of the API's
// promises: buffers keep their bytes independent of the host's memory, copies arrive, events become
// ready, callbacks are called once, and exactly the donated and deleted buffers are unusable.
//
// Each step has its own seed, so steps can be omitted to minimise a failing walk. Only promises of
// the header pjrt_c_api.h are checked: a deleted or donated buffer is only destroyed or queried for
// deletion, and an UNIMPLEMENTED function is listed but is not a failure. To add a step, add a
// function of Walker and its entry in walk.cc, with the sentence of the header that errors quote.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::backends {

struct WalkedPlugin {
  std::string path;
  // The client option for the number of devices, of which the walk uses two; "" if there is none.
  std::string device_count_option;
  std::vector<std::pair<std::string, std::string>> client_options;
  // Names of steps to omit.
  std::vector<std::string> without;
};
std::vector<std::string> WalkStepNames();

// The seeds of the steps. Any seed may be omitted; the remaining steps do what is still possible.
using WalkSteps = std::vector<uint64_t>;

struct WalkReport {
  std::string difference;                // "": none
  std::map<std::string, int64_t> steps;  // count of each step, by name
  std::map<std::string, int64_t> lacks;  // UNIMPLEMENTED functions
};

// The step, told but not counted, that destroys all objects.
inline constexpr char kWalkEnd[] = "the end: everything is destroyed";

// Makes the calls on its own clients and destroys all objects that it created. Calls `tell` with
// each step before it runs, so that an observer knows which step crashed the process. Returns an
// error only if the plugin cannot be loaded.
absl::StatusOr<WalkReport> WalkPjrt(const WalkedPlugin& plugin, const WalkSteps& steps,
                                    const std::function<void(const std::string&)>& tell);

}  // namespace hlocts::backends
