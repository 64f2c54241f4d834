// SPDX-License-Identifier: Apache-2.0
// Converts the steps of a small loop to instructions on fixed addresses.
#include "backends/engine/cpu/loops/load_view.h"
#include "backends/engine/cpu/moves/box_move.h"
#include "backends/engine/cpu/small_loop/small_loop.h"

namespace hlocts::cpu {

SmallLoop::Place SmallLoop::BindInput(const Bound& bound, const Step& step,
                                      const LoopProgram::Register& reg, Chain& chain) {
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
    const int64_t vectors =
        (step.elements * reg.width + MicroOps().vector_bytes - 1) / MicroOps().vector_bytes;
    chain.Add({splat, element, nullptr, cell, vectors});
  } else {
    loads_.push_back({&reg, array, step.elements, cell});
    BindThunk(
        [](void* context) {
          const LoadCall& load = *static_cast<const LoadCall*>(context);
          LoadView(load.reg->view, load.reg->width, load.array, 0, load.count, load.out);
          return true;
        },
        &loads_.back(), chain);
  }
  return {cell, true};
}

void SmallLoop::BindCall(const MicroCall& call, Chain& chain) {
  calls_.push_back(call);
  chain.Add({MicroOps().call, &calls_.back(), nullptr, call.out, 0});
}

void SmallLoop::BindThunk(bool (*function)(void*), void* context, Chain& chain) {
  thunks_.push_back({function, context, &run_.steps_left});
  chain.Add({MicroOps().thunk, &thunks_.back(), nullptr, nullptr, 0});
}

void SmallLoop::BindOperation(const LoopProgram::Operation& operation,
                              const std::vector<Place>& places, int64_t elements, int64_t bytes,
                              Chain& chain) {
  const MicroTable& micro = MicroOps();
  const Place out = places[operation.out];
  const Place a = operation.a < 0 ? Place{} : places[operation.a];
  const Place b = operation.b < 0 ? Place{} : places[operation.b];
  const int64_t vectors = (bytes + micro.vector_bytes - 1) / micro.vector_bytes;
  const bool whole = a.padded && b.padded && out.padded && operation.c < 0;
  if (!whole || micro.binary(operation.kernel.run, MicroOperands::kMemory, true) == nullptr) {
    const uint8_t* c = operation.c < 0 ? nullptr : places[operation.c].at;
    return BindCall({operation.kernel, a.at, b.at, c, out.at, elements}, chain);
  }
  chain.Add({nullptr, a.at, b.at, out.at, vectors}, operation.kernel.run);
}

void SmallLoop::BindLoop(const Bound& bound, const Step& step, Chain& chain) {
  const LoopProgram& loop = *step.loop;
  std::vector<Place> places(loop.registers().size());
  for (size_t r = 0; r < places.size(); ++r) {
    const LoopProgram::Register& reg = loop.registers()[r];
    if (reg.array >= 0) {
      places[r] = BindInput(bound, step, reg, chain);
    } else if (reg.kind == LoopProgram::Kind::kLine) {
      places[r] = {Cell(step.elements * reg.width), true};
      reg.line(&reg.view.offset, nullptr, nullptr, places[r].at, step.elements);
    } else if (reg.output >= 0) {
      const int32_t slot = step.out[reg.output];
      places[r] = {bound.slots[slot], bound.padded[slot]};
    } else {
      places[r] = {Cell(step.elements * reg.width), true};
    }
  }
  for (const LoopProgram::Operation& operation : loop.operations()) {
    const int64_t bytes = step.elements * loop.registers()[operation.out].width;
    BindOperation(operation, places, step.elements, bytes, chain);
  }
  for (size_t o = 0; o < loop.outputs().size(); ++o) {
    const LoopProgram::Register& reg = loop.registers()[loop.outputs()[o]];
    if (reg.output == static_cast<int>(o)) continue;
    BindCall({CopyKernel(reg.width), places[loop.outputs()[o]].at, nullptr, nullptr,
              bound.slots[step.out[o]], step.elements},
             chain);
  }
}

// Binds a slice or an update of one element as a single instruction.
bool SmallLoop::BindElement(const Bound& bound, const StepCall& call, Chain& chain) {
  const BoxMove& box = *call.step->box;
  const auto run =
      box.reads() ? MicroOps().element(box.width()) : MicroOps().put_element(box.width());
  MicroElement element;
  if (run == nullptr || !box.AsElement(call.in.data(), call.out.data(), element)) return false;
  if (box.reads() && !bound.padded[call.step->out[0]]) return false;
  elements_.push_back(element);
  chain.Add({run, &elements_.back(), box.reads() ? nullptr : call.in[1], call.out[0], 1});
  return true;
}

SmallLoop::StepCall& SmallLoop::CallOf(const Bound& bound, const Step& step) {
  StepCall& call = steps_.emplace_back();
  call.step = &step, call.run = &run_, call.status = &status_;
  for (int32_t slot : step.in) call.in.push_back(slot < 0 ? nullptr : bound.slots[slot]);
  for (int32_t slot : step.out) call.out.push_back(slot < 0 ? nullptr : bound.slots[slot]);
  return call;
}

void SmallLoop::BindStep(const Bound& bound, const Step& step, Chain& chain) {
  StepCall& call = CallOf(bound, step);
  if (step.box != nullptr && BindElement(bound, call, chain)) return;
  if (step.box != nullptr) {
    const auto move = [](void* context) {
      const StepCall& c = *static_cast<const StepCall*>(context);
      c.step->box->Run(c.in.data(), c.out.data());
      return true;
    };
    return BindThunk(move, &call, chain);
  }
  BindThunk(
      [](void* context) {
        StepCall& c = *static_cast<StepCall*>(context);
        absl::Status status = c.step->run(*c.run, c.in.data(), c.out.data());
        if (status.ok()) return true;
        *c.status = std::move(status);
        return false;
      },
      &call, chain);
}

void SmallLoop::BindSteps(const Bound& bound, Chain& chain) {
  for (const Step& step : bound.function->steps) {
    if (step.loop != nullptr && step.elements > 0 && step.elements <= LoopProgram::kBlock) {
      BindLoop(bound, step, chain);
    } else {
      BindStep(bound, step, chain);
    }
  }
}

// Binds the condition. If its last operation is a comparison for which an instruction exists, that
// instruction also branches.
void SmallLoop::BindCondition(const Leaves& state, MicroBranch& turn, Chain& chain) {
  const Function& condition = *condition_.function;
  for (size_t i = 0; i < state.size(); ++i) {
    if (condition.parameter_slots[i] >= 0)
      condition_.slots[condition.parameter_slots[i]] = state[i];
  }
  const uint8_t* holds = condition_.slots[condition.result_slots[0]] = Cell(1);
  BindSteps(condition_, chain);
  const MicroTable& micro = MicroOps();
  if (!chain.ops.empty() && chain.ops.back().run == micro.call) {
    const MicroCall& call = *static_cast<const MicroCall*>(chain.ops.back().a);
    const auto turn_if = call.out == holds ? micro.turn_if(call.kernel.run) : nullptr;
    if (turn_if != nullptr) {
      chain.ops.back() = {turn_if, call.a, call.b, &turn, 0};
      return;
    }
  }
  chain.Add({micro.turn, holds, nullptr, &turn, 0});
}

void SmallLoop::BindBackEdge(const Leaves& from, const Leaves& to, MicroBranch& turn,
                             Chain& chain) {
  Leaves after = from;
  const Function& body = *body_.function;
  for (size_t i = 0; i < from.size(); ++i) {
    if (body.parameter_slots[i] >= 0) body_.slots[body.parameter_slots[i]] = from[i];
    if (body.result_source[i] >= 0) continue;
    after[i] = to[i];
    if (body.result_slots[i] >= 0) body_.slots[body.result_slots[i]] = to[i];
  }
  BindSteps(body_, chain);
  BindCondition(after, turn, chain);
}

}  // namespace hlocts::cpu
