#include "backends/cpu/small_loop.h"

#include <algorithm>
#include <cstring>

namespace hlocts::cpu {
namespace {

constexpr int64_t kSmallBytes = 4096;  // of values that are worth a padded place of their own
constexpr size_t kInstructionsMax = 500;
constexpr int64_t kMemoryStep = 16384;

int64_t Padded(int64_t bytes) {
  return (bytes + kMicroPadding - 1) / kMicroPadding * kMicroPadding;
}
bool IsSmall(int64_t bytes) { return bytes > 0 && bytes <= kSmallBytes; }

size_t InstructionCount(const Function& function) {
  size_t count = 0;
  for (const Step& step : function.steps) {
    count += 1 + (step.loop == nullptr ? 0 : static_cast<size_t>(step.loop->register_count()));
  }
  return count;
}

}  // namespace

bool SmallLoop::Helps(const Function& condition, const Function& body) {
  return InstructionCount(condition) + InstructionCount(body) <= kInstructionsMax;
}

SmallLoop::SmallLoop(Run& run, const Function& condition, const Function& body) : run_(run) {
  invariant_leaf_.assign(body.parameter_slots.size(), false);
  for (size_t i = 0; i < invariant_leaf_.size(); ++i) {
    const int32_t slot = body.parameter_slots[i];
    const bool written = std::any_of(body.steps.begin(), body.steps.end(), [&](const Step& step) {
      return std::find(step.out.begin(), step.out.end(), slot) != step.out.end();
    });
    invariant_leaf_[i] = body.result_source[i] == static_cast<int32_t>(i) && !written;
  }
  condition_ = BoundOf(condition);
  body_ = BoundOf(body);
}

uint8_t* SmallLoop::Cell(int64_t bytes) {
  bytes = Padded(bytes);
  if (bytes > free_bytes_) {
    free_bytes_ = std::max(bytes, kMemoryStep);
    memory_.push_back(std::make_unique<uint8_t[]>(free_bytes_ + kMicroPadding));
    free_ = memory_.back().get();
    free_ += (kMicroPadding - reinterpret_cast<uintptr_t>(free_) % kMicroPadding) % kMicroPadding;
  }
  uint8_t* cell = free_;
  free_ += bytes;
  free_bytes_ -= bytes;
  return cell;
}

// Temporaries lie in the arena, each padded; constants and the loop's state get padded copies.
SmallLoop::Bound SmallLoop::BoundOf(const Function& function) {
  Bound bound;
  bound.function = &function;
  uint8_t** slots = run_.slots(function);
  bound.slots.assign(slots, slots + function.slots.size());
  bound.invariant.assign(function.slots.size(), false);
  for (size_t s = 0; s < function.slots.size(); ++s) {
    const Slot& slot = function.slots[s];
    bound.padded.push_back(slot.kind == Slot::Kind::kTemporary || IsSmall(slot.bytes));
    if (slot.kind != Slot::Kind::kConstant) continue;
    bound.invariant[s] = true;
    if (!IsSmall(slot.bytes)) continue;
    bound.slots[s] = Cell(slot.bytes);
    std::memcpy(bound.slots[s], slot.data, static_cast<size_t>(slot.bytes));
  }
  for (size_t i = 0; i < function.parameter_slots.size(); ++i) {
    const int32_t slot = function.parameter_slots[i];
    if (slot >= 0) bound.invariant[slot] = invariant_leaf_[i];
  }
  return bound;
}

void SmallLoop::TakeLeaves(const Leaves& from, bool copy, Leaves& cells) {
  cells = from;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t bytes = body_.function->parameter_types[i].bytes;
    if (!IsSmall(bytes) || from[i] == nullptr) continue;
    cells[i] = Cell(bytes);
    if (copy) std::memcpy(cells[i], from[i], static_cast<size_t>(bytes));
  }
}

SmallLoop::Place SmallLoop::BindInput(const Bound& bound, const Step& step,
                                      const LoopProgram::Register& reg,
                                      std::vector<MicroOp>& ops) {
  const int32_t slot = step.in[reg.array];
  uint8_t* array = bound.slots[slot];
  const int64_t bytes = Padded(step.elements * reg.width);
  if (reg.kind == LoopProgram::Kind::kDirect) {
    const int64_t at = reg.view.offset * reg.width;
    const bool inside = at + bytes <= Padded(bound.function->slots[slot].bytes);
    return {array + at, bound.padded[slot] && inside};
  }
  uint8_t* cell = Cell(bytes);
  const auto splat = MicroOps().splat(reg.width);
  const uint8_t* element = array + reg.view.offset * reg.width;
  if (bound.invariant[slot]) {
    LoadView(reg.view, reg.width, array, 0, step.elements, cell);
  } else if (reg.kind == LoopProgram::Kind::kSplat && splat != nullptr) {
    const int64_t vectors = (step.elements * reg.width + MicroOps().vector_bytes - 1) /
                            MicroOps().vector_bytes;
    ops.push_back({splat, element, nullptr, cell, vectors});
    last_ = vectors == 1 ? cell : nullptr;
  } else {
    loads_.push_back({&reg, array, step.elements, cell});
    BindThunk(
        [](void* context) {
          const LoadCall& load = *static_cast<const LoadCall*>(context);
          LoadView(load.reg->view, load.reg->width, load.array, 0, load.count, load.out);
          return true;
        },
        &loads_.back(), ops);
  }
  return {cell, true};
}

void SmallLoop::BindCall(const MicroCall& call, std::vector<MicroOp>& ops) {
  calls_.push_back(call);
  ops.push_back({MicroOps().call, &calls_.back(), nullptr, call.out, 0});
  last_ = nullptr;
}

void SmallLoop::BindThunk(bool (*function)(void*), void* context, std::vector<MicroOp>& ops) {
  thunks_.push_back({function, context});
  ops.push_back({MicroOps().thunk, &thunks_.back(), nullptr, nullptr, 0});
  last_ = nullptr;
}

void SmallLoop::BindOperation(const LoopProgram::Operation& operation,
                              const std::vector<Place>& places, int64_t elements, int64_t bytes,
                              std::vector<MicroOp>& ops) {
  const MicroTable& micro = MicroOps();
  const Place out = places[operation.out];
  const Place a = operation.a < 0 ? Place{} : places[operation.a];
  const Place b = operation.b < 0 ? Place{} : places[operation.b];
  const int64_t vectors = (bytes + micro.vector_bytes - 1) / micro.vector_bytes;
  void (*function)() = nullptr;
  if (a.padded && b.padded && out.padded && operation.c < 0) {
    const MicroOperands operands = a.at == last_   ? MicroOperands::kFirstIsLast
                                   : b.at == last_ ? MicroOperands::kSecondIsLast
                                                   : MicroOperands::kMemory;
    function = micro.binary(operation.kernel.run, operands, vectors == 1);
  }
  if (function == nullptr) {
    const uint8_t* c = operation.c < 0 ? nullptr : places[operation.c].at;
    return BindCall({operation.kernel, a.at, b.at, c, out.at, elements}, ops);
  }
  ops.push_back({function, a.at, b.at, out.at, vectors});
  last_ = vectors == 1 ? out.at : nullptr;
}

void SmallLoop::BindLoop(const Bound& bound, const Step& step, std::vector<MicroOp>& ops) {
  const LoopProgram& loop = *step.loop;
  std::vector<Place> places(loop.registers().size());
  for (size_t r = 0; r < places.size(); ++r) {
    const LoopProgram::Register& reg = loop.registers()[r];
    if (reg.array >= 0) {
      places[r] = BindInput(bound, step, reg, ops);
    } else if (reg.kind == LoopProgram::Kind::kLine) {
      places[r] = {Cell(step.elements * reg.width), true};
      LoopProgram::FillLine(reg, 0, step.elements, places[r].at);
    } else if (reg.output >= 0) {
      const int32_t slot = step.out[reg.output];
      places[r] = {bound.slots[slot], bound.padded[slot]};
    } else {
      places[r] = {Cell(step.elements * reg.width), true};
    }
  }
  for (const LoopProgram::Operation& operation : loop.operations()) {
    const int64_t bytes = step.elements * loop.registers()[operation.out].width;
    BindOperation(operation, places, step.elements, bytes, ops);
  }
  for (size_t o = 0; o < loop.outputs().size(); ++o) {
    const LoopProgram::Register& reg = loop.registers()[loop.outputs()[o]];
    if (reg.output == static_cast<int>(o)) continue;
    BindCall({CopyKernel(reg.width), places[loop.outputs()[o]].at, nullptr, nullptr,
              bound.slots[step.out[o]], step.elements},
             ops);
  }
}

void SmallLoop::BindStep(const Bound& bound, const Step& step, std::vector<MicroOp>& ops) {
  StepCall& call = steps_.emplace_back();
  call.step = &step, call.run = &run_, call.status = &status_;
  for (int32_t slot : step.in) call.in.push_back(slot < 0 ? nullptr : bound.slots[slot]);
  for (int32_t slot : step.out) call.out.push_back(slot < 0 ? nullptr : bound.slots[slot]);
  BindThunk(
      [](void* context) {
        StepCall& c = *static_cast<StepCall*>(context);
        absl::Status status = c.step->run(*c.run, c.in.data(), c.out.data());
        if (status.ok()) return true;
        *c.status = std::move(status);
        return false;
      },
      &call, ops);
}

void SmallLoop::BindSteps(const Bound& bound, std::vector<MicroOp>& ops) {
  last_ = nullptr;
  for (const Step& step : bound.function->steps) {
    if (step.loop != nullptr && step.elements > 0 && step.elements <= LoopProgram::kBlock) {
      BindLoop(bound, step, ops);
    } else {
      BindStep(bound, step, ops);
    }
  }
}

// The condition's last comparison ends the program itself.
void SmallLoop::BindEnd(const uint8_t* holds, std::vector<MicroOp>& ops) {
  const MicroTable& micro = MicroOps();
  if (!ops.empty() && ops.back().run == micro.call) {
    const MicroCall& call = *static_cast<const MicroCall*>(ops.back().a);
    const auto end = call.out == holds ? micro.end_with(call.kernel.run) : nullptr;
    if (end != nullptr) {
      ops.back() = {end, call.a, call.b, nullptr, 0};
      return;
    }
  }
  ops.push_back({micro.end, holds, nullptr, nullptr, 0});
}

SmallLoop::Chain SmallLoop::Bind(const Leaves& from, const Leaves& to) {
  Leaves after = from;
  const Function& body = *body_.function;
  for (size_t i = 0; i < from.size(); ++i) {
    if (body.parameter_slots[i] >= 0) body_.slots[body.parameter_slots[i]] = from[i];
    if (body.result_source[i] >= 0) continue;
    after[i] = to[i];
    if (body.result_slots[i] >= 0) body_.slots[body.result_slots[i]] = to[i];
  }
  const Function& condition = *condition_.function;
  for (size_t i = 0; i < after.size(); ++i) {
    if (condition.parameter_slots[i] >= 0) condition_.slots[condition.parameter_slots[i]] = after[i];
  }
  uint8_t* holds = condition_.slots[condition.result_slots[0]] = Cell(1);
  Chain chain;
  BindSteps(body_, chain.ops);
  chain.condition = chain.ops.size();
  BindSteps(condition_, chain.ops);
  BindEnd(holds, chain.ops);
  return chain;
}

absl::Status SmallLoop::Execute(Leaves& now, Leaves& next) {
  const std::vector<int32_t>& sources = body_.function->result_source;
  const bool alternates =
      std::any_of(sources.begin(), sources.end(), [](int32_t source) { return source < 0; });
  Leaves state[2];
  TakeLeaves(now, true, state[0]);
  TakeLeaves(next, false, state[1]);
  for (size_t i = 0; i < now.size(); ++i) {
    if (sources[i] >= 0) state[1][i] = state[0][i];  // stays where it is
  }
  Chain chains[2] = {Bind(state[0], state[1])};
  if (alternates) chains[1] = Bind(state[1], state[0]);
  const MicroTable& micro = MicroOps();
  // The chain that ends in the state that a first step begins with.
  const Chain& first = chains[alternates ? 1 : 0];
  bool more = micro.run(first.ops.data() + first.condition);
  size_t at = 0;
  while (more) {
    if (--run_.steps_left < 0) return run_.ChargeSteps(0);
    more = micro.run(chains[at].ops.data());
    if (alternates) at = 1 - at;
  }
  HLOCTS_RETURN_IF_ERROR(status_);
  for (size_t i = 0; i < now.size(); ++i) {
    const size_t in = sources[i] < 0 ? at : 0;
    const int64_t bytes = body_.function->parameter_types[i].bytes;
    if (IsSmall(bytes) && now[i] != nullptr) {
      std::memcpy(now[i], state[in][i], static_cast<size_t>(bytes));
    } else if (in == 1) {
      std::swap(now[i], next[i]);
    }
  }
  return absl::OkStatus();
}

}  // namespace hlocts::cpu
