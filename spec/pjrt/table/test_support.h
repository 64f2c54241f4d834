// SPDX-License-Identifier: Apache-2.0
// Loads and calls our plugins in tests: dlopen, the C ABI, and thin wrappers that free the data
// that the C API leaves to the caller.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "spec/pjrt/hlocts_extension.h"

namespace hlocts::pjrt {

// Returns the table of libhlocts_reference.so, found with dlsym. Aborts if there is none.
const PJRT_Api& Api();

// A module that returns x + y for two arrays f32[2].
inline constexpr char kAdd[] = R"(HloModule add
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[2] add(x, y)
})";

// Returns "" for success, else "<code>: <message>". Frees the error.
std::string Text(PJRT_Error* error);

// Waits for the event and frees it; returns the same as Text.
std::string Await(PJRT_Event* event);

// Defines a zeroed args struct with its struct_size set.
#define HLOCTS_ARGS(type, name)  \
  type name;                     \
  memset(&name, 0, sizeof name); \
  name.struct_size = sizeof name

// Calls a function of the API on one object, with `value` in the field `field` of the arguments,
// and expects success. `name` is the struct of arguments, which also has the results.
#define HLOCTS_ASK(Function, name, field, value) \
  HLOCTS_ARGS(Function##_Args, name);            \
  name.field = value;                            \
  EXPECT_EQ(Text(Api().Function(&name)), "")

// Returns the serialized HloModuleProto of HLO text. If the text does not parse, the test fails.
std::string Proto(const std::string& text);

// Encode fields of a protocol buffer, for tests that write messages by hand.
std::string Varint(uint64_t value);
std::string Field(int number, uint64_t value);
std::string Field(int number, const std::string& bytes);

// Returns a serialized CompileOptionsProto. An override is (XLA option, OptionOverrideProto bytes).
std::string CompileOptions(int replicas = 1, int partitions = 1,
                           const std::vector<std::pair<std::string, std::string>>& overrides = {});
inline std::string BoolOverride(bool value) { return Field(2, static_cast<uint64_t>(value)); }
inline std::string IntOverride(int64_t value) { return Field(3, static_cast<uint64_t>(value)); }

struct HostArray {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims;
  std::string bytes;
};

template <typename T>
HostArray Array(PJRT_Buffer_Type type, std::vector<int64_t> dims, const std::vector<T>& values) {
  return {type, std::move(dims),
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
}
inline HostArray F32(std::vector<int64_t> dims, const std::vector<float>& values) {
  return Array(PJRT_Buffer_Type_F32, std::move(dims), values);
}

template <typename T>
std::vector<T> Values(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// A client with its devices. The destructor destroys the PJRT client.
class Client {
 public:
  explicit Client(int64_t device_count = 1);
  ~Client();
  PJRT_Client* get() const { return client_; }
  PJRT_Device* device(int index) const { return devices_[index]; }

  // Returns null after an error, whose text goes to `error`.
  PJRT_LoadedExecutable* Compile(const std::string& proto, const std::string& options,
                                 std::string* error, const std::string& format = "hlo");
  PJRT_Buffer* ToDevice(const HostArray& array, int device = 0);

 private:
  PJRT_Client* client_ = nullptr;
  std::vector<PJRT_Device*> devices_;
};

// Returns the bytes of a buffer in the order `minor_to_major`, or in the plugin's default layout.
std::string ToHost(PJRT_Buffer* buffer, const std::vector<int64_t>* minor_to_major = nullptr);
PJRT_Buffer_Type TypeOf(PJRT_Buffer* buffer);
std::vector<int64_t> DimsOf(PJRT_Buffer* buffer);
bool IsDeleted(PJRT_Buffer* buffer);
void Destroy(PJRT_Buffer* buffer);
void Destroy(PJRT_LoadedExecutable* executable);
size_t NumOutputs(PJRT_LoadedExecutable* executable);

// Runs the executable with one list of arguments per device. `outputs` has one list per device,
// owned by the caller. Returns the error message, or "".
std::string Execute(PJRT_LoadedExecutable* executable,
                    const std::vector<std::vector<PJRT_Buffer*>>& arguments,
                    std::vector<std::vector<PJRT_Buffer*>>* outputs,
                    const std::vector<int64_t>& non_donatable = {});

// The outputs of a module that was compiled and run on one device, or the first error.
struct RunResult {
  std::string error;
  std::vector<HostArray> outputs;
};
RunResult CompileAndRun(Client& client, const std::string& text,
                        const std::vector<HostArray>& arguments,
                        const std::string& options = CompileOptions());

}  // namespace hlocts::pjrt
