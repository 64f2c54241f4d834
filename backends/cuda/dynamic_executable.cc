#include "backends/cuda/executable.h"

namespace hlocts::cuda {

absl::StatusOr<std::unique_ptr<Executable>> MakeDynamicExecutable(const Module&, const LoadOptions&,
                                                                  const CompileOptions&,
                                                                  std::shared_ptr<Device>) {
  return Unsupported("modules with run-time sizes");
}

}  // namespace hlocts::cuda
