#include "backends/cpu/small_loop.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/load_view.h"
#include "backends/cpu/ops/box_move.h"

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
  for (size_t i = 0; i < invariant_leaf_.size(); ++i) invariant_leaf_[i] = body.HandsOn(i);
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
                                      Chain& chain) {
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

// A slice of one element is one instruction.
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

void SmallLoop::BindSteps(Bound& bound, Chain& chain) {
  const std::vector<Step>& steps = bound.function->steps;
  const size_t first_view = views_.size();
  for (size_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    if (step.loop != nullptr && step.elements > 0 && step.elements <= LoopProgram::kBlock) {
      BindLoop(bound, step, chain);
    } else if (StandsInPlace(*bound.function, s)) {
      BindView(bound, step, chain);
    } else {
      BindStep(bound, step, chain);
    }
  }
  for (size_t v = first_view; v < views_.size(); ++v) FindReaders(views_[v]);
}

// The condition's last comparison decides itself whether to turn.
void SmallLoop::BindCondition(const Leaves& state, MicroTurn& turn, Chain& chain) {
  const Function& condition = *condition_.function;
  for (size_t i = 0; i < state.size(); ++i) {
    if (condition.parameter_slots[i] >= 0) condition_.slots[condition.parameter_slots[i]] = state[i];
  }
  const uint8_t* holds = condition_.slots[condition.result_slots[0]] = Cell(1);
  BindSteps(condition_, chain);
  const MicroTable& micro = MicroOps();
  if (!chain.ops.empty() && chain.ops.back().run == micro.call) {
    const MicroCall& call = *static_cast<const MicroCall*>(chain.ops.back().a);
    const auto turn_if = call.out == holds ? micro.turn_if(call.kernel.run) : nullptr;
    if (turn_if != nullptr) {
      chain.ops.back() = {turn_if, call.a, call.b, &turn, 0};
      chain.compares = call.kernel.run;
      return BringAddition(chain);
    }
  }
  chain.Add({micro.turn, holds, nullptr, &turn, 0});
}

void SmallLoop::BindTurn(const Leaves& from, const Leaves& to, MicroTurn& turn, Chain& chain) {
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

namespace {

bool Overlap(const void* x, const void* y) {
  const auto a = reinterpret_cast<uintptr_t>(x), b = reinterpret_cast<uintptr_t>(y);
  return (a > b ? a - b : b - a) < kMicroPadding;
}
// Whether `op` may as well run before `other`, both on one vector.
bool Commute(const MicroOp& op, const MicroOp& other) {
  for (const void* place : {op.a, op.b, static_cast<const void*>(op.out)}) {
    if (Overlap(place, other.out)) return false;
  }
  return !Overlap(op.out, other.a) && !Overlap(op.out, other.b);
}

}  // namespace

void SmallLoop::BringAddition(Chain& chain) {
  const size_t end = chain.ops.size() - 1;
  size_t k = end;
  while (k > 0 && (chain.kernels[k - 1] == nullptr || chain.ops[k - 1].vectors != 1 ||
                   chain.ops[k - 1].out != chain.ops[end].a)) {
    --k;
    if (chain.kernels[k] == nullptr || chain.ops[k].vectors != 1) return;
  }
  if (k == 0) return;
  --k;
  for (size_t j = k + 1; j < end; ++j) {
    if (!Commute(chain.ops[j], chain.ops[k])) return;
  }
  std::rotate(chain.ops.begin() + k, chain.ops.begin() + k + 1, chain.ops.begin() + end);
  std::rotate(chain.kernels.begin() + k, chain.kernels.begin() + k + 1,
              chain.kernels.begin() + end);
}

MicroOperands SmallLoop::Registers::OperandsOf(const MicroOp& op) const {
  auto is = [](const void* place, const void* known) { return known != nullptr && place == known; };
  if (is(op.a, last)) return MicroOperands::kLastFirst;
  if (is(op.b, last)) return MicroOperands::kLastSecond;
  if (is(op.a, before)) return MicroOperands::kBeforeFirst;
  return is(op.b, before) ? MicroOperands::kBeforeSecond : MicroOperands::kMemory;
}

// What lay at the result's place before is no more.
void SmallLoop::Registers::Note(const void* result) {
  before = last == result ? nullptr : last;
  last = result;
}

void SmallLoop::Registers::NoteWriteInto(const MicroElement& element) {
  for (const void** place : {&last, &before}) {
    const uint8_t* at = static_cast<const uint8_t*>(*place);
    if (at >= element.array && at < element.array + element.bytes) *place = nullptr;
  }
}

void SmallLoop::Registers::Forget(const void* place) {
  if (last == place) last = nullptr;
  if (before == place) before = nullptr;
}

// Of a binary instruction; returns how many instructions it stands for.
size_t SmallLoop::SettleOne(Registers& registers, Chain& chain, size_t i) {
  const MicroTable& micro = MicroOps();
  MicroOp& op = chain.ops[i];
  const MicroOp& next = chain.ops[i + 1];
  const MicroOperands operands = registers.OperandsOf(op);
  const bool uses = next.a == op.out || next.b == op.out;
  if (op.vectors == 1 && uses && chain.kernels[i + 1] != nullptr && next.vectors == 1) {
    const bool second = operands == MicroOperands::kLastSecond ||
                        operands == MicroOperands::kBeforeSecond;
    const auto pair = micro.pair(chain.kernels[i], chain.kernels[i + 1],
                                 second ? MicroOperands::kMemory : operands, next.a == op.out);
    if (pair != nullptr) {
      op.run = pair;
      registers.Forget(op.out);
      registers.Note(next.out);
      return 2;
    }
  }
  const bool decides = i + 2 == chain.ops.size() && chain.compares != nullptr;
  if (op.vectors == 1 && decides && next.a == op.out) {
    const auto both = micro.add_and_turn_if(chain.kernels[i], chain.compares, operands);
    if (both != nullptr) {
      op.run = both;
      registers.Note(op.out);
      return 2;
    }
  }
  op.run = micro.binary(chain.kernels[i], operands, op.vectors == 1);
  if (op.vectors == 1) {
    registers.Note(op.out);
  } else {
    registers = {};
  }
  return 1;
}

namespace {

bool IsPut(const MicroOp& op) {
  for (int width : {1, 2, 4, 8}) {
    if (op.run == MicroOps().put_element(width)) return true;
  }
  return false;
}

}  // namespace

SmallLoop::Registers SmallLoop::Settle(Registers registers, Chain& chain) {
  const MicroTable& micro = MicroOps();
  chain.micro.first = chain.ops.data();
  chain.micro.last = registers.last;
  chain.micro.before = registers.before;
  // The last instruction hands registers on.
  for (size_t i = 0; i + 1 < chain.ops.size();) {
    const MicroOp& op = chain.ops[i];
    if (chain.kernels[i] != nullptr) {
      i += SettleOne(registers, chain, i);
      continue;
    }
    const bool splats = op.vectors == 1 && op.run != micro.call && op.run != micro.thunk;
    if (IsPut(op)) {
      registers.NoteWriteInto(*static_cast<const MicroElement*>(op.a));
    } else if (splats) {
      registers.Note(op.out);
    } else {
      registers = {};
    }
    ++i;
  }
  return registers;
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
  // The first test by itself, then a step from either state to the other.
  Chain test, entered, chains[2];
  entered.Add({MicroOps().end, nullptr, nullptr, &run_.steps_left, 0});
  const int other = alternates ? 1 : 0;
  int final_state = -1;
  int64_t* left = &run_.steps_left;
  MicroTurn start = {&entered.micro, left, 0, &final_state};
  MicroTurn turns[2] = {{&chains[other].micro, left, other, &final_state},
                        {&chains[0].micro, left, 0, &final_state}};
  BindCondition(state[0], start, test);
  BindTurn(state[0], state[other], turns[0], chains[0]);
  if (alternates) BindTurn(state[1], state[0], turns[1], chains[1]);
  const Registers after[2] = {Settle({}, chains[0]), Settle({}, chains[1])};
  Settle(after[other], chains[0]);
  Settle(after[0], chains[1]);
  Settle({}, test);
  Settle({}, entered);
  chains[0].micro.next = chains[other].ops.data();
  chains[1].micro.next = chains[0].ops.data();
  test.micro.next = entered.ops.data();
  MicroOps().run(test.micro, *left);
  if (status_.ok() && final_state < 0) MicroOps().run(chains[0].micro, *left);
  HLOCTS_RETURN_IF_ERROR(status_);
  if (*left < 0) return run_.ChargeSteps(0);
  for (size_t i = 0; i < now.size(); ++i) {
    if (invariant_leaf_[i]) continue;
    const int in = sources[i] < 0 ? final_state : 0;
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
