// SPDX-License-Identifier: Apache-2.0
#include "reference/world/world.h"

#include <deque>
#include <utility>

#include "absl/strings/match.h"
#include "reference/world/device_world.h"
#include "spec/base/threads.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kDevicesMax = 1024;  // each device is a thread

// Returns true for a deadlock error, which may be a mere consequence of another device's failure.
bool IsDeadlock(const absl::Status& status) {
  return absl::StartsWith(status.message(), "deadlock");
}

absl::Status FirstFailure(absl::Span<const absl::StatusOr<Literal>> results,
                          const Rendezvous& place) {
  const absl::Status* deadlock = nullptr;
  for (size_t d = 0; d < results.size(); ++d) {
    if (results[d].ok()) continue;
    if (!IsDeadlock(results[d].status())) {
      return results.size() == 1
                 ? results[d].status()
                 : Annotate(results[d].status(), place.NameOf(static_cast<int64_t>(d)));
    }
    if (deadlock == nullptr) deadlock = &results[d].status();
  }
  return deadlock == nullptr ? absl::OkStatus() : *deadlock;
}

absl::Status CheckCounts(const ReplicatedRunOptions& world, size_t argument_sets) {
  if (world.replicas < 1 || world.partitions < 1 || world.replicas > kDevicesMax ||
      world.partitions > kDevicesMax || world.replicas * world.partitions > kDevicesMax) {
    return InvalidInput("replicas x partitions: expected 1 to ", kDevicesMax, " devices, found ",
                        world.replicas, " x ", world.partitions);
  }
  const size_t devices = static_cast<size_t>(world.replicas * world.partitions);
  if (argument_sets != 1 && argument_sets != devices) {
    return InvalidInput("arguments: expected one set, or one for each of ", devices,
                        " devices, found ", argument_sets);
  }
  if (world.infeed.size() > 1 && world.infeed.size() != devices) {
    return InvalidInput("infeed: expected none, one, or one for each of ", devices,
                        " devices, found ", world.infeed.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReplicatedRunResult> EvaluateReplicated(
    const Module& module, absl::Span<const std::vector<Literal>> arguments,
    const ReplicatedRunOptions& world, const EvalOptions& options) {
  HLOCTS_RETURN_IF_ERROR(CheckCounts(world, arguments.size()));
  const DeviceGrid grid = {world.replicas, world.partitions};
  Rendezvous place(grid);
  std::deque<DeviceEnvironmentImpl> devices;
  for (int64_t d = 0; d < grid.size(); ++d) {
    std::vector<Literal> fed;
    if (!world.infeed.empty()) fed = world.infeed[world.infeed.size() == 1 ? 0 : d];
    devices.emplace_back(grid, d, std::move(fed), place);
  }
  std::vector<absl::StatusOr<Literal>> results(grid.size(), absl::UnknownError("not run"));
  auto run = [&](int64_t d) {
    EvalOptions own = options;
    own.world = &devices[d];
    results[d] = Evaluate(module, arguments[arguments.size() == 1 ? 0 : d], own);
    place.End(d);
  };
  // Device 0 runs on this thread, so that a single device needs no other thread.
  RunTogether(grid.size(), run, [&](int64_t d, const absl::Status& status) {
    results[d] = status;
    place.End(d);
  });
  HLOCTS_RETURN_IF_ERROR(FirstFailure(results, place));
  ReplicatedRunResult result;
  for (int64_t d = 0; d < grid.size(); ++d) {
    result.outputs.push_back(*std::move(results[d]));
    result.outfeeds.push_back(std::move(devices[d].outfeed()));
  }
  return result;
}

}  // namespace hlocts::reference
