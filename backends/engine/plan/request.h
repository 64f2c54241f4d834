// SPDX-License-Identifier: Apache-2.0
// Checks the request of an execution against the module: arguments, devices, feeds, donation.
#pragma once

#include <functional>

#include "backends/engine/plan/communicator.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::plan {

// Returns true if an array of the module has a run-time size.
bool IsDynamic(const Module& module);

// Checks the arguments, the numbers of devices, and the feeds of a request.
absl::Status CheckRequest(const pjrt::ExecuteRequest& request, const pjrt::LoadOptions& load,
                          absl::Span<const Shape> arguments);

// Runs `one(device)` for every device, each in a separate thread. Returns the first error that is
// not a deadlock, else the first error.
absl::Status RunDevices(int64_t count, Communicator& world,
                        const std::function<absl::Status(int64_t device)>& one);
// Appends the request's infeed items to the queues of the devices.
void Feed(const pjrt::ExecuteRequest& request, Communicator& world);

bool IsDonated(absl::Span<const int64_t> donated, int64_t leaf);
// Returns the donations of the module that name an output.
std::vector<Donation> AliasesOf(const Module& module);

}  // namespace hlocts::plan
