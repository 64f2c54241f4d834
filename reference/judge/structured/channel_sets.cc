// SPDX-License-Identifier: Apache-2.0
// Computes the sets of send and recv between devices. The devices advance together, so the value
// that a recv-done receives has been sent before it runs, or never will be.
#include "reference/judge/interpreter/handlers.h"
#include "reference/world/device_world.h"

namespace hlocts::reference {
namespace {

absl::Status NotTheHost(const Instruction& instruction) {
  if (!instruction.BoolOr(Attr::kIsHostTransfer, false)) return absl::OkStatus();
  return Unsupported(instruction.name(), ": host transfers by channel are not supported");
}

int64_t ChannelOf(const Instruction& instruction) { return instruction.IntOr(Attr::kChannelId, 0); }

// Returns (data, u32[], token[]), which send and recv pass to their *-done.
SetValue ContextOf(SetValue data, int64_t channel) {
  SetValue number =
      ExactValue(Literal::Scalar<uint32_t>(PrimitiveType::kU32, static_cast<uint32_t>(channel)));
  return SetValue::Tuple({std::move(data), std::move(number), SetValue::Token()});
}

}  // namespace

// Sends to this device, or to the devices that the source-target pairs name (send.4-10).
absl::StatusOr<SetValue> SendSets(SetInterpreter& interpreter, const Instruction& instruction,
                                  const Shape&, absl::Span<const SetValue> operands) {
  HLOCTS_RETURN_IF_ERROR(NotTheHost(instruction));
  for (int64_t target :
       TargetsOf(instruction, interpreter.current_device(), interpreter.device_count())) {
    interpreter.PendingMessages(target, ChannelOf(instruction)).push_back(operands[0]);
  }
  return ContextOf(operands[0], ChannelOf(instruction));
}

absl::StatusOr<SetValue> RecvSets(SetInterpreter&, const Instruction& instruction, const Shape&,
                                  absl::Span<const SetValue>) {
  HLOCTS_RETURN_IF_ERROR(NotTheHost(instruction));
  return ContextOf(ExactValue(Literal(instruction.shape().tuple_shapes()[0])),
                   ChannelOf(instruction));
}

// Receives the value (recv.4-5, .14). A device that is not a target in any pair gets zeros.
absl::StatusOr<SetValue> RecvDoneSets(SetInterpreter& interpreter, const Instruction& instruction,
                                      const Shape&, absl::Span<const SetValue>) {
  HLOCTS_RETURN_IF_ERROR(NotTheHost(instruction));
  const int64_t device = interpreter.current_device();
  if (!IsTarget(instruction, device)) {
    Literal zeros(instruction.shape().tuple_shapes()[0]);
    return SetValue::Tuple({ExactValue(zeros), SetValue::Token()});
  }
  std::deque<SetValue>& mail = interpreter.PendingMessages(device, ChannelOf(instruction));
  if (mail.empty()) {
    return Unsupported(instruction.name(), ": nothing was sent on channel ", ChannelOf(instruction),
                       " before it");
  }
  SetValue data = std::move(mail.front());
  mail.pop_front();
  return SetValue::Tuple({std::move(data), SetValue::Token()});
}

}  // namespace hlocts::reference
