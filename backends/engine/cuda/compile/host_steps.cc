// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/host_steps.h"

#include <algorithm>

#include "backends/engine/cuda/compile/op_list.h"
#include "spec/ops/kinds.h"

namespace hlocts::cuda {
namespace {

// The run whose step this thread executes, and the first error of that step's calls.
struct Caller {
  Run* run;
  absl::Status status = absl::OkStatus();
};
thread_local Caller* t_caller = nullptr;

absl::Status CallOnce(Run& run, const Function& function, const hl::Value* arguments,
                      hl::Value* results) {
  std::vector<Buffer> in;
  for (const plan::ArrayType& type : function.parameter_types) {
    HLOCTS_ASSIGN_OR_RETURN(in.emplace_back(), run.Allocate(type.bytes));
    hl::Store(TypeNumber(type.type), in.back()->data(), 0, arguments[in.size() - 1]);
  }
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<Buffer> out, run.Call(function, std::move(in)));
  for (size_t r = 0; r < out.size(); ++r) {
    results[r] = hl::Load(TypeNumber(function.result_types[r].type), out[r]->data(), 0);
  }
  return absl::OkStatus();
}

// After an error, returns zeros: the calling loop continues, and its results are discarded.
void CallFunction(const void* what, const hl::Value* arguments, hl::Value* results) {
  const Function& function = *static_cast<const Function*>(what);
  Caller& caller = *t_caller;
  if (caller.status.ok()) caller.status = CallOnce(*caller.run, function, arguments, results);
  if (!caller.status.ok()) std::fill_n(results, function.result_types.size(), hl::Value());
}

absl::Status WorkOnHost(const Work& work, Run& host, In in, Out out) {
  Caller caller = {&host};
  Caller* const outer = std::exchange(t_caller, &caller);
  const absl::Status status = work(host, in, out);
  t_caller = outer;
  HLOCTS_RETURN_IF_ERROR(caller.status);
  return status;
}

}  // namespace

HostCopies::HostCopies(const OpContext& context) {
  for (size_t k = 0; k < context.node.operands.size(); ++k) {
    in_bytes_.push_back(context.in(k).bytes);
  }
  for (size_t k = 0; k < context.node.outputs.size(); ++k) {
    out_bytes_.push_back(context.out(k).bytes);
  }
}

absl::Status HostCopies::Run(cuda::Run& run, In in, Out out, Work work) const {
  std::vector<std::vector<uint8_t>> operands, results;
  std::vector<const uint8_t*> from;
  std::vector<uint8_t*> to;
  for (size_t k = 0; k < in_bytes_.size(); ++k) {
    HLOCTS_ASSIGN_OR_RETURN(operands.emplace_back(), ToHost(run, in[k], in_bytes_[k]));
    from.push_back(in[k] == nullptr ? nullptr : operands.back().data());
  }
  for (size_t k = 0; k < out_bytes_.size(); ++k) {
    results.emplace_back(static_cast<size_t>(out_bytes_[k]) + 1);
    to.push_back(out[k] == nullptr ? nullptr : results.back().data());
  }
  HLOCTS_RETURN_IF_ERROR(work(from.data(), to.data()));
  for (size_t k = 0; k < out_bytes_.size(); ++k) {
    if (out[k] == nullptr) continue;
    HLOCTS_RETURN_IF_ERROR(run.device().Upload(out[k], results[k].data(), out_bytes_[k]));
  }
  return absl::OkStatus();
}

bool NeedsHost(const OpContext& context) {
  const Opcode opcode = context.node.opcode;
  const bool reduces = ops::IsOneOf(
      ops::SynchronousOpcode(opcode),
      {Opcode::kReduce, Opcode::kReduceWindow, Opcode::kAllReduce, Opcode::kReduceScatter});
  const bool calls_on_elements =
      reduces || ops::IsOneOf(opcode, {Opcode::kMap, Opcode::kSelectAndScatter, Opcode::kScatter,
                                       Opcode::kSort});
  return calls_on_elements &&
         std::any_of(context.node.called.begin(), context.node.called.end(),
                     [](const plan::Graph* graph) { return !IsStraightLine(*graph); });
}

absl::StatusOr<StepDraft> MakeHostStep(const OpContext& context) {
  Compiler& host = context.compiler.OnHost();
  HLOCTS_ASSIGN_OR_RETURN(StepDraft step, MakeStep({host, context.graph, context.node}));
  StepDraft draft;
  if (context.compiler.is_on_host()) {
    draft.work = [work = std::move(step.work)](Run& run, In in, Out out) {
      return WorkOnHost(work, run, in, out);
    };
    return draft;
  }
  draft.work = [copies = HostCopies(context), work = std::move(step.work)](Run& run, In in,
                                                                           Out out) {
    return copies.Run(run, in, out, [&](plan::In from, uint8_t* const* to) {
      Run host(SharedHostDevice(), run);
      const absl::Status status =
          WorkOnHost(work, host, reinterpret_cast<In>(from), reinterpret_cast<Out>(to));
      static_cast<RunState&>(run) = host;
      return status;
    });
  };
  return draft;
}

absl::StatusOr<std::vector<hl::Instr>> CallingProgram(const Function& function,
                                                      absl::Span<const hl::Instr> sources) {
  const size_t results = function.result_types.size();
  if (sources.size() + results > hl::kRegistersMax) {
    return Unsupported("computation ", function.name, ": ", sources.size(), " arguments");
  }
  std::vector<hl::Instr> code(sources.begin(), sources.end());
  for (size_t k = 0; k < code.size(); ++k) code[k].dst = static_cast<int>(k);
  hl::Instr call;
  call.op = hl::kOpCalled;
  call.dst = static_cast<int>(sources.size());
  call.imm[0] = reinterpret_cast<hl::i64>(&CallFunction);
  call.imm[1] = reinterpret_cast<hl::i64>(&function);
  code.push_back(call);
  for (size_t r = 0; r < results; ++r) {
    hl::Instr result;
    result.op = hl::kOpResult;
    result.a = call.dst + static_cast<int>(r);
    result.to = TypeNumber(function.result_types[r].type);
    result.imm[0] = static_cast<hl::i64>(r);
    code.push_back(result);
  }
  return code;
}

}  // namespace hlocts::cuda
