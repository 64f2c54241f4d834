// SPDX-License-Identifier: Apache-2.0
// Tests that emitted kernels return the same bits as interpreted ones. The host's compiler compiles
// the source for NVRTC, and a loop executes the kernel's threads.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "absl/strings/str_cat.h"
#include "backends/engine/cuda/run/device_testing.h"
#include "backends/engine/cuda/run/executable.h"
#include "backends/engine/plan/engine_testing.h"
#include "spec/text/parser.h"

namespace hlocts::cuda {
namespace {

// Defines CUDA's keywords for a grid of one thread, which then processes all elements.
constexpr char kPrelude[] =
    "#define __device__\n#define __global__\n#define __grid_constant__\n#define __shared__ static\n"
    "struct Dim { unsigned x; };\n"
    "static const Dim gridDim{1}, blockDim{1}, blockIdx{0}, threadIdx{0};\n";

constexpr const char* kArgs[] = {
#define HL_NAME(Name, Args, call) #Args,
    HL_PROGRAM_KERNELS(HL_NAME) HL_BLOCK_KERNELS(HL_NAME)
#undef HL_NAME
};

class WrittenDevice : public cuda::Device {
 public:
  WrittenDevice() : host_(cuda::MakeHostDevice()) {
    folder_ = std::filesystem::temp_directory_path() / absl::StrCat("hlocts_emit_", getpid());
    std::filesystem::create_directories(folder_);
  }
  ~WrittenDevice() override { std::filesystem::remove_all(folder_); }

  absl::StatusOr<void*> Allocate(int64_t bytes) override { return host_->Allocate(bytes); }
  void Release(void* data) override { host_->Release(data); }
  absl::Status Upload(void* to, const void* from, int64_t bytes) override {
    return host_->Upload(to, from, bytes);
  }
  absl::Status Download(void* to, const void* from, int64_t bytes) override {
    return host_->Download(to, from, bytes);
  }
  absl::Status Copy(void* to, const void* from, int64_t bytes) override {
    return host_->Copy(to, from, bytes);
  }
  absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t count,
                      int64_t code) override {
    if (code < 0) return host_->Launch(kernel, arguments, count, code);
    kernels_[static_cast<size_t>(code)](arguments, count);
    ++launches;
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> Compile(hl::Kernel kernel, const std::string& source, bool) override {
    const auto [known, is_new] = numbers_.emplace(source, static_cast<int64_t>(kernels_.size()));
    if (!is_new) return known->second;
    static int files = 0;  // counted, because dlopen returns the loaded library for an equal name
    const std::string stem = folder_ / absl::StrCat("k", ++files);
    std::ofstream(stem + ".cc") << kPrelude << source << "extern \"C\" void Start(const void* a, "
                                << "long long n) { hl::part::hl_kernel(*static_cast<const hl::"
                                << kArgs[kernel] << "*>(a), n); }\n";
    const std::string command = absl::StrCat(
        HLOCTS_CXX " -std=c++17 -O0 -ffp-contract=off -shared -fPIC -I" HLOCTS_INCLUDE_DIR " ",
        stem, ".cc -o ", stem, ".so");
    if (std::system(command.c_str()) != 0) return absl::InternalError(command);
    void* library = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    void* start = library != nullptr ? dlsym(library, "Start") : nullptr;
    if (start == nullptr) return absl::InternalError("dlopen");
    kernels_.push_back(reinterpret_cast<void (*)(const void*, long long)>(start));
    return known->second;
  }
  absl::Status Synchronize() override { return host_->Synchronize(); }
  int launches = 0;

 private:
  std::unique_ptr<cuda::Device> host_;
  std::filesystem::path folder_;
  std::map<std::string, int64_t> numbers_;
  std::vector<void (*)(const void*, long long)> kernels_;
};

const char* const kPrograms[] = {
    // A reduction that is fused with the computation of its terms and the use of its results.
    "add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }\n"
    "ENTRY e { p = bf16[40,33] parameter(0) q = bf16[33,40] parameter(1) t = bf16[40,33] "
    "transpose(q),\n"
    " dimensions={1,0} m = bf16[40,33] multiply(p, t) z = bf16[] constant(0.5)\n"
    " s = bf16[33] reduce(m, z), dimensions={0}, to_apply=add w = bf16[33] parameter(2)\n"
    " d = bf16[33] divide(s, w) ROOT r = f32[33] convert(d) }",
    // A normalization of rows in one kernel.
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n"
    "ENTRY e { p = f16[3,700] parameter(0) x = f32[3,700] convert(p) l = f32[] constant(-inf)\n"
    " z = f32[] constant(0) m = f32[3] reduce(x, l), dimensions={1}, to_apply=max\n"
    " b = f32[3,700] broadcast(m), dimensions={0} d = f32[3,700] subtract(x, b)\n"
    " e = f32[3,700] exponential(d) s = f32[3] reduce(e, z), dimensions={1}, to_apply=add\n"
    " c = f32[3,700] broadcast(s), dimensions={0} q = f32[3,700] divide(e, c)\n"
    " ROOT r = bf16[3,700] convert(q) }",
    // A reduction to one result by several blocks, and a scan in several chunks.
    "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n"
    "sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n"
    "ENTRY e { p = f32[20000] parameter(0) z = f32[] constant(-inf) n = f32[20000] negate(p)\n"
    " x = f32[] reduce(n, z), dimensions={0}, to_apply=max k = s32[5000] parameter(1) o = s32[] "
    "constant(7)\n"
    " c = s32[5000] reduce-window(k, o), window={size=5000 pad=4999_0}, to_apply=sum\n"
    " ROOT r = (f32[], s32[5000]) tuple(x, c) }",
    // Views, iotas, constants of several types, select, clamp, and conversions.
    "ENTRY e { p = f32[4,6] parameter(0) q = s8[6,4] parameter(1)\n"
    " t = s8[4,6] transpose(q), dimensions={1,0} f = f32[4,6] convert(t)\n"
    " i = f32[4,6] iota(), iota_dimension=1 a = f32[4,6] add(p, i) m = f32[4,6] multiply(a, f)\n"
    " l = pred[4,6] compare(p, f), direction=LT s = f32[4,6] select(l, m, a)\n"
    " b = bf16[4,6] convert(s) x = bf16[4,6] exponential(b) y = f8e5m2[4,6] convert(x)\n"
    " ROOT r = f32[4,6] convert(y) }",
    // Pads and gathers that a loop and a reduction read.
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { p = f32[5,3] parameter(0) z = f32[] constant(7) i = s32[8,1] parameter(1)\n"
    " a = f32[8,3] pad(p, z), padding=-1_0_1x0_0 r = f32[24] reshape(a)\n"
    " g = f32[8,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},\n"
    " index_vector_dim=1, slice_sizes={1,3} n = f32[8,3] negate(g) m = f32[24] reshape(n)\n"
    " s = f32[24] add(r, m) o = f32[] constant(0) x = f32[] reduce(s, o), dimensions={0},\n"
    " to_apply=add h = f32[8,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={0},\n"
    " start_index_map={0}, index_vector_dim=1, slice_sizes={1,3} y = f32[8,3] exponential(h)\n"
    " ROOT t = (f32[], f32[8,3]) tuple(x, y) }",
    "ENTRY e { p = c64[9] parameter(0) c = c64[] constant((1.5, -2))\n"
    " b = c64[9] broadcast(c), dimensions={} m = c64[9] multiply(p, b) l = c64[9] tanh(m)\n"
    " ROOT r = f32[9] abs(l) }",
    "f { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] "
    "parameter(3)\n"
    " g = pred[] compare(a, b), direction=GE, type=TOTALORDER x = f32[] select(g, a, b)\n"
    " k = s32[] select(g, i, j) ROOT t = (f32[], s32[]) tuple(x, k) }\n"
    "ENTRY e { p = f32[5,7] parameter(0) n = s32[5,7] iota(), iota_dimension=1\n"
    " z = f32[] constant(-inf) o = s32[] constant(-1)\n"
    " ROOT r = (f32[5], s32[5]) reduce(p, n, z, o), dimensions={1}, to_apply=f }",
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
    "direction=LT }\n"
    "ENTRY e { p = f32[90] parameter(0) s = f32[90] sort(p), dimensions={0}, to_apply=less\n"
    " z = f32[] constant(0) w = f32[30] reduce-window(s, z), window={size=5 stride=3 pad=1_1}, "
    "to_apply=add\n"
    " i = s32[6] constant({3, 0, 3, 3, 29, 30}) u = f32[6] slice(p), slice={[0:6]}\n"
    " ROOT r = f32[30] scatter(w, i, u), update_window_dims={}, inserted_window_dims={0},\n"
    "  scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }",
    // Groups of a row have eight, two or one elements. These modules also use one value per row.
    "add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }\n"
    "ENTRY e { p = bf16[3,1032] parameter(0) z = bf16[] constant(0)\n"
    " s = bf16[3] reduce(p, z), dimensions={1}, to_apply=add\n"
    " b = bf16[3,1032] broadcast(s), dimensions={0} ROOT r = bf16[3,1032] subtract(p, b) }",
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { p = f32[3,702] parameter(0) z = f32[] constant(0) q = f32[3,702] multiply(p, p)\n"
    " s = f32[3] reduce(q, z), dimensions={1}, to_apply=add t = f32[3] rsqrt(s)\n"
    " b = f32[3,702] broadcast(t), dimensions={0} ROOT r = f32[3,702] multiply(q, b) }",
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { p = f16[5,301] parameter(0) x = f32[5,301] convert(p) z = f32[] constant(0)\n"
    " s = f32[5] reduce(x, z), dimensions={1}, to_apply=add\n"
    " b = f32[5,301] broadcast(s), dimensions={0} d = f32[5,301] divide(x, b)\n"
    " ROOT r = f16[5,301] convert(d) }",
    // A thread has several groups of a row, and the last group is incomplete. A later step reads
    // one of the results back from memory.
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { p = f32[3,2504] parameter(0) z = f32[] constant(0) q = f32[3,2504] negate(p)\n"
    " s = f32[3] reduce(q, z), dimensions={1}, to_apply=add\n"
    " b = f32[3,2504] broadcast(s), dimensions={0} d = f32[3,2504] subtract(q, b)\n"
    " m = f32[3,2504] multiply(d, d) t = f32[3] reduce(m, z), dimensions={1}, to_apply=add\n"
    " c = f32[3,2504] broadcast(t), dimensions={0} e = f32[3,2504] divide(d, c)\n"
    " ROOT r = (f32[3,2504], f32[3,2504]) tuple(e, q) }",
    // A scatter to two arrays, whose runs are cut into pieces, and a scan of many adjacent lines.
    "f { a = f32[] parameter(0) b = bf16[] parameter(1) c = f32[] parameter(2)\n"
    " d = bf16[] parameter(3) x = f32[] add(a, c) y = bf16[] maximum(b, d)\n"
    " ROOT r = (f32[], bf16[]) tuple(x, y) }\n"
    "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { p = f32[5] parameter(0) q = bf16[5] parameter(1) u = f32[5000] parameter(2)\n"
    " v = bf16[5000] parameter(3) k = s32[5000] iota(), iota_dimension=0 n = s32[] constant(999)\n"
    " m = s32[5000] broadcast(n), dimensions={} i = s32[5000] divide(k, m)\n"
    " s = (f32[5], bf16[5]) scatter(p, q, i, u, v), update_window_dims={},\n"
    " inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n"
    " l = f32[512,3,32] parameter(4) o = f32[] constant(2)\n"
    " c = f32[512,3,32] reduce-window(l, o), window={size=1x3x1 pad=0_0x2_0x0_0}, to_apply=sum\n"
    " ROOT r = ((f32[5], bf16[5]), f32[512,3,32]) tuple(s, c) }",
};

TEST(EmitTest, WrittenProgramsMeanWhatTheInterpreterMeans) {
  for (const char* text : kPrograms) {
    auto module = ParseModule(std::string("HloModule test\n") + text);
    ASSERT_TRUE(module.ok()) << module.status();
    // On a GPU, NVRTC compiles the source. Otherwise, the host's compiler does.
    const auto by_host = TestsOnDevice() ? nullptr : std::make_shared<WrittenDevice>();
    const std::shared_ptr<Device> written = by_host != nullptr ? by_host : TestDevice();
    cuda::CompileOptions always, never;
    always.jit = Placement::kAlways;
    never.jit = Placement::kNever;
    auto compiled = cuda::MakeExecutable(**module, {}, always, {written});
    auto interpreted = cuda::MakeExecutable(**module, {}, never, {TestDevice()});
    ASSERT_TRUE(compiled.ok() && interpreted.ok()) << compiled.status() << interpreted.status();
    pjrt::ExecuteRequest request;
    request.arguments = {plan::RandomArguments(ArgumentLeafShapes(**module), 7)};
    const auto one = (*compiled)->Execute(request), other = (*interpreted)->Execute(request);
    ASSERT_TRUE(one.ok() && other.ok()) << one.status() << other.status();
    EXPECT_TRUE(by_host == nullptr || by_host->launches > 0) << text;
    for (size_t r = 0; r < one->outputs[0].size(); ++r) {
      EXPECT_TRUE(one->outputs[0][r].BitwiseEqual(other->outputs[0][r]))
          << text << "\noutput " << r;
    }
  }
}

// A device without a compiler. jit=auto interprets its kernels, and jit=always returns an error.
class UncompilingDevice : public WrittenDevice {
 public:
  absl::StatusOr<int64_t> Compile(hl::Kernel, const std::string&, bool) override {
    return absl::UnavailableError("no NVRTC");
  }
};

TEST(EmitTest, WithoutACompilerProgramsAreInterpreted) {
  auto module = ParseModule(
      "HloModule test\nENTRY e { p = f32[70000] parameter(0) ROOT r = f32[70000] negate(p) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto device = std::make_shared<UncompilingDevice>();
  cuda::CompileOptions always;
  always.jit = Placement::kAlways;
  EXPECT_EQ(cuda::MakeExecutable(**module, {}, always, {device}).status().code(),
            absl::StatusCode::kUnavailable);
  const auto executable = cuda::MakeExecutable(**module, {}, {}, {device});
  ASSERT_TRUE(executable.ok()) << executable.status();
  pjrt::ExecuteRequest request;
  request.arguments = {plan::RandomArguments(ArgumentLeafShapes(**module), 7)};
  EXPECT_TRUE((*executable)->Execute(request).ok());
}

}  // namespace
}  // namespace hlocts::cuda
