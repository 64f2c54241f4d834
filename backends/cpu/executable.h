// A compiled module: static modules as a program, modules with run-time sizes instruction by
// instruction.
#ifndef HLOCTS_BACKENDS_CPU_EXECUTABLE_H_
#define HLOCTS_BACKENDS_CPU_EXECUTABLE_H_

#include <memory>

#include "backends/backend.h"
#include "backends/cpu/compiler.h"

namespace hlocts::cpu {

// Whether an array of the module has a size that only a run knows.
bool IsDynamic(const Module& module);

// Whether execution may flush subnormals: outside strict, unless a format is met whose normal
// numbers are subnormal in f32.
bool MayFlush(const Module& module, const CompileOptions& compile);

// The module is verified.
absl::StatusOr<std::unique_ptr<Executable>> MakeStaticExecutable(const Module& module,
                                                                 const LoadOptions& load,
                                                                 const CompileOptions& compile);
absl::StatusOr<std::unique_ptr<Executable>> MakeDynamicExecutable(const Module& module,
                                                                  const LoadOptions& load,
                                                                  const CompileOptions& compile);

// Arguments, counts and feeds of a request, checked against the module.
absl::Status CheckRequest(const ExecuteRequest& request, const LoadOptions& load,
                          absl::Span<const Shape> arguments);

// Runs `one(device)` for every device, each in a thread of its own; the first failure that is no
// consequence of another one.
absl::Status RunDevices(int64_t count, World& world,
                        const std::function<absl::Status(int64_t device)>& one);
// The infeed of each device, item by item.
void Feed(const ExecuteRequest& request, World& world);

// Donation as the module's aliases have it.
struct AliasPair {
  int64_t argument = 0, output = 0;  // leaves
};
std::vector<AliasPair> AliasPairsOf(const Module& module);
std::vector<int64_t> DonorsOf(const Module& module);
std::vector<ArgumentState> StatesOf(absl::Span<const AliasPair> pairs,
                                    absl::Span<const int64_t> donors, size_t arguments,
                                    absl::Span<const int64_t> donated);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_CPU_EXECUTABLE_H_
