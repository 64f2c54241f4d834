// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/ops/device_collective.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "backends/engine/cuda/compile/reduce_plan.h"
#include "spec/ops/kinds.h"

namespace hlocts::cuda {
namespace {

std::optional<int32_t> KindOf(Opcode opcode) {
  const std::optional<ops::Collective> collective = ops::CollectiveOf(opcode);
  if (!collective.has_value()) return std::nullopt;
  switch (*collective) {
    case ops::Collective::kAllReduce:
      return kReduceToAll;
    case ops::Collective::kReduceScatter:
      return kReduceToParts;
    case ops::Collective::kAllGather:
      return kGather;
    case ops::Collective::kAllToAll:
      return kExchange;
    case ops::Collective::kCollectivePermute:
    case ops::Collective::kCollectiveBroadcast:
      return kPermute;
    case ops::Collective::kRaggedAllToAll:  // on the host
      return std::nullopt;
  }
  HLOCTS_UNREACHABLE();
}

// A library's sums are of the array's own type, and its minimum of floats may pass over a NaN.
std::optional<int32_t> ReductionOf(const plan::Graph& body, PrimitiveType type) {
  const auto ops = KnownBody(body);
  if (!ops.has_value() || ops->size() != 1 || BitWidth(type) < 8) return std::nullopt;
  const bool is_integer = IsSigned(type) || IsUnsigned(type);
  const bool is_float = type == PrimitiveType::kF32 || type == PrimitiveType::kF64;
  if (!is_float && (!is_integer || BitWidth(type) == 16)) return std::nullopt;
  switch ((*ops)[0]) {
    case hl::kOpAdd:
      return kReduceSum;
    case hl::kOpMultiply:
      return kReduceProduct;
    case hl::kOpMinimum:
      return is_integer ? std::optional<int32_t>(kReduceMinimum) : std::nullopt;
    case hl::kOpMaximum:
      return is_integer ? std::optional<int32_t>(kReduceMaximum) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::atomic<int64_t> device_collectives{0};

// [outer, parts, inner] of an array cut along a dimension, read as [parts, outer, inner], or back.
plan::View Turned(const plan::ArrayType& whole, int64_t dimension, int64_t parts, bool back) {
  int64_t outer = 1;
  for (int64_t d = 0; d < dimension; ++d) outer *= whole.dimensions[d];
  const int64_t inner = whole.elements / (outer * parts);
  plan::View view;
  if (back) {
    view.dimensions = {{outer, inner}, {parts, outer * inner}, {inner, 1}};
  } else {
    view.dimensions = {{parts, inner}, {outer, parts * inner}, {inner, 1}};
  }
  return view;
}

absl::Status Move(Run& run, const plan::View& from, const plan::ArrayType& type, const void* in,
                  void* out) {
  hl::BoxArgs box = {};
  box.bytes = type.width();
  HLOCTS_ASSIGN_OR_RETURN(box.from, DeviceView(from));
  HLOCTS_ASSIGN_OR_RETURN(box.to, DeviceView(plan::View::Dense({type.elements})));
  box.in = in;
  box.out = out;
  return run.Launch(hl::kBoxKernel, box, type.elements);
}

}  // namespace

int64_t DeviceCollectives() { return device_collectives; }

std::optional<DeviceCollective> DeviceCollective::Of(const OpContext& context,
                                                     const plan::CollectivePlan& plan) {
  const std::optional<int32_t> kind = KindOf(context.node.opcode);
  if (!kind.has_value() || context.node.operands.size() != context.node.outputs.size()) {
    return std::nullopt;
  }
  DeviceCollective result;
  result.plan_ = plan;
  result.kind_ = *kind;
  result.is_broadcast_ = context.node.opcode == Opcode::kCollectiveBroadcast;
  for (size_t k = 0; k < context.node.operands.size(); ++k) {
    result.in_.push_back(context.in(k));
    result.out_.push_back(context.out(k));
    if (context.in(k).elements == 0 || context.out(k).elements == 0) return std::nullopt;
  }
  if (context.source().Has(Attr::kDimensions) && *kind != kReduceToAll && *kind != kPermute) {
    result.dimension_ = context.source().IntList(Attr::kDimensions)[0];
  }
  if (*kind != kReduceToAll && *kind != kReduceToParts) return result;
  for (const plan::ArrayType& type : result.in_) {
    const auto reduction = ReductionOf(context.called(0), type.type);
    if (!reduction.has_value()) return std::nullopt;
    result.reductions_.push_back(*reduction);
  }
  return result;
}

bool DeviceCollective::FitsArray(size_t k, int64_t members) const {
  switch (kind_) {
    case kGather:
      return out_[k].elements == in_[k].elements * members;
    case kReduceToParts:
      return in_[k].elements == out_[k].elements * members;
    case kExchange:
      return dimension_ >= 0 ? in_[k].dimensions[dimension_] % members == 0
                             : static_cast<int64_t>(in_.size()) == members && in_[k] == in_[0];
    default:
      return true;
  }
}

// The same answer for every member.
bool DeviceCollective::Fits(const std::vector<int64_t>& group, const Run& run) const {
  const size_t members = group.size();
  if (run.devices < 2 || members < 2 || members > kMembersMax) return false;
  std::set<int64_t> devices;
  for (int64_t member : group) devices.insert(member % run.devices);
  if (devices.size() != members) return false;
  for (size_t k = 0; k < in_.size(); ++k) {
    if (!FitsArray(k, static_cast<int64_t>(members))) return false;
  }
  int32_t sources[kMembersMax];
  return kind_ != kPermute || SetSources(group, run, sources);
}

// Whose operands each member gets.
bool DeviceCollective::SetSources(const std::vector<int64_t>& group, const Run& run,
                                  int32_t* sources) const {
  std::fill_n(sources, group.size(), is_broadcast_ ? 0 : -1);
  if (is_broadcast_) return true;
  for (const auto& [source, target] : plan_.pairs) {
    const plan::Communicator& world = *run.world;
    const int64_t from = plan::DevicesOf(plan_.mode, world, run.device_number, source)[0];
    const int64_t to = plan::DevicesOf(plan_.mode, world, run.device_number, target)[0];
    const auto giver = std::find(group.begin(), group.end(), from);
    const auto taker = std::find(group.begin(), group.end(), to);
    if (giver == group.end() || taker == group.end()) return false;
    sources[taker - group.begin()] = static_cast<int32_t>(giver - group.begin());
  }
  return true;
}

CollectiveCall DeviceCollective::CallFor(size_t k, const std::vector<int64_t>& group,
                                         const Run& run) const {
  CollectiveCall call = {};
  call.kind = kind_;
  call.members = static_cast<int32_t>(group.size());
  call.count = in_[k].bytes;
  if (kind_ == kExchange && dimension_ >= 0) call.count /= call.members;
  if (kind_ == kReduceToAll) call.count = in_[k].elements;
  if (kind_ == kReduceToParts) call.count = out_[k].elements;
  if (!reductions_.empty()) {
    call.reduction = reductions_[k];
    call.type = TypeNumber(in_[k].type);
  }
  if (kind_ == kPermute) SetSources(group, run, call.sources);
  return call;
}

// What the member gives; null: the operand as it is.
absl::StatusOr<Buffer> DeviceCollective::Packed(Run& run, size_t k, int64_t members, In in) const {
  if (IsOfOperands()) {
    HLOCTS_ASSIGN_OR_RETURN(Buffer all, run.Allocate(members * in_[0].bytes));
    for (int64_t m = 0; m < members; ++m) {
      char* to = static_cast<char*>(all->data()) + m * in_[0].bytes;
      HLOCTS_RETURN_IF_ERROR(run.device().Copy(to, in[m], in_[0].bytes));
    }
    return all;
  }
  if (kind_ != kReduceToParts && kind_ != kExchange) return Buffer();
  HLOCTS_ASSIGN_OR_RETURN(Buffer turned, run.Allocate(in_[k].bytes));
  HLOCTS_RETURN_IF_ERROR(Move(run, Turned(in_[k], dimension_, members, /*back=*/false), in_[k],
                              in[k], turned->data()));
  return turned;
}

absl::Status DeviceCollective::Unpack(Run& run, size_t k, int64_t members, const void* packed,
                                      Out out) const {
  if (packed == out[k] && !IsOfOperands()) return absl::OkStatus();
  if (!IsOfOperands()) {
    return Move(run, Turned(out_[k], dimension_, members, /*back=*/true), out_[k], packed, out[k]);
  }
  for (int64_t m = 0; m < members; ++m) {
    const char* from = static_cast<const char*>(packed) + m * in_[0].bytes;
    HLOCTS_RETURN_IF_ERROR(run.device().Copy(out[m], from, in_[0].bytes));
  }
  return absl::OkStatus();
}

// The first member's thread speaks for all: pointers are theirs, first what they give, then where
// they get theirs.
absl::Status DeviceCollective::Meet(Run& run, const std::vector<int64_t>& group,
                                    const std::vector<const void*>& from,
                                    const std::vector<void*>& to) const {
  std::vector<const uint8_t*> pointers;
  for (const void* pointer : from) pointers.push_back(static_cast<const uint8_t*>(pointer));
  for (void* pointer : to) pointers.push_back(static_cast<const uint8_t*>(pointer));
  std::vector<int32_t> devices;
  for (int64_t member : group) devices.push_back(static_cast<int32_t>(member % run.devices));
  const auto collect = [&](absl::Span<const plan::In> all, size_t position) -> absl::Status {
    for (size_t k = 0; position == 0 && k < from.size(); ++k) {
      std::vector<const void*> in;
      std::vector<void*> out;
      for (plan::In member : all) {
        in.push_back(member[k]);
        out.push_back(const_cast<uint8_t*>(member[from.size() + k]));
      }
      HLOCTS_RETURN_IF_ERROR(
          run.device().Collect(CallFor(k, group, run), devices.data(), in.data(), out.data()));
      ++device_collectives;
    }
    return absl::OkStatus();
  };
  return run.world->Meet(run.device_number, plan_.site, group, plan_.name, pointers.data(),
                         collect);
}

absl::StatusOr<bool> DeviceCollective::operator()(Run& run, const std::vector<int64_t>& group,
                                                  In in, Out out) const {
  if (run.device().index() < 0 || !Fits(group, run)) return false;
  const int64_t members = static_cast<int64_t>(group.size());
  std::vector<Buffer> memory;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (size_t k = 0; k < calls(); ++k) {
    HLOCTS_ASSIGN_OR_RETURN(Buffer packed, Packed(run, k, members, in));
    from.push_back(packed != nullptr ? packed->data() : in[k]);
    to.push_back(out[k]);
    memory.push_back(std::move(packed));
    const bool turns = kind_ == kGather || kind_ == kExchange;
    if (!turns) continue;
    const int64_t bytes = IsOfOperands() ? members * in_[0].bytes : out_[k].bytes;
    HLOCTS_ASSIGN_OR_RETURN(memory.emplace_back(), run.Allocate(bytes));
    to.back() = memory.back()->data();
  }
  HLOCTS_RETURN_IF_ERROR(Meet(run, group, from, to));
  for (size_t k = 0; k < calls(); ++k) {
    HLOCTS_RETURN_IF_ERROR(Unpack(run, k, members, to[k], out));
  }
  return true;
}

}  // namespace hlocts::cuda
