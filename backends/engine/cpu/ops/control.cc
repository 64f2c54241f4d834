// SPDX-License-Identifier: Apache-2.0
// Calls, while loops and conditionals. No iteration copies the entire state of a loop: leaves that
// the body forwards are not copied, leaves that it updates in place keep their buffer, and other
// leaves alternate between two buffers.
#include <cstring>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/small_loop/small_loop.h"
#include "spec/ir/module.h"

namespace hlocts::cpu {
namespace {

void CopyLeaf(const plan::ArrayType& type, const uint8_t* from, uint8_t* to) {
  if (type.bytes > 0 && from != to) std::memcpy(to, from, static_cast<size_t>(type.bytes));
}

void SetParameters(Run& run, const Function& function, In in) {
  for (size_t i = 0; i < function.parameter_slots.size(); ++i) {
    run.SetParameter(function, i, const_cast<uint8_t*>(in[i]));
  }
}

absl::Status CallWith(Run& run, const Function& function, In in, Out out) {
  SetParameters(run, function, in);
  for (size_t r = 0; r < function.result_slots.size(); ++r) run.SetResult(function, r, out[r]);
  return run.Execute(function);
}

}  // namespace

absl::StatusOr<StepDraft> MakeCall(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const Function* function,
                          context.compiler.Compile(context.called(0), {}, AliasMode::kNone));
  context.compiler.NoteCall(*function);
  StepDraft draft;
  draft.run = [function](Run& run, In in, Out out) { return CallWith(run, *function, in, out); };
  return draft;
}

namespace {

class WhileStep {
 public:
  WhileStep(const Function& condition, const Function& body, bool small)
      : condition_(condition),
        body_(body),
        small_(small && SmallLoop::IsProfitable(condition, body)),
        types_(body.parameter_types) {
    for (size_t i = 0; i < types_.size(); ++i) {
      if (body_.result_source[i] < 0) second_bytes_ += Aligned(types_[i].bytes);
    }
  }

  absl::Status operator()(Run& run, In in, Out out) const {
    const size_t count = types_.size();
    std::vector<uint8_t*> now(count), next(count);
    std::unique_ptr<uint8_t[]> second(second_bytes_ > 0 ? new uint8_t[second_bytes_] : nullptr);
    uint8_t* free = second.get();
    for (size_t i = 0; i < count; ++i) {
      now[i] = out[i];
      if (out[i] == nullptr) {
        now[i] = const_cast<uint8_t*>(in[i]);  // is never written, because the body forwards it
      } else {
        CopyLeaf(types_[i], in[i], out[i]);
      }
      next[i] = free;
      if (body_.result_source[i] < 0) free += Aligned(types_[i].bytes);
    }
    if (small_) {
      HLOCTS_RETURN_IF_ERROR(SmallLoop(run, condition_, body_).Execute(now, next));
    } else {
      HLOCTS_RETURN_IF_ERROR(Walk(run, now, next));
    }
    for (size_t i = 0; i < count; ++i) {
      if (out[i] != nullptr) CopyLeaf(types_[i], now[i], out[i]);
    }
    return absl::OkStatus();
  }

 private:
  static int64_t Aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

  // Executes condition and body as functions. Is used for loops that do not use SmallLoop.
  absl::Status Walk(Run& run, std::vector<uint8_t*>& now, std::vector<uint8_t*>& next) const {
    uint8_t holds = 0;
    while (true) {
      SetParameters(run, condition_, now.data());
      run.SetResult(condition_, 0, &holds);
      HLOCTS_RETURN_IF_ERROR(run.Execute(condition_));
      if (holds == 0) return absl::OkStatus();
      HLOCTS_RETURN_IF_ERROR(run.ChargeSteps(1));
      SetParameters(run, body_, now.data());
      for (size_t i = 0; i < now.size(); ++i) run.SetResult(body_, i, next[i]);
      HLOCTS_RETURN_IF_ERROR(run.Execute(body_));
      for (size_t i = 0; i < now.size(); ++i) {
        if (body_.result_source[i] < 0) std::swap(now[i], next[i]);
      }
    }
  }

  const Function& condition_;
  const Function& body_;
  bool small_;
  std::vector<plan::ArrayType> types_;
  int64_t second_bytes_ = 0;
};

}  // namespace

absl::StatusOr<StepDraft> MakeWhile(const OpContext& context) {
  const Computation* condition = context.source().CalledComputation(Attr::kCondition);
  const Computation* body = context.source().CalledComputation(Attr::kBody);
  if (condition == nullptr || body == nullptr) {
    return InvalidInput(context.name(), ": while: expected a condition and a body");
  }
  // called_computations() has the order of the attributes in the text.
  const bool condition_first = context.source().called_computations()[0] == condition;
  plan::Graph& condition_graph = context.called(condition_first ? 0 : 1);
  plan::Graph& body_graph = context.called(condition_first ? 1 : 0);
  HLOCTS_ASSIGN_OR_RETURN(const Function* tests,
                          context.compiler.Compile(condition_graph, {}, AliasMode::kNone));
  std::vector<std::pair<int, int>> aliases;
  for (size_t i = 0; i < context.node.operands.size(); ++i) {
    aliases.push_back({static_cast<int>(i), static_cast<int>(i)});
  }
  HLOCTS_ASSIGN_OR_RETURN(const Function* works,
                          context.compiler.Compile(body_graph, aliases, AliasMode::kSameLeaf));
  context.compiler.NoteCall(*tests);
  context.compiler.NoteCall(*works);
  StepDraft draft;
  for (size_t i = 0; i < context.node.operands.size(); ++i) {
    draft.in_place.push_back({static_cast<int>(i), static_cast<int>(i)});
    if (works->ForwardsParameter(i)) draft.forwarded_operands.push_back(static_cast<int>(i));
  }
  draft.run =
      WhileStep(*tests, *works, !context.compiler.options().disabled.contains("small-loops"));
  return draft;
}

namespace {

struct Branch {
  const Function* function;
  size_t first_operand;
};

// Reorders the branches from the order of the attributes to that of the operands: true, false.
void PutTrueFirst(const Instruction& conditional, std::vector<Branch>& branches) {
  const Computation* on_true = conditional.CalledComputation(Attr::kTrueComputation);
  if (on_true == nullptr || conditional.called_computations()[0] == on_true) return;
  std::swap(branches[0], branches[1]);
  branches[0].first_operand = 1;
  branches[1].first_operand = 1 + branches[0].function->parameter_slots.size();
}

}  // namespace

// An index outside the N branches selects the last branch. A true predicate selects the first one.
absl::StatusOr<StepDraft> MakeConditional(const OpContext& context) {
  std::vector<Branch> branches;
  size_t operand = 1;
  for (plan::Graph* called : context.node.called) {
    HLOCTS_ASSIGN_OR_RETURN(const Function* function,
                            context.compiler.Compile(*called, {}, AliasMode::kNone));
    context.compiler.NoteCall(*function);
    branches.push_back({function, operand});
    operand += function->parameter_slots.size();
  }
  if (branches.empty() || operand != context.node.operands.size()) {
    return InvalidInput(context.name(), ": expected one operand for each branch");
  }
  const bool is_pred = context.in(0).type == PrimitiveType::kPred;
  if (is_pred && branches.size() == 2) PutTrueFirst(context.source(), branches);
  StepDraft draft;
  draft.run = [branches, is_pred](Run& run, In in, Out out) {
    size_t chosen = branches.size() - 1;
    if (is_pred) {
      chosen = in[0][0] != 0 ? 0 : chosen;
    } else {
      int32_t index;
      std::memcpy(&index, in[0], sizeof(index));
      if (index >= 0 && static_cast<size_t>(index) < branches.size()) {
        chosen = static_cast<size_t>(index);
      }
    }
    return CallWith(run, *branches[chosen].function, in + branches[chosen].first_operand, out);
  };
  return draft;
}

}  // namespace hlocts::cpu
