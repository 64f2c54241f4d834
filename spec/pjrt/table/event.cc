// SPDX-License-Identifier: Apache-2.0
// Entries for plugins, events and execute contexts. Calls of our plugins are synchronous, so a
// caller can only wait for events that it created itself.
#include <utility>

#include "spec/pjrt/table/entries.h"

namespace hlocts::pjrt {

PJRT_Event* MakeEvent(absl::Status status) {
  auto* event = new PJRT_Event;
  event->status = std::move(status);
  return event;
}

absl::Status Entry(PJRT_Plugin_Initialize_Args&) { return absl::OkStatus(); }

void Entry(PJRT_Plugin_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
}

void Entry(PJRT_Event_Destroy_Args& args) { delete args.event; }

void Entry(PJRT_Event_Create_Args& args) { args.event = new PJRT_Event; }

absl::Status Entry(PJRT_Event_IsReady_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.event, "event"));
  std::lock_guard<std::mutex> lock(args.event->mutex);
  args.is_ready = args.event->status.has_value();
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Event_Error_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.event, "event"));
  std::lock_guard<std::mutex> lock(args.event->mutex);
  if (args.event->status.has_value()) return *args.event->status;
  return absl::FailedPreconditionError(
      "PJRT_Event_Error: expected a ready event, found a pending one");
}

absl::Status Entry(PJRT_Event_Await_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.event, "event"));
  std::unique_lock<std::mutex> lock(args.event->mutex);
  args.event->changed.wait(lock, [&] { return args.event->status.has_value(); });
  return *args.event->status;
}

absl::Status Entry(PJRT_Event_OnReady_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.event, "event"));
  {
    std::lock_guard<std::mutex> lock(args.event->mutex);
    if (!args.event->status.has_value()) {
      args.event->callbacks.emplace_back(args.callback, args.user_arg);
      return absl::OkStatus();
    }
  }
  args.callback(MakeError(*args.event->status), args.user_arg);
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Event_Set_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.event, "event"));
  std::vector<std::pair<PJRT_Event_OnReadyCallback, void*>> callbacks;
  const absl::Status status(static_cast<absl::StatusCode>(args.error_code),
                            absl::string_view(args.error_message, args.error_message_size));
  {
    std::lock_guard<std::mutex> lock(args.event->mutex);
    if (args.event->status.has_value())
      return absl::FailedPreconditionError("PJRT_Event_Set: expected an event not yet set");
    args.event->status = status;
    callbacks.swap(args.event->callbacks);
    args.event->changed.notify_all();
  }
  // Calls back without the lock: a callback may query this event again.
  for (const auto& [callback, user_arg] : callbacks) callback(MakeError(status), user_arg);
  return absl::OkStatus();
}

void Entry(PJRT_ExecuteContext_Create_Args& args) { args.context = new PJRT_ExecuteContext; }

void Entry(PJRT_ExecuteContext_Destroy_Args& args) { delete args.context; }

}  // namespace hlocts::pjrt
