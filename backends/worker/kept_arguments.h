// SPDX-License-Identifier: Apache-2.0
// Checks that arguments that were not donated keep their contents in a run (aliasing.19), for
// engines that read arguments of a module with aliases in place.
#pragma once

#include <string>
#include <vector>

#include "backends/backend.h"

namespace hlocts::backends {

class KeptArguments {
 public:
  // Copies the arguments, unless the module has neither aliases nor donors.
  KeptArguments(const Module& module, const ExecuteRequest& request);
  // Sets `changed` in the states of leaves whose bits differ now, on any device.
  void Compare(const ExecuteRequest& request, std::vector<ArgumentState>& states) const;

 private:
  std::vector<std::vector<std::string>> bytes_;  // [device][leaf]; empty for donated leaves
};

}  // namespace hlocts::backends
