// SPDX-License-Identifier: Apache-2.0
// What an execution is asked for, checked against the module: arguments, devices, feeds, donation.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_REQUEST_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_REQUEST_H_

#include <functional>

#include "backends/backend.h"
#include "backends/engine/plan/communicator.h"

namespace hlocts::plan {

// Whether an array of the module has a size that only a run knows.
bool IsDynamic(const Module& module);

// Arguments, counts and feeds of a request, checked against the module.
absl::Status CheckRequest(const backends::ExecuteRequest& request,
                          const backends::LoadOptions& load, absl::Span<const Shape> arguments);

// Runs `one(device)` for every device, each in a thread of its own; the first failure that is no
// consequence of another one.
absl::Status RunDevices(int64_t count, Communicator& world,
                        const std::function<absl::Status(int64_t device)>& one);
// The infeed of each device, item by item.
void Feed(const backends::ExecuteRequest& request, Communicator& world);

bool IsDonated(absl::Span<const int64_t> donated, int64_t leaf);
// Donation as the module's aliases have it.
struct AliasPair {
  int64_t argument = 0, output = 0;  // leaves
};
std::vector<AliasPair> AliasPairsOf(const Module& module);
std::vector<int64_t> DonorsOf(const Module& module);
std::vector<backends::ArgumentState> StatesOf(absl::Span<const AliasPair> pairs,
                                              absl::Span<const int64_t> donors, size_t arguments,
                                              absl::Span<const int64_t> donated);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_REQUEST_H_
