// SPDX-License-Identifier: Apache-2.0
// Random legal calls of the PJRT C API on a plugin, against a model of what the API promises:
// buffers keep their bytes whatever becomes of the host's memory, copies arrive, events become
// ready, callbacks come once, what is donated or deleted is gone and nothing else.
//
// Each step has a seed of its own, so that a failing walk is minimised by omitting steps. Only
// promises of the header are checked: a deleted or donated buffer is destroyed or queried for
// deletion, nothing else; an UNIMPLEMENTED function is listed and is no difference. New step: a
// function of Walker and its row in walk.cc, with the sentence of the header for errors.
#ifndef HLOCTS_BACKENDS_ADAPTERS_PJRT_WALK_WALK_H_
#define HLOCTS_BACKENDS_ADAPTERS_PJRT_WALK_WALK_H_

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
  // The client option that takes a number of devices, "" where there is none: the walk has two.
  std::string device_count_option;
  std::vector<std::pair<std::string, std::string>> client_options;
  // Steps that are not made, by name.
  std::vector<std::string> without;
};
// Of all steps.
std::vector<std::string> WalkStepNames();

// The seeds of the steps: any of them may be left out, the others then do what they can.
using WalkSteps = std::vector<uint64_t>;

struct WalkReport {
  std::string difference;                // "": all is as the model says
  std::map<std::string, int64_t> steps;  // by name: how often each was made
  std::map<std::string, int64_t> lacks;  // what the plugin has not (UNIMPLEMENTED)
};

// Walks on clients of its own and destroys all it made. `tell` gets each step before it is made:
// whoever watches knows which step ended the process. Not OK: the plugin cannot be loaded.
absl::StatusOr<WalkReport> WalkPjrt(const WalkedPlugin& plugin, const WalkSteps& steps,
                                    const std::function<void(const std::string&)>& tell);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_WALK_WALK_H_
