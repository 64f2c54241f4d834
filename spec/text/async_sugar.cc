// SPDX-License-Identifier: Apache-2.0
// Reads the short form of asynchronous operations. "%x = ... custom-call-start(...)" means an
// async-start of a computation that contains only that custom-call. The -update and -done also
// have the operation's name. XLA prints this form if possible.
#include "spec/ir/opcode.h"
#include "spec/text/module_reader.h"

namespace hlocts {
namespace {

bool IsCommon(Attr attr) {
  for (Attr common : CommonAttributes()) {
    if (common == attr) return true;
  }
  return false;
}

// Returns the async-start of an update or done, or nullptr if the chain of operands has none.
const Instruction* StartOf(const Instruction* instruction) {
  while (instruction->opcode() == Opcode::kAsyncUpdate && instruction->operand_count() == 1) {
    instruction = &instruction->operand(0);
  }
  return instruction->opcode() == Opcode::kAsyncStart ? instruction : nullptr;
}

std::string ThreadOf(const Instruction& instruction) {
  const std::string* thread = instruction.Get<std::string>(Attr::kAsyncExecutionThread);
  return thread ? *thread : "main";
}

// Moves the operation's own attributes, except the thread, to the wrapped instruction.
void MoveOwnAttributes(Instruction* from, Instruction* to) {
  std::vector<std::pair<Attr, AttributeValue>> kept;
  for (auto& [attr, value] : from->mutable_attributes()) {
    bool stays =
        attr == Attr::kAsyncExecutionThread || (IsCommon(attr) && !RowOf(to->opcode()).Takes(attr));
    if (stays) {
      kept.emplace_back(attr, std::move(value));
    } else {
      to->Set(attr, std::move(value));
    }
  }
  from->mutable_attributes() = std::move(kept);
}

}  // namespace

bool ModuleReader::WrapStart(Scope& scope, Opcode wrapped, Instruction* start, const char* where) {
  if (!start->shape().IsTuple() || start->shape().tuple_shapes().size() < 2) {
    return in.FailAt(
        where, "text.shape",
        absl::StrCat("expected ((operands), result, context) as the shape of ", OpcodeName(wrapped),
                     "-start, found ", start->shape().ToString()));
  }
  Computation* computation = Synthesize("async_wrapped");
  auto root = std::make_unique<Instruction>(std::string(OpcodeName(wrapped)), wrapped,
                                            start->shape().tuple_shapes()[1]);
  for (int64_t i = 0; i < start->operand_count(); ++i) {
    auto parameter = std::make_unique<Instruction>(
        i == 0 ? std::string("async_param") : absl::StrCat("async_param.", i), Opcode::kParameter,
        start->operand(i).shape());
    parameter->set_parameter_number(i);
    root->mutable_operands().push_back(computation->Add(std::move(parameter)));
  }
  start->set_opcode(Opcode::kAsyncStart);
  MoveOwnAttributes(start, root.get());
  if (!CheckInstruction(root.get(), where)) return false;
  computation->set_root(computation->Add(std::move(root)));
  start->Set(Attr::kCalls, computation);
  return true;
}

bool ModuleReader::SetThread(Instruction* start, const char* where) {
  const std::string* thread = start->Get<std::string>(Attr::kAsyncExecutionThread);
  Computation* wrapped = start->CalledComputation(Attr::kCalls);
  if (wrapped == nullptr) {
    return in.FailAt(where, "text.attribute", "async-start: expected the attribute calls");
  }
  if (thread == nullptr || *thread == "main") {
    start->Remove(Attr::kAsyncExecutionThread);
    return true;
  }
  // The computations that the wrapped computation calls run on the same thread.
  wrapped->execution_thread = *thread;
  for (const auto& instruction : wrapped->instructions()) {
    for (Computation* called : instruction->called_computations()) {
      called->execution_thread = *thread;
    }
  }
  return true;
}

bool ModuleReader::CheckAsyncChain(Opcode wrapped, bool sugar, Instruction* instruction,
                                   const char* where) {
  const Instruction* start =
      instruction->operand_count() == 1 ? StartOf(&instruction->operand(0)) : nullptr;
  if (start == nullptr) {
    return in.FailAt(where, "text.name",
                     absl::StrCat("expected an async-start or async-update as the operand of ",
                                  OpcodeName(instruction->opcode())));
  }
  const Computation* computation = start->CalledComputation(Attr::kCalls);
  Computation* stated = instruction->CalledComputation(Attr::kCalls);
  if (stated != nullptr && stated != computation) {
    return in.FailAt(where, "text.name",
                     absl::StrCat("expected calls=", computation->name(), " as in ", start->name(),
                                  ", found ", stated->name()));
  }
  Opcode runs = computation->root() ? computation->root()->opcode() : wrapped;
  if (sugar && runs != wrapped) {
    return in.FailAt(where, "text.name",
                     absl::StrCat("expected the operation of ", start->name(), ", ",
                                  OpcodeName(runs), ", found ", OpcodeName(wrapped)));
  }
  if (instruction->Has(Attr::kAsyncExecutionThread) && ThreadOf(*instruction) != ThreadOf(*start)) {
    return in.FailAt(
        where, "text.attribute",
        absl::StrCat("expected async_execution_thread=\"", ThreadOf(*start), "\" as in ",
                     start->name(), ", found \"", ThreadOf(*instruction), "\""));
  }
  instruction->Remove(Attr::kCalls);
  instruction->Remove(Attr::kAsyncExecutionThread);
  return true;
}

}  // namespace hlocts
