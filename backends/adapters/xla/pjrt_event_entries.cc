// SPDX-License-Identifier: Apache-2.0
// Plugin, events, execute contexts.
#include <utility>

#include "backends/adapters/xla/pjrt_entries.h"
#include "backends/adapters/xla/xla_c_api.h"

namespace hlocts::xla_plugin {

Status PluginInitialize(PJRT_Plugin_Initialize_Args&) { return {}; }

Status PluginAttributes(PJRT_Plugin_Attributes_Args& args) {
  static const auto* const attributes =
      new NamedValues({{"xla_version", std::string(hlocts_xla_version())}});
  args.attributes = attributes->data();
  args.num_attributes = attributes->size();
  return {};
}

Status EventDestroy(PJRT_Event_Destroy_Args& args) {
  delete args.event;
  return {};
}

Status EventIsReady(PJRT_Event_IsReady_Args& args) {
  if (Status status = CheckPointer(args.event, "event"); !status.ok()) return status;
  args.is_ready = args.event->event->IsReady();
  return {};
}

Status EventError(PJRT_Event_Error_Args& args) {
  if (Status status = CheckPointer(args.event, "event"); !status.ok()) return status;
  if (!args.event->event->IsReady()) {
    return {kFailedPrecondition, "PJRT_Event_Error: expected a ready event, found a pending one"};
  }
  return args.event->event->Await();
}

Status EventAwait(PJRT_Event_Await_Args& args) {
  if (Status status = CheckPointer(args.event, "event"); !status.ok()) return status;
  return args.event->event->Await();
}

Status EventOnReady(PJRT_Event_OnReady_Args& args) {
  if (Status status = CheckPointer(args.event, "event"); !status.ok()) return status;
  PJRT_Event_OnReadyCallback callback = args.callback;
  void* user_arg = args.user_arg;
  args.event->event->OnReady(
      [callback, user_arg](const Status& status) { callback(MakeError(status), user_arg); });
  return {};
}

Status EventCreate(PJRT_Event_Create_Args& args) {
  args.event = MakeEvent(std::make_unique<SettableEvent>());
  return {};
}

Status EventSet(PJRT_Event_Set_Args& args) {
  if (Status status = CheckPointer(args.event, "event"); !status.ok()) return status;
  // No RTTI: that the event came from EventCreate is the caller's promise, as the C API has it.
  auto* event = static_cast<SettableEvent*>(args.event->event.get());
  Status status{static_cast<int>(args.error_code), {}};
  if (!status.ok()) status.message.assign(args.error_message, args.error_message_size);
  if (event->Set(status)) return {};
  return {kFailedPrecondition, "PJRT_Event_Set: expected an event not yet set"};
}

Status ExecuteContextCreate(PJRT_ExecuteContext_Create_Args& args) {
  args.context = new PJRT_ExecuteContext;
  return {};
}

Status ExecuteContextDestroy(PJRT_ExecuteContext_Destroy_Args& args) {
  delete args.context;
  return {};
}

}  // namespace hlocts::xla_plugin
