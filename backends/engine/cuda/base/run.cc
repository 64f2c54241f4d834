// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/base/run.h"

#include <algorithm>

namespace hlocts::cuda {

absl::StatusOr<Buffer> Run::Allocate(int64_t bytes) {
  const int64_t live = *live_;
  if (bytes > bytes_max_ - live) {
    return absl::ResourceExhaustedError(absl::StrCat("an array needs ", bytes,
                                                     " bytes in addition to ", live,
                                                     " in use, but the budget is ", bytes_max_));
  }
  return Memory::New(device_, bytes, live_);
}

namespace {
thread_local const std::string* t_instruction = nullptr;
}  // namespace

// Clears the pointer to a step's name, because the functions that own names may be destroyed now.
Run::~Run() { t_instruction = nullptr; }

std::string CurrentInstruction() { return t_instruction != nullptr ? *t_instruction : ""; }

absl::Status Run::RunStep(const Step& step, std::vector<Buffer>& slots) {
  std::vector<const void*> in;
  std::vector<void*> out;
  std::vector<Buffer> results(step.out.size());
  for (int32_t slot : step.in) in.push_back(slot < 0 ? nullptr : slots[slot]->data());
  for (size_t r = 0; r < step.out.size(); ++r) {
    if (step.out[r] < 0) {
      out.push_back(nullptr);
      continue;
    }
    for (const auto& [result, operand] : step.in_place) {
      if (result != static_cast<int>(r)) continue;
      const int32_t slot = step.in[operand];
      const bool ends =
          std::find(step.last_use.begin(), step.last_use.end(), slot) != step.last_use.end();
      const bool once = std::count(step.in.begin(), step.in.end(), slot) == 1;
      if (ends && once && slots[slot].use_count() == 1) results[r] = slots[slot];
    }
    if (results[r] == nullptr) {
      HLOCTS_ASSIGN_OR_RETURN(results[r], Allocate(step.out_bytes[r]));
    }
    out.push_back(results[r]->data());
  }
  HLOCTS_RETURN_IF_ERROR(step.work(*this, in.data(), out.data()));
  for (size_t r = 0; r < step.out.size(); ++r) {
    if (step.out[r] >= 0) slots[step.out[r]] = std::move(results[r]);
  }
  for (int32_t slot : step.last_use) slots[slot].reset();
  return absl::OkStatus();
}

// Releases each buffer that no later step reads, so that the callee is its only owner.
absl::Status Run::RunControl(const Step& step, std::vector<Buffer>& slots) {
  std::vector<Buffer> in;
  for (int32_t slot : step.in) in.push_back(slot < 0 ? Buffer() : slots[slot]);
  for (int32_t slot : step.last_use) slots[slot].reset();
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Buffer> out, step.control(*this, std::move(in)));
  for (size_t r = 0; r < step.out.size(); ++r) {
    if (step.out[r] >= 0) slots[step.out[r]] = std::move(out[r]);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Buffer>> Run::Call(const Function& function,
                                              std::vector<Buffer> arguments) {
  std::vector<Buffer> slots(function.slots);
  for (const auto& [slot, constant] : function.constants) slots[slot] = constant;
  for (size_t p = 0; p < function.parameter_slots.size(); ++p) {
    if (function.parameter_slots[p] >= 0)
      slots[function.parameter_slots[p]] = std::move(arguments[p]);
  }
  arguments.clear();
  for (const Step& step : function.steps) {
    t_instruction = &step.name;
    HLOCTS_RETURN_IF_ERROR(step.control ? RunControl(step, slots) : RunStep(step, slots));
  }
  std::vector<Buffer> results;
  for (int32_t slot : function.result_slots) {
    results.push_back(slot < 0 ? Buffer() : slots[slot]);
  }
  return results;
}

absl::StatusOr<std::vector<Literal>> Run::CallOnLiterals(const Function& function,
                                                         const std::vector<Literal>& arguments,
                                                         const std::vector<Shape>& results) {
  std::vector<Buffer> buffers;
  for (const Literal& argument : arguments) {
    if (!argument.shape().IsArray()) {
      buffers.emplace_back();
      continue;
    }
    const int64_t bytes = static_cast<int64_t>(argument.raw_size());
    HLOCTS_ASSIGN_OR_RETURN(buffers.emplace_back(), Allocate(bytes));
    HLOCTS_RETURN_IF_ERROR(device_.Upload(buffers.back()->data(), argument.raw_data(), bytes));
  }
  HLOCTS_RETURN_IF_ERROR(device_.StartClock());
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<Buffer> outputs, Call(function, std::move(buffers)));
  HLOCTS_ASSIGN_OR_RETURN(const double took, device_.StopClock());
  seconds += took;
  std::vector<Literal> literals;
  for (size_t r = 0; r < results.size(); ++r) {
    Literal& output = literals.emplace_back(Literal::Uninitialized(results[r]));
    if (outputs[r] == nullptr) continue;
    HLOCTS_RETURN_IF_ERROR(device_.Download(output.mutable_raw_data(), outputs[r]->data(),
                                            static_cast<int64_t>(output.raw_size())));
  }
  return literals;
}

}  // namespace hlocts::cuda
