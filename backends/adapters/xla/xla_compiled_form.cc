// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/xla/xla_compiled_form.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace hlocts::xla_plugin {
namespace {

using Dimensions = std::vector<int64_t>;

// The dimensions from the one that lies outermost in memory to the innermost.
Dimensions MajorToMinor(const xla::ShapeProto& shape) {
  Dimensions order(shape.dimensions_size());
  std::iota(order.begin(), order.end(), 0);
  const auto& minor_to_major = shape.layout().minor_to_major();
  if (minor_to_major.size() == shape.dimensions_size()) {
    std::copy(minor_to_major.rbegin(), minor_to_major.rend(), order.begin());
  }
  return order;
}

bool IsPlain(const xla::ShapeProto& shape) {
  return shape.element_type() != xla::TUPLE && shape.layout().tiles_size() == 0;
}

int64_t ElementCount(const xla::ShapeProto& shape) {
  int64_t count = 1;
  for (const int64_t size : shape.dimensions()) count *= size;
  return count;
}

int BitsOf(xla::PrimitiveType type) {
  return type == xla::PRED ? 8 : xla::primitive_util::BitWidth(type);
}

xla::ShapeProto RowMajor(xla::PrimitiveType type, const Dimensions& dimensions) {
  return xla::ShapeUtil::MakeShape(type, dimensions).ToProto();
}

Dimensions Permuted(const xla::ShapeProto& shape, const Dimensions& order) {
  Dimensions dimensions;
  for (const int64_t d : order) dimensions.push_back(shape.dimensions(d));
  return dimensions;
}

bool IsIdentity(const Dimensions& order) { return std::is_sorted(order.begin(), order.end()); }

// Writes what a bitcast means in operations that know no layouts: the operand as it lies in memory,
// those bytes as other elements in other dimensions, and the result whose memory that is.
class BitcastUndoer {
 public:
  BitcastUndoer(xla::HloInstructionProto* bitcast, const xla::ShapeProto& operand, int64_t* next_id)
      : bitcast_(bitcast), next_id_(next_id), shape_(operand), id_(bitcast->operand_ids(0)) {}

  // What has to stand before the instruction, which becomes the last step itself.
  std::vector<xla::HloInstructionProto> Undo() {
    const xla::ShapeProto result = bitcast_->shape();
    const xla::PrimitiveType to = result.element_type();
    const Dimensions from_order = MajorToMinor(shape_), to_order = MajorToMinor(result);
    Transpose(from_order);
    if (shape_.element_type() != to) ConvertTo(to);
    Reshape(Permuted(result, to_order));
    Dimensions back(to_order.size());
    for (size_t i = 0; i < to_order.size(); ++i) back[to_order[i]] = static_cast<int64_t>(i);
    Transpose(back);
    Finish(result);
    return std::move(steps_);
  }

 private:
  void Step(const char* opcode, xla::ShapeProto shape) {
    xla::HloInstructionProto& step = steps_.emplace_back();
    step.set_id((*next_id_)++);
    step.set_name(bitcast_->name() + "." + opcode + "." + std::to_string(step.id()));
    step.set_opcode(opcode);
    *step.mutable_shape() = std::move(shape);
    step.add_operand_ids(id_);
    id_ = step.id();
    shape_ = step.shape();
  }

  void Transpose(const Dimensions& order) {
    if (IsIdentity(order)) return;
    Step("transpose", RowMajor(shape_.element_type(), Permuted(shape_, order)));
    steps_.back().mutable_dimensions()->Assign(order.begin(), order.end());
  }

  void Reshape(const Dimensions& dimensions) {
    if (std::equal(dimensions.begin(), dimensions.end(), shape_.dimensions().begin(),
                   shape_.dimensions().end())) {
      return;
    }
    Step("reshape", RowMajor(shape_.element_type(), dimensions));
  }

  // Elements of another width make or take a dimension of their own.
  void ConvertTo(xla::PrimitiveType to) {
    const int from_bits = BitsOf(shape_.element_type()), to_bits = BitsOf(to);
    Dimensions dimensions(shape_.dimensions().begin(), shape_.dimensions().end());
    if (from_bits < to_bits) {
      const int64_t ratio = to_bits / from_bits;
      dimensions = {ElementCount(shape_) / ratio, ratio};
      Reshape(dimensions);
      dimensions.pop_back();
    } else if (from_bits > to_bits) {
      dimensions.push_back(from_bits / to_bits);
    }
    Step("bitcast-convert", RowMajor(to, dimensions));
  }

  // The last step under the id that others know; a bitcast that does nothing is a copy.
  void Finish(const xla::ShapeProto& result) {
    if (steps_.empty()) Step("copy", result);
    xla::HloInstructionProto last = std::move(steps_.back());
    steps_.pop_back();
    bitcast_->set_opcode(last.opcode());
    *bitcast_->mutable_dimensions() = last.dimensions();
    bitcast_->set_operand_ids(0, last.operand_ids(0));
  }

  xla::HloInstructionProto* bitcast_;
  int64_t* next_id_;
  xla::ShapeProto shape_;  // of what has been made so far
  int64_t id_;
  std::vector<xla::HloInstructionProto> steps_;
};

bool IsWhole(const xla::ShapeProto& operand, const xla::ShapeProto& result) {
  return IsPlain(operand) && IsPlain(result) &&
         ElementCount(operand) * BitsOf(operand.element_type()) ==
             ElementCount(result) * BitsOf(result.element_type());
}

void UndoFusion(xla::HloInstructionProto* instruction) {
  instruction->set_opcode("call");
  instruction->clear_fusion_kind();
  instruction->clear_backend_config();
}

void UndoComputation(xla::HloComputationProto* computation, int64_t* next_id) {
  computation->clear_is_fusion_computation();
  std::unordered_map<int64_t, xla::ShapeProto> shapes;
  for (const xla::HloInstructionProto& instruction : computation->instructions()) {
    shapes[instruction.id()] = instruction.shape();
  }
  google::protobuf::RepeatedPtrField<xla::HloInstructionProto> undone;
  for (xla::HloInstructionProto& instruction : *computation->mutable_instructions()) {
    if (instruction.opcode() == "fusion") UndoFusion(&instruction);
    if (instruction.opcode() == "bitcast" && instruction.operand_ids_size() == 1) {
      const auto operand = shapes.find(instruction.operand_ids(0));
      if (operand != shapes.end() && IsWhole(operand->second, instruction.shape())) {
        for (xla::HloInstructionProto& step :
             BitcastUndoer(&instruction, operand->second, next_id).Undo()) {
          *undone.Add() = std::move(step);
        }
      }
    }
    *undone.Add() = std::move(instruction);
  }
  computation->mutable_instructions()->Swap(&undone);
}

int64_t FreeId(const xla::HloModuleProto& module) {
  int64_t id = 0;
  for (const xla::HloComputationProto& computation : module.computations()) {
    for (const xla::HloInstructionProto& instruction : computation.instructions()) {
      id = std::max(id, instruction.id());
    }
  }
  return id + 1;
}

}  // namespace

void UndoCompiledForm(xla::HloModuleProto* module) {
  module->clear_schedule();
  int64_t next_id = FreeId(*module);
  for (xla::HloComputationProto& computation : *module->mutable_computations()) {
    UndoComputation(&computation, &next_id);
  }
}

}  // namespace hlocts::xla_plugin
