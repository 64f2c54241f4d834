// SPDX-License-Identifier: Apache-2.0
// The request of an execution, checked against the module: arguments, devices, feeds, donation.
#pragma once

#include <functional>

#include "backends/engine/plan/communicator.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::plan {

// Returns true if an array of the module has a run-time size.
bool IsDynamic(const Module& module);

// Checks the arguments, counts and feeds of a request against the module.
absl::Status CheckRequest(const pjrt::ExecuteRequest& request, const pjrt::LoadOptions& load,
                          absl::Span<const Shape> arguments);

// Runs `one(device)` for every device, each in a separate thread. Returns the first failure that no
// other failure caused.
absl::Status RunDevices(int64_t count, Communicator& world,
                        const std::function<absl::Status(int64_t device)>& one);
// Puts the request's infeed items into the queues of the devices.
void Feed(const pjrt::ExecuteRequest& request, Communicator& world);

bool IsDonated(absl::Span<const int64_t> donated, int64_t leaf);
// Returns the module's donations of one argument to one output.
std::vector<Donation> AliasesOf(const Module& module);

}  // namespace hlocts::plan
