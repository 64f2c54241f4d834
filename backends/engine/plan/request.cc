// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/request.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>

#include "absl/strings/match.h"
#include "spec/ir/module.h"

namespace hlocts::plan {
namespace {

constexpr int64_t kDevicesMax = 1024;  // each device is a thread

}  // namespace

bool IsDynamic(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->shape().is_dynamic() || instruction->opcode() == Opcode::kSetDimensionSize ||
          instruction->opcode() == Opcode::kDynamicReshape) {
        return true;
      }
    }
  }
  return false;
}

absl::Status CheckRequest(const pjrt::ExecuteRequest& request, const pjrt::LoadOptions& load,
                          absl::Span<const Shape> arguments) {
  const int64_t devices = load.replicas * load.partitions;
  if (load.replicas < 1 || load.partitions < 1 || load.replicas > kDevicesMax ||
      load.partitions > kDevicesMax || devices > kDevicesMax) {
    return InvalidInput("replicas x partitions: expected 1 to ", kDevicesMax, " devices, found ",
                        load.replicas, " x ", load.partitions);
  }
  const int64_t sets = static_cast<int64_t>(request.arguments.size());
  if (sets != 1 && sets != devices) {
    return InvalidInput("expected arguments for 1 or ", devices, " devices, found ", sets);
  }
  const size_t fed = request.infeed.size();
  if (fed > 1 && static_cast<int64_t>(fed) != devices) {
    return InvalidInput("infeed: expected none, one, or one for each of ", devices,
                        " devices, found ", fed);
  }
  for (const std::vector<Literal>& leaves : request.arguments) {
    if (leaves.size() != arguments.size()) {
      return InvalidInput("expected ", arguments.size(), " argument leaves, found ", leaves.size());
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      const bool same = leaves[i].element_type() == arguments[i].element_type() &&
                        leaves[i].shape().dimensions() == arguments[i].dimensions();
      if (!same) {
        return InvalidInput("argument leaf ", i, ": expected ", arguments[i].ToString(false),
                            ", found ", leaves[i].shape().ToString(false));
      }
    }
  }
  return absl::OkStatus();
}

void Feed(const pjrt::ExecuteRequest& request, Communicator& world) {
  for (size_t d = 0; d < world.infeeds.size() && !request.infeed.empty(); ++d) {
    for (const Literal& item : request.infeed[request.infeed.size() == 1 ? 0 : d]) {
      for (Literal& leaf : FlattenLeaves(item)) world.infeeds[d].push_back(std::move(leaf));
    }
  }
}

absl::Status RunDevices(int64_t count, Communicator& world,
                        const std::function<absl::Status(int64_t device)>& one) {
  std::vector<absl::Status> statuses(count);
  auto run = [&](int64_t device) {
    try {
      statuses[device] = one(device);
    } catch (const std::bad_alloc&) {
      statuses[device] = absl::ResourceExhaustedError("out of memory");
    }
    world.End(device);
  };
  std::vector<std::thread> threads;
  for (int64_t d = 1; d < count; ++d) {
    try {
      threads.emplace_back(run, d);
    } catch (const std::system_error& error) {
      statuses[d] = absl::ResourceExhaustedError(
          absl::StrCat("cannot start ", count - 1, " threads: ", error.code().message()));
      world.End(d);
    }
  }
  run(0);
  for (std::thread& thread : threads) thread.join();
  // A deadlock is reported only if no other error is, because a failed device may have caused it.
  const absl::Status* first = nullptr;
  for (const absl::Status& status : statuses) {
    if (status.ok()) continue;
    const bool consequence = absl::StartsWith(status.message(), "deadlock");
    if (first == nullptr || !consequence) first = &status;
    if (!consequence) break;
  }
  return first == nullptr ? absl::OkStatus() : *first;
}

bool IsDonated(absl::Span<const int64_t> donated, int64_t leaf) {
  return std::find(donated.begin(), donated.end(), leaf) != donated.end();
}

std::vector<Donation> AliasesOf(const Module& module) {
  std::vector<Donation> aliases = DonationsOf(module);
  aliases.erase(std::remove_if(aliases.begin(), aliases.end(),
                               [](const Donation& donation) { return donation.output < 0; }),
                aliases.end());
  return aliases;
}

}  // namespace hlocts::plan
