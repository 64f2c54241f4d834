// SPDX-License-Identifier: Apache-2.0
// Stands in for the adapter where the PJRT C header was not found when this was built.
#include "backends/adapters/pjrt/pjrt_backend.h"
#include "backends/adapters/pjrt/walk/walk.h"
#include "backends/backend_list.h"

namespace hlocts::backends {
namespace {
absl::Status Absent() {
  return absl::UnavailableError(
      "this build has no PJRT adapter: its C header comes with the XLA wheel (ci/fetch-xla)");
}

class AbsentBackend : public Backend {
 public:
  explicit AbsentBackend(std::string name) : name_(std::move(name)) {}
  BackendInfo info() override {
    BackendInfo info;
    info.name = name_;
    info.available = false;
    info.reason = std::string(Absent().message());
    return info;
  }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module&, const LoadOptions&) override {
    return Absent();
  }

 private:
  std::string name_;
};
}  // namespace

std::unique_ptr<Backend> MakePjrtBackendFrom(PjrtSettings settings) {
  return std::make_unique<AbsentBackend>(std::move(settings.name));
}

std::vector<std::string> WalkStepNames() { return {}; }

absl::StatusOr<WalkReport> WalkPjrt(const WalkedPlugin&, const WalkSteps&,
                                    const std::function<void(const std::string&)>&) {
  return Absent();
}

absl::StatusOr<std::unique_ptr<Backend>> MakePjrtBackend(BackendName name) {
  return std::unique_ptr<Backend>(std::make_unique<AbsentBackend>(name.text));
}

}  // namespace hlocts::backends
