// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "backends/adapters/xla/xla_client.h"

namespace hlocts::xla_plugin {

bool SettableEvent::Set(const Status& status) {
  std::vector<std::function<void(const Status&)>> callbacks;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->status.has_value()) return false;
    state_->status = status;
    callbacks.swap(state_->callbacks);
  }
  state_->changed.notify_all();
  // Outside the lock: a callback may ask this event again.
  for (const auto& callback : callbacks) callback(status);
  return true;
}

bool SettableEvent::IsReady() {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->status.has_value();
}

Status SettableEvent::Await() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->status.has_value(); });
  return *state_->status;
}

void SettableEvent::OnReady(std::function<void(const Status&)> callback) {
  Status status;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (!state_->status.has_value()) {
      state_->callbacks.push_back(std::move(callback));
      return;
    }
    status = *state_->status;
  }
  callback(status);
}

}  // namespace hlocts::xla_plugin
