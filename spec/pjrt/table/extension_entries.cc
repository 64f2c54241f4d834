// SPDX-License-Identifier: Apache-2.0
// Entries for the functions of hlocts_extension.h.
#include "spec/pjrt/table/entries.h"

namespace hlocts::pjrt {
namespace {

absl::Status CheckFeed(const Hlocts_Pjrt_Feed_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.executable, "executable"));
  if (args.device < args.executable->devices.size()) return absl::OkStatus();
  return InvalidInput("device: expected one of ", args.executable->devices.size(), ", found ",
                      args.device);
}

}  // namespace

absl::Status Words(Hlocts_Pjrt_Words_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.client, "client"));
  args.words = args.client->words.c_str();
  return absl::OkStatus();
}

absl::Status Infeed(Hlocts_Pjrt_Feed_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckFeed(args));
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.buffer, "buffer"));
  std::scoped_lock lock(args.executable->mutex, args.buffer->mutex);
  HLOCTS_RETURN_IF_ERROR(CheckAlive(*args.buffer));
  args.executable->infeed[args.device].push_back(args.buffer->literal);
  return absl::OkStatus();
}

absl::Status Outfeed(Hlocts_Pjrt_Feed_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckFeed(args));
  std::lock_guard<std::mutex> lock(args.executable->mutex);
  std::deque<Literal>& sent = args.executable->outfeed[args.device];
  args.buffer = nullptr;
  if (sent.empty()) return absl::OkStatus();
  args.buffer = MakeBuffer(args.executable->devices[args.device], std::move(sent.front()));
  sent.pop_front();
  return absl::OkStatus();
}

}  // namespace hlocts::pjrt
