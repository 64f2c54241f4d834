// SPDX-License-Identifier: Apache-2.0
// A host's view of a plugin of ours for the tests: dlopen, the C ABI, and thin wrappers that free
// what the C API makes the caller free.
#ifndef HLOCTS_SPEC_PJRT_TABLE_TEST_SUPPORT_H_
#define HLOCTS_SPEC_PJRT_TABLE_TEST_SUPPORT_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "spec/pjrt/hlocts_extension.h"

namespace hlocts::pjrt {

// The table of libhlocts_reference.so, found with dlsym; the process ends when there is none.
const PJRT_Api& Api();

// x + y of two arrays f32[2].
inline constexpr char kAdd[] = R"(HloModule add
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[2] add(x, y)
})";

// What a call came to: empty for success, else "<code>: <message>". Frees the error.
std::string Text(PJRT_Error* error);

// Waits for and frees the event; as Text.
std::string Await(PJRT_Event* event);

// Args structs come zeroed and sized.
#define HLOCTS_ARGS(type, name)  \
  type name;                     \
  memset(&name, 0, sizeof name); \
  name.struct_size = sizeof name

// Calls a function of the API about one object (`field` of the arguments is `value`) and expects
// success; the arguments, with what came back, stay as `name`.
#define HLOCTS_ASK(Function, name, field, value) \
  HLOCTS_ARGS(Function##_Args, name);            \
  name.field = value;                            \
  EXPECT_EQ(Text(Api().Function(&name)), "")

// Serialized HloModuleProto of HLO text; fails the test and returns "" when it does not parse.
std::string Proto(const std::string& text);

// The protocol buffer wire format, as far as the tests write messages by hand.
std::string Varint(uint64_t value);
std::string Field(int number, uint64_t value);
std::string Field(int number, const std::string& bytes);

// A serialized CompileOptionsProto. Each override is (XLA option, OptionOverrideProto bytes).
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

// A client with its devices, destroyed with it.
class Client {
 public:
  explicit Client(int64_t device_count = 1);
  ~Client();
  PJRT_Client* get() const { return client_; }
  PJRT_Device* device(int index) const { return devices_[index]; }

  // Errors go to `error` (as Text) and give null.
  PJRT_LoadedExecutable* Compile(const std::string& proto, const std::string& options,
                                 std::string* error, const std::string& format = "hlo");
  PJRT_Buffer* ToDevice(const HostArray& array, int device = 0);

 private:
  PJRT_Client* client_ = nullptr;
  std::vector<PJRT_Device*> devices_;
};

// Row-major bytes of a buffer; `minor_to_major` null leaves the layout to the plugin.
std::string ToHost(PJRT_Buffer* buffer, const std::vector<int64_t>* minor_to_major = nullptr);
PJRT_Buffer_Type TypeOf(PJRT_Buffer* buffer);
std::vector<int64_t> DimsOf(PJRT_Buffer* buffer);
bool IsDeleted(PJRT_Buffer* buffer);
void Destroy(PJRT_Buffer* buffer);
void Destroy(PJRT_LoadedExecutable* executable);
size_t NumOutputs(PJRT_LoadedExecutable* executable);

// One list of arguments per device; one list of outputs per device, the caller's to destroy.
std::string Execute(PJRT_LoadedExecutable* executable,
                    const std::vector<std::vector<PJRT_Buffer*>>& arguments,
                    std::vector<std::vector<PJRT_Buffer*>>* outputs,
                    const std::vector<int64_t>& non_donatable = {});

// Compiles and runs on one device, everything freed: the outputs, or the first error.
struct RunResult {
  std::string error;
  std::vector<HostArray> outputs;
};
RunResult CompileAndRun(Client& client, const std::string& text,
                        const std::vector<HostArray>& arguments,
                        const std::string& options = CompileOptions());

}  // namespace hlocts::pjrt

#endif  // HLOCTS_SPEC_PJRT_TABLE_TEST_SUPPORT_H_
