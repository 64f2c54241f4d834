#include "backends/cpu/function_builder.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/cpu/float_control.h"
#include "backends/cpu/kernels/thread_pool.h"
#include "backends/cpu/kernels/transpose.h"
#include "backends/plan/arena.h"

namespace hlocts::cpu {
namespace {

using plan::Node;
using plan::NodeId;
using plan::ValueId;

StepFunction CopyStep(int64_t bytes) {
  return [bytes](Run&, In in, Out out) {
    if (bytes > 0 && in[0] != out[0]) std::memcpy(out[0], in[0], static_cast<size_t>(bytes));
    return absl::OkStatus();
  };
}

// A copy whose neighbours in the result do not lie side by side in the operand goes piece by piece,
// so that lines and pages that were read are used before they leave: transposes.
class TiledCopy {
 public:
  static constexpr int64_t kColumns = 32, kRows = 512;  // of a piece

  explicit TiledCopy(const plan::View& view) : view_(view) {
    const size_t rank = view_.dimensions.size();
    if (rank < 2 || view_.dimensions[rank - 1].stride == 1 ||
        view_.dimensions[rank - 1].stride == 0) {
      return;
    }
    for (size_t d = 0; d + 1 < rank; ++d) {
      if (view_.dimensions[d].stride == 1) column_ = static_cast<int64_t>(d);
    }
    inner_ = view_.dimensions[rank - 1].size;
  }
  bool helps() const {
    return column_ >= 0 && view_.dimensions[column_].size >= 8 && inner_ >= 8;
  }
  // For each index of the other dimensions: kRows places along the innermost one at a time, of
  // these kColumns places along the column dimension.
  int64_t pieces() const { return view_.elements() / inner_ / columns() * strips() * blocks(); }
  int64_t piece_elements() const { return kColumns * std::min(kRows, inner_); }

  template <typename T>
  void RunPieces(const uint8_t* array, int64_t begin, int64_t end, uint8_t* out) const {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t first = piece % strips() * kColumns, at = piece / strips() % blocks() * kRows;
      int64_t left = piece / strips() / blocks(), from = view_.offset, to = at, out_stride = inner_;
      int64_t column_stride = 0;
      for (int64_t d = static_cast<int64_t>(view_.dimensions.size()) - 2; d >= 0; --d) {
        const plan::ViewDimension& dimension = view_.dimensions[d];
        const int64_t index = d == column_ ? first : left % dimension.size;
        if (d == column_) {
          column_stride = out_stride;
        } else {
          left /= dimension.size;
        }
        from += index * dimension.stride;
        to += index * out_stride;
        out_stride *= dimension.size;
      }
      const int64_t stride = view_.dimensions.back().stride;
      Turn(reinterpret_cast<const T*>(array) + from + at * stride, stride,
           std::min(kRows, inner_ - at), std::min(kColumns, columns() - first),
           reinterpret_cast<T*>(out) + to, column_stride);
    }
  }

 private:
  int64_t columns() const { return view_.dimensions[column_].size; }
  int64_t strips() const { return (columns() + kColumns - 1) / kColumns; }
  int64_t blocks() const { return (inner_ + kRows - 1) / kRows; }

  template <typename T>
  static void Turn(const T* from, int64_t stride, int64_t rows, int64_t columns, T* to,
                   int64_t to_stride) {
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
      const kernels::TransposeRequest request = {sizeof(T), rows, columns, from, stride, to,
                                                 to_stride};
      if (kernels::Transpose(request).ok()) return;
    }
    for (int64_t r = 0; r < rows; r += kColumns) {
      for (int64_t c = 0; c < columns; ++c) {
        for (int64_t i = r; i < std::min(rows, r + kColumns); ++i) {
          to[c * to_stride + i] = from[i * stride + c];
        }
      }
    }
  }

  plan::View view_;
  int64_t column_ = -1, inner_ = 0;
};

struct Wide {
  uint64_t low, high;
};

// The elements of the view, dense, by as many threads as it is worth.
StepFunction ViewCopy(const plan::View& view, int width, int64_t elements,
                      const kernels::Parallel& parallel) {
  const TiledCopy tiled(view);
  if (elements == 0 || !tiled.helps()) {
    return [=](Run&, In in, Out out) {
      parallel.For(
          elements, 0.5,
          [&](int64_t begin, int64_t end) {
            LoadView(view, width, in[0], begin, end - begin, out[0] + begin * width);
          },
          LoopProgram::kBlock);
      return absl::OkStatus();
    };
  }
  return [=](Run&, In in, Out out) {
    const double cost = 0.5 * static_cast<double>(tiled.piece_elements());
    parallel.For(tiled.pieces(), cost, [&](int64_t begin, int64_t end) {
      switch (width) {
        case 1:
          return tiled.RunPieces<uint8_t>(in[0], begin, end, out[0]);
        case 2:
          return tiled.RunPieces<uint16_t>(in[0], begin, end, out[0]);
        case 4:
          return tiled.RunPieces<uint32_t>(in[0], begin, end, out[0]);
        case 8:
          return tiled.RunPieces<uint64_t>(in[0], begin, end, out[0]);
        default:
          return tiled.RunPieces<Wide>(in[0], begin, end, out[0]);
      }
    });
    return absl::OkStatus();
  };
}

}  // namespace

int32_t FunctionBuilder::NewBuffer(const plan::ArrayType& type) {
  Buffer buffer;
  buffer.bytes = type.bytes;
  buffers_.push_back(buffer);
  return static_cast<int32_t>(buffers_.size()) - 1;
}

absl::Status FunctionBuilder::Build(const std::vector<std::pair<int, int>>& aliases,
                                    Handover handover) {
  for (ValueId parameter : graph_.parameters) {
    function_.parameter_types.push_back(graph_.type(parameter));
  }
  for (ValueId result : graph_.results) function_.result_types.push_back(graph_.type(result));
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!graph_.nodes[n].removed) HLOCTS_RETURN_IF_ERROR(EmitNode(static_cast<NodeId>(n)));
  }
  PlaceResults(handover);
  DropUnread();
  if (!compiler_.options().disabled.contains("indices")) FuseIndices();
  if (!compiler_.options().disabled.contains("rows")) GroupRows();
  FindLifetimes();
  if (!compiler_.options().disabled.contains("in-place")) ReuseInPlace(aliases);
  return PlaceTemporaries();
}

absl::Status FunctionBuilder::EmitNode(NodeId id) {
  const Node& node = graph_.nodes[id];
  switch (KindOf(graph_, node)) {
    case NodeKind::kLeaf: {
      const ValueId value = node.outputs[0];
      if (graph_.type(value).type == PrimitiveType::kToken) return absl::OkStatus();
      const int32_t buffer = buffer_of_[value] = NewBuffer(graph_.type(value));
      const bool is_parameter = node.opcode == Opcode::kParameter;
      buffers_[buffer].kind = is_parameter ? Buffer::Kind::kParameter : Buffer::Kind::kConstant;
      buffers_[buffer].parameter = node.parameter;
      if (!is_parameter) buffers_[buffer].data = graph_.constants[node.constant].raw_data();
      return absl::OkStatus();
    }
    case NodeKind::kIota:
    case NodeKind::kView: {
      const ValueId value = node.outputs[0];
      if (fusion_.is_dense(value)) EmitCopy(value, fusion_.ViewSourceOf(value));
      return absl::OkStatus();
    }
    case NodeKind::kReshape:
      if (fusion_.is_dense(node.outputs[0])) {
        buffer_of_[node.outputs[0]] = buffer_of_[node.operands[0]];
      }
      return absl::OkStatus();
    case NodeKind::kElementwise:
      return fusion_.loop_of(id) == id ? EmitLoop(id) : absl::OkStatus();
    case NodeKind::kStructured:
      return EmitStructured(node);
  }
  return absl::OkStatus();
}

// Where the source's elements stand. An iota's line is written when somebody first asks for it.
int32_t FunctionBuilder::BufferOf(const Source& source) {
  if (!source.is_line) return buffer_of_[source.base];
  if (line_of_[source.base] < 0) EmitLine(source.base);
  return line_of_[source.base];
}

// 0, 1, 2, ... in the iota's type, with one rounding; integers wrap.
void FunctionBuilder::EmitLine(ValueId value) {
  const Node& node = graph_.producer(value);
  const plan::ArrayType& whole = graph_.type(value);
  plan::ArrayType type = whole;
  const int64_t size = whole.dimensions[node.source->IntOr(Attr::kIotaDimension, 0)];
  type.bytes = size * whole.width();
  line_of_[value] = NewBuffer(type);
  const Kernel line = LineKernel(whole.type);
  Draft draft;
  draft.is_copy = true;
  draft.out = {line_of_[value]};
  draft.step.run = [size, line](Run&, In, Out out) {
    const int64_t first = 0;
    line(&first, nullptr, nullptr, out[0], size);
    return absl::OkStatus();
  };
  drafts_.push_back(std::move(draft));
}

void FunctionBuilder::EmitCopy(ValueId value, const Source& source) {
  const plan::ArrayType& type = graph_.type(value);
  Draft draft;
  draft.is_copy = true;
  draft.in = {BufferOf(source)};
  draft.out = {buffer_of_[value] = NewBuffer(type)};
  draft.step.run = ViewCopy(source.view.Simplified(), type.width(), type.elements,
                            kernels::Parallel(compiler_.options().threads));
  drafts_.push_back(std::move(draft));
}

int FunctionBuilder::OperandRegister(ValueId operand, int64_t elements, LoopProgram& loop,
                                     std::vector<int32_t>& arrays) {
  const ValueId stripped = fusion_.Strip(operand);
  if (register_of_[stripped] >= 0) return register_of_[stripped];
  const Source source = fusion_.SourceOf(operand);
  const plan::ArrayType& type = graph_.type(operand);
  if (source.is_line && type.elements == elements && LoopProgram::IsLineInOrder(source.view)) {
    return loop.AddLine(LineKernel(type.type), source.view, type.width());
  }
  const int32_t buffer = BufferOf(source);
  auto found = std::find(arrays.begin(), arrays.end(), buffer);
  if (found == arrays.end()) found = arrays.insert(found, buffer);
  const plan::View view = type.elements == elements
                              ? source.view
                              : plan::View::Splat(source.view.offset, elements);
  return loop.AddInput(static_cast<int>(found - arrays.begin()), view, type.width());
}

absl::Status FunctionBuilder::EmitLoop(NodeId root) {
  auto loop = std::make_shared<LoopProgram>();
  const ValueId result = graph_.nodes[root].outputs[0];
  const plan::ArrayType& type = graph_.type(result);
  register_of_.resize(graph_.values.size(), -1);
  Draft draft;
  for (NodeId member : fusion_.members(root)) {
    const Node& node = graph_.nodes[member];
    int registers[3] = {-1, -1, -1};
    for (size_t k = 0; k < node.operands.size(); ++k) {
      const int64_t elements = graph_.type(node.operands[k]).elements;
      if (elements != type.elements && elements != 1) {
        return InvalidInput(node.source->name(), ": operand ", k, " has ", elements,
                            " elements, the result ", type.elements);
      }
      registers[k] = OperandRegister(node.operands[k], type.elements, *loop, draft.in);
    }
    const plan::ArrayType& out = graph_.type(node.outputs[0]);
    const size_t values = node.opcode == Opcode::kSelect ? 1 : 0;
    HLOCTS_ASSIGN_OR_RETURN(
        const Kernel kernel,
        ResolveKernel(*node.source,
                      {graph_.type(node.operands[values]).type, out.type,
                       static_cast<int>(node.operands.size())},
                      compiler_.options().math));
    register_of_[node.outputs[0]] =
        loop->AddOperation(kernel, registers[0], registers[1], registers[2], out.width());
  }
  loop->AddOutput(register_of_[result]);
  for (NodeId member : fusion_.members(root)) register_of_[graph_.nodes[member].outputs[0]] = -1;
  loop->Finish();
  draft.out = {buffer_of_[result] = NewBuffer(type)};
  for (size_t k = 0; k < draft.in.size(); ++k) {
    if (loop->ReadsInPlace(static_cast<int>(k), type.width())) {
      draft.step.in_place.push_back({0, static_cast<int>(k)});
    }
  }
  const int64_t elements = type.elements;
  draft.step.rows.loop = loop;
  draft.step.rows.elements = elements;
  draft.step.rows.width = type.width();
  const kernels::Parallel parallel(compiler_.options().threads);
  const double cost = loop->cost_ns();
  draft.step.run = [loop, elements, parallel, cost](Run&, In in, Out out) {
    if (elements <= LoopProgram::kBlock) {
      loop->Run(in, out, 0, elements);
    } else {
      parallel.For(
          elements, cost, [&](int64_t begin, int64_t end) { loop->Run(in, out, begin, end); },
          LoopProgram::kBlock);
    }
    return absl::OkStatus();
  };
  drafts_.push_back(std::move(draft));
  return absl::OkStatus();
}

namespace {

// Where one flushed number would change a whole feature, row or matrix, none is.
bool KeepsSubnormals(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
      return true;
    default:
      return false;
  }
}
StepFunction KeepingSubnormals(StepFunction run) {
  return [run = std::move(run)](Run& state, In in, Out out) {
    const ScopedFlush keep(false);
    return run(state, in, out);
  };
}

}  // namespace

absl::Status FunctionBuilder::EmitStructured(const Node& node) {
  if (node.opcode == Opcode::kAfterAll) return absl::OkStatus();
  Draft draft;
  HLOCTS_ASSIGN_OR_RETURN(draft.step, MakeStep({compiler_, graph_, node, fusion_}));
  if (KeepsSubnormals(node.opcode)) draft.step.run = KeepingSubnormals(std::move(draft.step.run));
  for (ValueId operand : node.operands) {
    const bool laid_out = fusion_.is_dense(operand);
    draft.in.push_back(laid_out ? buffer_of_[operand] : BufferOf(fusion_.SourceOf(operand)));
  }
  for (int k : draft.step.unread) draft.in[k] = -1;
  for (ValueId output : node.outputs) {
    const bool is_token = graph_.type(output).type == PrimitiveType::kToken;
    if (!is_token) buffer_of_[output] = NewBuffer(graph_.type(output));
    draft.out.push_back(buffer_of_[output]);
  }
  drafts_.push_back(std::move(draft));
  return absl::OkStatus();
}

// Copies and loops whose results nobody looks at after all.
void FunctionBuilder::DropUnread() {
  for (size_t d = drafts_.size(); d-- > 0;) {
    const Draft& draft = drafts_[d];
    const bool may_go = draft.is_copy || draft.step.rows.loop != nullptr;
    if (may_go && !IsReadOutside(draft.out[0], d, d + 1)) {
      drafts_.erase(drafts_.begin() + static_cast<int64_t>(d));
    }
  }
}

// The draft computes operand `made` itself, if nobody else needs what a loop would write there.
bool FunctionBuilder::FuseIndicesOf(size_t d) {
  const int made = drafts_[d].step.made;
  if (made < 0) return false;
  const int32_t buffer = drafts_[d].in[made];
  size_t maker = drafts_.size();
  int64_t readers = buffers_[buffer].result >= 0 ? 1 : 0;
  for (size_t other = 0; other < drafts_.size(); ++other) {
    const Draft& draft = drafts_[other];
    if (draft.out.size() == 1 && draft.out[0] == buffer) maker = other;
    readers += std::count(draft.in.begin(), draft.in.end(), buffer);
  }
  if (maker >= d || readers != 1 || drafts_[maker].step.rows.loop == nullptr) return false;
  Draft &step = drafts_[d], &loop = drafts_[maker];
  const size_t first = step.in.size();
  step.in[made] = -1;
  step.in.insert(step.in.end(), loop.in.begin(), loop.in.end());
  step.step.run = step.step.with_loop(loop.step.rows.loop, first);
  drafts_.erase(drafts_.begin() + static_cast<int64_t>(maker));
  return true;
}

// Indices that are computed need not be written out before they are used.
void FunctionBuilder::FuseIndices() {
  for (size_t d = 0; d < drafts_.size(); ++d) {
    if (FuseIndicesOf(d)) --d;  // what made them stood before
  }
}

// Every result leaf gets a buffer of its own: the one it was computed in, or a copy.
void FunctionBuilder::PlaceResults(Handover handover) {
  function_.result_source.assign(graph_.results.size(), -1);
  for (size_t r = 0; r < graph_.results.size(); ++r) {
    const int32_t buffer = buffer_of_[graph_.results[r]];
    if (buffer < 0) continue;  // a token
    const Buffer& source = buffers_[buffer];
    const int32_t number = static_cast<int32_t>(r);
    const bool stays = handover == Handover::kAnyLeaf ||
                       (handover == Handover::kSameLeaf && source.parameter == number);
    if (source.kind == Buffer::Kind::kParameter && stays) {
      function_.result_source[r] = source.parameter;
    } else if (source.kind == Buffer::Kind::kWritten && source.result < 0) {
      buffers_[buffer].result = number;
    } else {
      Draft copy;
      copy.step.run = CopyStep(source.bytes);
      copy.in = {buffer};
      const plan::ArrayType type = graph_.type(graph_.results[r]);
      copy.out = {NewBuffer(type)};
      buffers_[copy.out[0]].result = number;
      drafts_.push_back(std::move(copy));
    }
  }
}

void FunctionBuilder::FindLifetimes() {
  const int32_t end = static_cast<int32_t>(drafts_.size());
  for (int32_t s = 0; s < end; ++s) {
    for (int32_t buffer : drafts_[s].in) {
      if (buffer >= 0) buffers_[buffer].last = s;
    }
    for (int32_t buffer : drafts_[s].out) {
      if (buffer < 0) continue;
      buffers_[buffer].first = s;
      buffers_[buffer].last = std::max(buffers_[buffer].last, s);
    }
  }
  for (Buffer& buffer : buffers_) {
    if (buffer.result >= 0) buffer.last = end;
    const bool is_result = buffer.kind == Buffer::Kind::kParameter &&
                           std::find(function_.result_source.begin(),
                                     function_.result_source.end(),
                                     buffer.parameter) != function_.result_source.end();
    if (is_result) buffer.last = end;
  }
}

int32_t FunctionBuilder::StorageOf(int32_t buffer) const {
  while (buffers_[buffer].storage >= 0) buffer = buffers_[buffer].storage;
  return buffer;
}

bool FunctionBuilder::TakeOver(int32_t out, int32_t in, int32_t step,
                               const std::vector<std::pair<int, int>>& aliases) {
  if (out < 0 || in < 0 || buffers_[in].last != step || buffers_[out].bytes != buffers_[in].bytes ||
      buffers_[out].bytes == 0) {
    return false;
  }
  const int32_t storage = StorageOf(in);
  Buffer& memory = buffers_[storage];
  if (memory.kind == Buffer::Kind::kConstant) return false;
  if (memory.kind == Buffer::Kind::kParameter) {
    const std::pair<int, int> pair = {memory.parameter, buffers_[out].result};
    if (std::find(aliases.begin(), aliases.end(), pair) == aliases.end()) return false;
    function_.result_source[pair.second] = pair.first;
  } else {
    memory.result = std::max(memory.result, buffers_[out].result);
  }
  buffers_[out].storage = storage;
  memory.last = std::max(memory.last, buffers_[out].last);
  return true;
}

// A result takes over the memory of an operand that nobody reads after the step.
void FunctionBuilder::ReuseInPlace(const std::vector<std::pair<int, int>>& aliases) {
  for (int32_t s = 0; s < static_cast<int32_t>(drafts_.size()); ++s) {
    Draft& draft = drafts_[s];
    std::vector<bool> given(draft.out.size(), false), taken(draft.in.size(), false);
    for (const auto& [result, operand] : draft.step.in_place) {
      const int32_t in = draft.in[operand], out = draft.out[result];
      if (given[result] || taken[operand] || in < 0) continue;
      const auto same = std::count_if(draft.in.begin(), draft.in.end(), [&](int32_t other) {
        return other >= 0 && StorageOf(other) == StorageOf(in);
      });
      if (same > 1) continue;
      given[result] = taken[operand] = TakeOver(out, in, s, aliases);
    }
  }
}

int32_t FunctionBuilder::SlotOf(int32_t buffer) {
  if (buffer < 0) return -1;
  const int32_t storage = StorageOf(buffer);
  if (slot_of_[storage] >= 0) return slot_of_[storage];
  const Buffer& memory = buffers_[storage];
  Slot slot;
  slot.data = memory.data;
  slot.bytes = memory.bytes;
  slot.kind = memory.kind == Buffer::Kind::kParameter  ? Slot::Kind::kParameter
              : memory.kind == Buffer::Kind::kConstant ? Slot::Kind::kConstant
              : memory.result >= 0                     ? Slot::Kind::kResult
                                                       : Slot::Kind::kTemporary;
  function_.slots.push_back(slot);
  return slot_of_[storage] = static_cast<int32_t>(function_.slots.size()) - 1;
}

absl::Status FunctionBuilder::PlaceTemporaries() {
  slot_of_.assign(buffers_.size(), -1);
  const int64_t guard = compiler_.options().guard ? kGuardBytes : 0;
  std::vector<plan::Lifetime> lifetimes;
  std::vector<int32_t> owners;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const int32_t buffer = static_cast<int32_t>(b);
    // What stays inside a step has no memory here.
    const bool is_used = buffers_[b].first >= 0 || buffers_[b].kind != Buffer::Kind::kWritten;
    if (!is_used || StorageOf(buffer) != buffer) continue;
    const int32_t slot = SlotOf(buffer);
    if (function_.slots[slot].kind != Slot::Kind::kTemporary) continue;
    lifetimes.push_back({buffers_[b].bytes + 2 * guard, buffers_[b].first, buffers_[b].last});
    owners.push_back(slot);
  }
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].first < lifetimes[b].first; });
  std::vector<plan::Lifetime> sorted;
  for (size_t i : order) sorted.push_back(lifetimes[i]);
  HLOCTS_ASSIGN_OR_RETURN(const plan::ArenaPlan arena,
                          plan::PlanArena(sorted, compiler_.options().memory_bytes_max));
  for (size_t i = 0; i < order.size(); ++i) {
    function_.slots[owners[order[i]]].offset = arena.offsets[i] + guard;
  }
  function_.temporary_bytes = arena.bytes;
  for (ValueId parameter : graph_.parameters) {
    function_.parameter_slots.push_back(SlotOf(buffer_of_[parameter]));
  }
  function_.result_slots.assign(graph_.results.size(), -1);
  for (size_t b = 0; b < buffers_.size(); ++b) {
    if (buffers_[b].result >= 0) {
      function_.result_slots[buffers_[b].result] = SlotOf(static_cast<int32_t>(b));
    }
  }
  for (Draft& draft : drafts_) {
    Step step;
    step.run = std::move(draft.step.run);
    step.loop = std::move(draft.step.rows.loop);
    step.elements = draft.step.rows.elements;
    for (int32_t buffer : draft.in) step.in.push_back(SlotOf(buffer));
    for (int32_t buffer : draft.out) step.out.push_back(SlotOf(buffer));
    function_.steps.push_back(std::move(step));
  }
  return absl::OkStatus();
}

}  // namespace hlocts::cpu
