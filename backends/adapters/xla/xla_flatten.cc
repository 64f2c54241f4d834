// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/xla/xla_flatten.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "xla/debug_options_flags.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_input_output_alias_config.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace hlocts::xla_plugin {
namespace {

using xla::HloComputation;
using xla::HloInstruction;
using xla::HloModule;
using xla::HloSharding;
using xla::Shape;
using xla::ShapeIndex;

// Old parameter number and index of a leaf -> number of its new parameter.
using ParameterLeaves = std::map<std::pair<int64_t, ShapeIndex>, int64_t>;
// Old index of a result leaf -> its new index.
using ResultLeaves = std::map<ShapeIndex, ShapeIndex>;

class Wrapper {
 public:
  explicit Wrapper(HloModule* module)
      : module_(module), entry_(module->entry_computation()), builder_("flat_entry") {}

  absl::Status Build();
  std::vector<ParameterLeaf> TakeLeaves() { return std::move(leaves_); }

 private:
  HloInstruction* Parameter(int64_t number, const ShapeIndex& index, const Shape& shape);
  HloInstruction* Leaf(int64_t number, const ShapeIndex& index, const Shape& shape);
  HloInstruction* NewParameter(const Shape& shape);
  HloInstruction* DynamicLeaf(const Shape& shape);
  bool IsDynamic(int64_t parameter) const;
  void Result(const ShapeIndex& index, HloInstruction* value);
  HloInstruction* Root(HloInstruction* call);
  absl::Status MoveAliases(const xla::HloInputOutputAliasConfig& aliases,
                           const xla::HloBufferDonorConfig& donors);

  HloModule* module_;
  HloComputation* entry_;
  HloComputation::Builder builder_;
  ParameterLeaves parameter_leaves_;
  ResultLeaves result_leaves_;
  std::vector<HloInstruction*> results_;
  std::vector<ParameterLeaf> leaves_;
  size_t first_leaf_ = 0;  // Of the old parameter in hand.
  int64_t next_parameter_ = 0;
};

// The value of an old parameter's piece: that of a leaf, a tuple of pieces otherwise.
HloInstruction* Wrapper::Parameter(int64_t number, const ShapeIndex& index, const Shape& shape) {
  if (!shape.IsTuple()) return Leaf(number, index, shape);
  std::vector<HloInstruction*> pieces;
  for (int i = 0; i < shape.tuple_shapes().size(); ++i) {
    ShapeIndex inner = index;
    inner.push_back(i);
    pieces.push_back(Parameter(number, inner, shape.tuple_shapes(i)));
  }
  return builder_.AddInstruction(HloInstruction::CreateTuple(pieces));
}

HloInstruction* Wrapper::Leaf(int64_t number, const ShapeIndex& index, const Shape& shape) {
  const size_t place = leaves_.size() - first_leaf_;
  ParameterLeaf& leaf = leaves_.emplace_back();
  leaf.shape = shape;
  leaf.parameter = next_parameter_;
  if (shape.IsToken()) {
    leaf.kind = ParameterLeaf::kToken;
    return builder_.AddInstruction(HloInstruction::CreateToken());
  }
  leaf.kind = shape.is_dynamic() ? ParameterLeaf::kDynamic : ParameterLeaf::kArray;
  parameter_leaves_[{number, index}] = leaf.parameter;
  if (leaf.kind == ParameterLeaf::kDynamic) return DynamicLeaf(shape);
  HloInstruction* created = NewParameter(shape);
  const HloInstruction* old = entry_->parameter_instruction(number);
  if (const auto& replicated = old->parameter_replicated_at_leaf_buffers()) {
    if (place < replicated->size()) {
      created->set_parameter_replicated_at_leaf_buffers(std::vector<bool>(1, (*replicated)[place]));
    }
  }
  if (old->has_sharding()) {
    created->set_sharding(index.empty() ? old->sharding()
                                        : old->sharding().GetSubSharding(old->shape(), index));
  }
  return created;
}

HloInstruction* Wrapper::NewParameter(const Shape& shape) {
  const int64_t number = next_parameter_++;
  return builder_.AddInstruction(
      HloInstruction::CreateParameter(number, shape, absl::StrCat("leaf_", number)));
}

// XLA:CPU takes no array of a size told at run time; it takes one of the largest size and the size.
HloInstruction* Wrapper::DynamicLeaf(const Shape& shape) {
  Shape built = xla::ShapeUtil::MakeStaticShape(shape);
  HloInstruction* value = NewParameter(built);
  for (int i = 0; i < shape.dimensions().size(); ++i) {
    if (!shape.is_dynamic_dimension(i)) continue;
    HloInstruction* size = NewParameter(xla::ShapeUtil::MakeShape(xla::S32, {}));
    built.set_dynamic_dimension(i, true);
    value = builder_.AddInstruction(HloInstruction::CreateSetDimensionSize(built, value, size, i));
  }
  return value;
}

// Collects the leaves below `value`, the piece of the old result at `index`.
void Wrapper::Result(const ShapeIndex& index, HloInstruction* value) {
  const Shape& shape = value->shape();
  if (!shape.IsTuple()) {
    result_leaves_[index] = {static_cast<int64_t>(results_.size())};
    results_.push_back(value);
    return;
  }
  for (int i = 0; i < shape.tuple_shapes().size(); ++i) {
    ShapeIndex inner = index;
    inner.push_back(i);
    Result(inner, builder_.AddInstruction(
                      HloInstruction::CreateGetTupleElement(shape.tuple_shapes(i), value, i)));
  }
}

HloInstruction* Wrapper::Root(HloInstruction* call) {
  if (!call->shape().IsTuple()) {
    result_leaves_[{}] = {};
    return call;
  }
  Result({}, call);
  HloInstruction* root = builder_.AddInstruction(HloInstruction::CreateTuple(results_));
  const HloInstruction* old = entry_->root_instruction();
  if (old->has_sharding() && !results_.empty()) {
    std::vector<HloSharding> shardings(results_.size(), HloSharding::Replicate());
    for (const auto& [before, after] : result_leaves_) {
      shardings[after[0]] = old->sharding().GetSubSharding(old->shape(), before);
    }
    root->set_sharding(HloSharding::Tuple(root->shape(), shardings));
  }
  return root;
}

bool Wrapper::IsDynamic(int64_t parameter) const {
  for (const ParameterLeaf& leaf : leaves_) {
    if (leaf.parameter == parameter && leaf.kind == ParameterLeaf::kDynamic) return true;
  }
  return false;
}

absl::Status Wrapper::MoveAliases(const xla::HloInputOutputAliasConfig& aliases,
                                  const xla::HloBufferDonorConfig& donors) {
  xla::HloInputOutputAliasConfig moved(module_->entry_computation()->root_instruction()->shape());
  absl::Status status = aliases.ForEachAliasWithStatus(
      [&](const ShapeIndex& output, const xla::HloInputOutputAliasConfig::Alias& alias) {
        auto parameter = parameter_leaves_.find({alias.parameter_number, alias.parameter_index});
        auto result = result_leaves_.find(output);
        if (parameter == parameter_leaves_.end() || result == result_leaves_.end()) {
          return absl::InvalidArgumentError(
              absl::StrCat("input_output_alias: expected leaves, found output ", output.ToString(),
                           " and ", alias.ToString()));
        }
        if (IsDynamic(parameter->second)) {
          if (!alias.must_alias()) return absl::OkStatus();
          return absl::UnimplementedError("input_output_alias: must-alias of a dynamic parameter");
        }
        return moved.SetUpAlias(result->second, parameter->second, {}, alias.kind);
      });
  if (!status.ok()) return status;
  module_->set_input_output_alias_config(std::move(moved));
  xla::HloBufferDonorConfig moved_donors;
  for (const auto& donor : donors.buffer_donor()) {
    auto parameter = parameter_leaves_.find({donor.param_number, donor.param_index});
    if (parameter == parameter_leaves_.end()) {
      return absl::InvalidArgumentError("buffer_donor: expected a leaf of a parameter");
    }
    if (IsDynamic(parameter->second)) continue;
    status = moved_donors.AddBufferDonor(parameter->second, {});
    if (!status.ok()) return status;
  }
  module_->set_buffer_donor_config(std::move(moved_donors));
  return absl::OkStatus();
}

absl::Status Wrapper::Build() {
  // ReplaceEntryComputation forgets both.
  const xla::HloInputOutputAliasConfig aliases = module_->input_output_alias_config();
  const xla::HloBufferDonorConfig donors = module_->buffer_donor_config();
  if (module_->has_schedule()) module_->clear_schedule();
  std::vector<HloInstruction*> operands;
  for (int64_t i = 0; i < entry_->num_parameters(); ++i) {
    first_leaf_ = leaves_.size();
    operands.push_back(Parameter(i, {}, entry_->parameter_instruction(i)->shape()));
  }
  const Shape result = entry_->root_instruction()->shape();
  HloInstruction* root =
      Root(builder_.AddInstruction(HloInstruction::CreateCall(result, operands, entry_)));
  module_->ReplaceEntryComputation(module_->AddEmbeddedComputation(builder_.Build(root)));
  return MoveAliases(aliases, donors);
}

bool IsNestedTuple(const xla::ShapeProto& shape) {
  for (const xla::ShapeProto& piece : shape.tuple_shapes()) {
    if (piece.element_type() == xla::TUPLE) return true;
  }
  return false;
}

bool IsPlainArray(const xla::ShapeProto& shape) {
  if (shape.element_type() == xla::TUPLE || shape.element_type() == xla::TOKEN) return false;
  for (const bool dynamic : shape.is_dynamic_dimension()) {
    if (dynamic) return false;
  }
  return true;
}

}  // namespace

bool NeedsFlattening(const xla::HloModuleProto& module) {
  const xla::ProgramShapeProto& program = module.host_program_shape();
  for (const xla::ShapeProto& parameter : program.parameters()) {
    if (!IsPlainArray(parameter)) return true;
  }
  return IsNestedTuple(program.result());
}

absl::StatusOr<FlatEntry> FlattenEntry(const xla::HloModuleProto& module) {
  absl::StatusOr<xla::HloModuleConfig> config =
      HloModule::CreateModuleConfigFromProto(module, xla::DefaultDebugOptionsIgnoringFlags());
  if (!config.ok()) return config.status();
  absl::StatusOr<std::unique_ptr<HloModule>> built = HloModule::CreateFromProto(module, *config);
  if (!built.ok()) return built.status();
  Wrapper wrapper(built->get());
  absl::Status status = wrapper.Build();
  if (!status.ok()) return status;
  return FlatEntry{(*built)->ToProto(), wrapper.TakeLeaves()};
}

}  // namespace hlocts::xla_plugin
