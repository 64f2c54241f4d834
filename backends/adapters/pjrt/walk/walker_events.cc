// SPDX-License-Identifier: Apache-2.0
// Steps on clients and events.
#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "backends/adapters/pjrt/walk/walker.h"

namespace hlocts::backends {
namespace {

constexpr size_t kClients = 2;
constexpr auto kEventTimeout = std::chrono::seconds(30);

struct Called {
  const PjrtApi* api = nullptr;
  std::atomic<int> times{0};
  std::atomic<bool> with_error{false};
};

bool Within(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + kEventTimeout;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace

absl::Status Walker::EnsureClient() { return sessions_.empty() ? OpenClient() : absl::OkStatus(); }

absl::Status Walker::OpenClient() {
  if (sessions_.size() == kClients) return absl::OkStatus();
  PjrtSession::Options options = plugin_.client_options;
  if (!plugin_.device_count_option.empty()) options.emplace_back(plugin_.device_count_option, "2");
  HLOCTS_ASSIGN_OR_RETURN(auto session, PjrtSession::Create(api_, options));
  sessions_.push_back(std::move(session));
  return absl::OkStatus();
}

// Checks that two clients report the same properties, and that each device is found by its number.
absl::Status Walker::AskClient() {
  HLOCTS_RETURN_IF_ERROR(EnsureClient());
  const size_t client = Pick(sessions_.size());
  if (session(client).PlatformVersion() != session(0).PlatformVersion())
    return Differs("two clients report different platform versions");
  PJRT_Device* device = DrawDevice(client);
  HLOCTS_PJRT_ASK(api_, Device_GetDescription, description, device, device);
  HLOCTS_PJRT_ASK(api_, DeviceDescription_Id, id, device_description,
                  description.device_description);
  auto found = HLOCTS_PJRT_ARGS(Client_LookupDevice);
  found.client = session(client).client();
  found.id = id.id;
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Client_LookupDevice, &found));
  if (found.device != device)
    return Differs(absl::StrCat("device ", id.id, " differs from that of LookupDevice"));
  return absl::OkStatus();
}

PJRT_Device* Walker::DrawDevice(size_t client) {
  const auto& devices = session(client).devices();
  return devices[Pick(devices.size())];
}

absl::Status Walker::DestroyEvent(PJRT_Event* event) {
  auto args = HLOCTS_PJRT_ARGS(Event_Destroy);
  args.event = event;
  return HLOCTS_PJRT_CALL(api_, PJRT_Event_Destroy, &args);
}

// Checks that the callback is called exactly once and gets no error.
absl::Status Walker::AwaitByCallback(PJRT_Event* event, const char* what) {
  auto called = std::make_unique<Called>();
  called->api = &api_;
  auto args = HLOCTS_PJRT_ARGS(Event_OnReady);
  args.event = event;
  args.user_arg = called.get();
  args.callback = [](PJRT_Error* error, void* user) {
    auto& called = *static_cast<Called*>(user);
    if (!called.api->ToStatus(error).ok()) called.with_error = true;
    ++called.times;
  };
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Event_OnReady, &args));
  if (!Within([&] { return called->times > 0; })) {
    called.release();  // the callback may still be called
    return Differs(absl::StrCat(what, ": the callback was not called within 30 seconds"));
  }
  HLOCTS_PJRT_ASK(api_, Event_IsReady, ready, event, event);
  if (!ready.is_ready)
    return Differs(absl::StrCat(what, ": the callback was called, but the event is not ready"));
  HLOCTS_RETURN_IF_ERROR(DestroyEvent(event));
  if (called->times != 1)
    return Differs(
        absl::StrCat(what, ": expected 1 call of the callback, found ", called->times.load()));
  return called->with_error ? Differs(absl::StrCat(what, ": the callback received an error"))
                            : absl::OkStatus();
}

absl::Status Walker::AwaitAndDestroy(PJRT_Event* event, const char* what) {
  if (event == nullptr) return absl::OkStatus();
  const size_t way = Pick(3);
  if (way == 0) return AwaitByCallback(event, what);
  if (way == 1) {
    auto args = HLOCTS_PJRT_ARGS(Event_IsReady);
    args.event = event;
    absl::Status asked;
    const bool ready = Within([&] {
      asked = HLOCTS_PJRT_CALL(api_, PJRT_Event_IsReady, &args);
      return !asked.ok() || args.is_ready;
    });
    HLOCTS_RETURN_IF_ERROR(asked);
    if (!ready) return Differs(absl::StrCat(what, ": the event was not ready within 30 seconds"));
  }
  const absl::Status awaited = api_.Await(event);
  return awaited.ok() ? awaited : Differs(absl::StrCat(what, ": ", awaited.message()));
}

absl::Status Walker::End() {
  while (!reads_.empty()) {
    WalkRead read = std::move(reads_.back());
    reads_.pop_back();
    HLOCTS_RETURN_IF_ERROR(FinishRead(std::move(read)));
  }
  executables_.clear();
  buffers_.clear();
  for (const auto& times : released_) {
    if (!Within([&] { return times->load() > 0; }))
      return Differs("on_delete_callback was not called for a view");
    if (*times != 1)
      return Differs(absl::StrCat("expected 1 call of on_delete_callback, found ", times->load()));
  }
  for (const auto& [memory, bytes] : promised_) {
    if (!std::equal(bytes.begin(), bytes.end(), memory->data()))
      return Differs("host memory that the runtime promised not to mutate has changed");
  }
  sessions_.clear();
  return absl::OkStatus();
}

Walker::~Walker() {
  // Pending transfers may still write to the memory of a walk that ended early.
  for (WalkRead& read : reads_) api_.Await(read.event).IgnoreError();
  executables_.clear();
  buffers_.clear();
  sessions_.clear();
}

}  // namespace hlocts::backends
