// SPDX-License-Identifier: Apache-2.0
// The arguments of a module with aliases, remembered over a run, for engines that read them in
// place: those that were not donated must keep their contents (aliasing.19).
#ifndef HLOCTS_BACKENDS_WORKER_KEPT_ARGUMENTS_H_
#define HLOCTS_BACKENDS_WORKER_KEPT_ARGUMENTS_H_

#include <string>
#include <vector>

#include "backends/backend.h"

namespace hlocts::backends {

class KeptArguments {
 public:
  // Remembers nothing where the module has neither aliases nor donors.
  KeptArguments(const Module& module, const ExecuteRequest& request);
  // Marks the states of leaves that hold other bits now, on any device.
  void Compare(const ExecuteRequest& request, std::vector<ArgumentState>& states) const;

 private:
  std::vector<std::vector<std::string>> bytes_;  // [device][leaf]; empty of the donated
};

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_WORKER_KEPT_ARGUMENTS_H_
