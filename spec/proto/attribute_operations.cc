// SPDX-License-Identifier: Apache-2.0
// Converts attributes of particular operations.
#include "spec/ir/instruction.h"
#include "spec/ir/opcode.h"
#include "spec/proto/attribute_rows.h"

namespace hlocts {
namespace attribute_rows {

void WriteControlPredecessors(Writer& w, const AttributeValue& v) {
  for (const Instruction* predecessor : As<std::vector<Instruction*>>(v)) {
    absl::StatusOr<int64_t> id = w.ids.instruction(predecessor);
    if (id.ok()) w.proto->add_control_predecessor_ids(*id);
    if (!id.ok()) w.status = id.status();
  }
}

AttributeValue ReadControlPredecessors(Reader& r) {
  std::vector<Instruction*> predecessors;
  for (int64_t id : r.proto.control_predecessor_ids()) {
    predecessors.push_back(r.ids.instruction(id));
    if (predecessors.back()) continue;
    return r.Fail(
        InvalidInput("expected control_predecessor_ids of the same computation, found ", id));
  }
  bool none = predecessors.empty();
  return r.Value(std::move(predecessors), none);
}

void WriteWindow(Writer& w, const AttributeValue& v) {
  for (const WindowDimension& d : As<Window>(v).dimensions) {
    proto::WindowDimension* added = w.proto->mutable_window()->add_dimensions();
    added->set_size(d.size);
    added->set_stride(d.stride);
    added->set_padding_low(d.padding_low);
    added->set_padding_high(d.padding_high);
    added->set_window_dilation(d.window_dilation);
    added->set_base_dilation(d.base_dilation);
    added->set_window_reversal(d.window_reversal);
  }
}

AttributeValue ReadWindow(Reader& r) {
  Window window;
  for (const proto::WindowDimension& d : r.proto.window().dimensions()) {
    window.dimensions.push_back({d.size(), d.stride(), d.padding_low(), d.padding_high(),
                                 d.window_dilation(), d.base_dilation(), d.window_reversal()});
  }
  bool none = window.dimensions.empty();
  return r.Value(std::move(window), none);
}

void WritePadding(Writer& w, const AttributeValue& v) {
  w.proto->mutable_padding_config();
  for (const PaddingDimension& d : As<PaddingConfig>(v).dimensions) {
    auto* added = w.proto->mutable_padding_config()->add_dimensions();
    added->set_edge_padding_low(d.low);
    added->set_edge_padding_high(d.high);
    added->set_interior_padding(d.interior);
  }
}

AttributeValue ReadPadding(Reader& r) {
  PaddingConfig padding;
  for (const auto& d : r.proto.padding_config().dimensions()) {
    padding.dimensions.push_back(
        {d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
  }
  return r.Value(std::move(padding), false);
}

void WriteSlice(Writer& w, const AttributeValue& v) {
  for (const SliceRange& d : As<SliceRanges>(v).dimensions) {
    auto* added = w.proto->add_slice_dimensions();
    added->set_start(d.start);
    added->set_limit(d.limit);
    added->set_stride(d.stride);
  }
}

AttributeValue ReadSlice(Reader& r) {
  SliceRanges slice;
  for (const auto& d : r.proto.slice_dimensions()) {
    slice.dimensions.push_back({d.start(), d.limit(), d.stride()});
  }
  return r.Value(std::move(slice), false);
}

void WriteDimLabels(Writer& w, const AttributeValue& v) {
  const auto& n = As<ConvolutionDimensionNumbers>(v);
  auto* out = w.proto->mutable_convolution_dimension_numbers();
  out->set_input_batch_dimension(n.input_batch);
  out->set_input_feature_dimension(n.input_feature);
  ToRepeated(n.input_spatial, out->mutable_input_spatial_dimensions());
  out->set_kernel_input_feature_dimension(n.kernel_input_feature);
  out->set_kernel_output_feature_dimension(n.kernel_output_feature);
  ToRepeated(n.kernel_spatial, out->mutable_kernel_spatial_dimensions());
  out->set_output_batch_dimension(n.output_batch);
  out->set_output_feature_dimension(n.output_feature);
  ToRepeated(n.output_spatial, out->mutable_output_spatial_dimensions());
}

AttributeValue ReadDimLabels(Reader& r) {
  const auto& in = r.proto.convolution_dimension_numbers();
  ConvolutionDimensionNumbers n{.input_batch = in.input_batch_dimension(),
                                .input_feature = in.input_feature_dimension(),
                                .input_spatial = FromRepeated(in.input_spatial_dimensions()),
                                .kernel_input_feature = in.kernel_input_feature_dimension(),
                                .kernel_output_feature = in.kernel_output_feature_dimension(),
                                .kernel_spatial = FromRepeated(in.kernel_spatial_dimensions()),
                                .output_batch = in.output_batch_dimension(),
                                .output_feature = in.output_feature_dimension(),
                                .output_spatial = FromRepeated(in.output_spatial_dimensions())};
  // A convolution without spatial dimensions still has labels; a custom call may have none.
  return r.Value(std::move(n), !r.proto.has_convolution_dimension_numbers());
}

void WriteOperandPrecision(Writer& w, const AttributeValue& v) {
  w.proto->mutable_precision_config()->clear_operand_precision();
  for (const std::string& word : As<std::vector<std::string>>(v)) {
    proto::PrecisionConfig::Precision number = proto::PrecisionConfig::DEFAULT;
    if (!proto::PrecisionConfig::Precision_Parse(EnumeratorOf(word, ""), &number)) {
      w.status = UnknownWord("operand_precision", word);
    }
    w.proto->mutable_precision_config()->add_operand_precision(number);
  }
}

AttributeValue ReadOperandPrecision(Reader& r) {
  std::vector<std::string> words;
  bool all_default = true;
  for (int number : r.proto.precision_config().operand_precision()) {
    if (!proto::PrecisionConfig::Precision_IsValid(number)) {
      return r.Fail(UnknownEnumerator("operand_precision", number));
    }
    all_default = all_default && number == proto::PrecisionConfig::DEFAULT;
    words.push_back(WordOf(proto::PrecisionConfig::Precision_Name(
                               static_cast<proto::PrecisionConfig::Precision>(number)),
                           ""));
  }
  return r.Value(std::move(words), all_default);
}

void WriteAlgorithm(Writer& w, const AttributeValue& v) {
  const std::string& word = As<Word>(v).text;
  if (w.instruction.opcode() == Opcode::kRngBitGenerator) {
    proto::RandomAlgorithm number = proto::RNG_DEFAULT;
    if (!proto::RandomAlgorithm_Parse(EnumeratorOf(word, ""), &number)) {
      w.status = UnknownWord("rng_algorithm", word);
    }
    w.proto->set_rng_algorithm(number);
    return;
  }
  proto::PrecisionConfig::Algorithm number = proto::PrecisionConfig::ALG_UNSET;
  if (!proto::PrecisionConfig::Algorithm_Parse(EnumeratorOf(word, "ALG_"), &number)) {
    w.status = UnknownWord("algorithm", word);
  }
  w.proto->mutable_precision_config()->set_algorithm(number);
}

AttributeValue ReadAlgorithm(Reader& r) {
  if (r.instruction.opcode() == Opcode::kRngBitGenerator) {
    int number = r.proto.rng_algorithm();
    if (!proto::RandomAlgorithm_IsValid(number)) {
      return r.Fail(UnknownEnumerator("rng_algorithm", number));
    }
    return r.Value(Word{WordOf(proto::RandomAlgorithm_Name(r.proto.rng_algorithm()), "")}, false);
  }
  proto::PrecisionConfig::Algorithm number = r.proto.precision_config().algorithm();
  if (!proto::PrecisionConfig::Algorithm_IsValid(number)) {
    return r.Fail(UnknownEnumerator("algorithm", number));
  }
  return r.Value(Word{WordOf(proto::PrecisionConfig::Algorithm_Name(number), "ALG_")},
                 number == proto::PrecisionConfig::ALG_UNSET);
}

AttributeValue ReadDistribution(Reader& r) {
  int number = r.proto.distribution();
  if (!proto::RandomDistribution_IsValid(number)) {
    return r.Fail(UnknownEnumerator("distribution", number));
  }
  return r.Value(Word{WordOf(proto::RandomDistribution_Name(r.proto.distribution()), "")}, false);
}

void WriteDistribution(Writer& w, const AttributeValue& v) {
  proto::RandomDistribution number = proto::RNG_INVALID;
  if (!proto::RandomDistribution_Parse(EnumeratorOf(As<Word>(v).text, ""), &number)) {
    w.status = UnknownWord("distribution", As<Word>(v).text);
  }
  w.proto->set_distribution(number);
}

PrimitiveType FirstOperandType(const Instruction& instruction) {
  return instruction.operand_count() > 0 ? instruction.operand(0).shape().element_type()
                                         : PrimitiveType::kInvalid;
}

AttributeValue ReadComparisonType(Reader& r) {
  const PrimitiveType operand = FirstOperandType(r.instruction);
  std::string word = r.proto.comparison_type();
  if (word.empty() && !r.proto.comparison_order().empty())
    word = std::string(ComparisonTypeOfOrder(r.proto.comparison_order() == "TOTAL", operand));
  const bool implied = word.empty() || word == NaturalComparisonType(operand);
  return r.Value(Word{word}, implied);
}

void WriteLower(Writer& w, const AttributeValue& v) {
  if (w.instruction.opcode() == Opcode::kCholesky) {
    w.proto->mutable_cholesky_options()->set_lower(As<bool>(v));
  } else {
    w.proto->mutable_triangular_solve_options()->set_lower(As<bool>(v));
  }
}

AttributeValue ReadLower(Reader& r) {
  bool lower = r.instruction.opcode() == Opcode::kCholesky
                   ? r.proto.cholesky_options().lower()
                   : r.proto.triangular_solve_options().lower();
  return r.Value(lower, !lower);
}

void WriteTransposeA(Writer& w, const AttributeValue& v) {
  proto::TriangularSolveOptions::Transpose number = proto::TriangularSolveOptions::NO_TRANSPOSE;
  if (!proto::TriangularSolveOptions::Transpose_Parse(As<Word>(v).text, &number)) {
    w.status = UnknownWord("transpose_a", As<Word>(v).text);
  }
  w.proto->mutable_triangular_solve_options()->set_transpose_a(number);
}

AttributeValue ReadTransposeA(Reader& r) {
  auto number = r.proto.triangular_solve_options().transpose_a();
  if (!proto::TriangularSolveOptions::Transpose_IsValid(number)) {
    return r.Fail(UnknownEnumerator("transpose_a", number));
  }
  return r.Value(Word{proto::TriangularSolveOptions::Transpose_Name(number)},
                 number == proto::TriangularSolveOptions::TRANSPOSE_INVALID);
}

proto::DotDimensionNumbers* MutableDot(Writer& w) {
  return w.instruction.opcode() == Opcode::kRaggedDot
             ? w.proto->mutable_ragged_dot_dimension_numbers()->mutable_dot_dimension_numbers()
             : w.proto->mutable_dot_dimension_numbers();
}
const proto::DotDimensionNumbers& Dot(const Reader& r) {
  return r.instruction.opcode() == Opcode::kRaggedDot
             ? r.proto.ragged_dot_dimension_numbers().dot_dimension_numbers()
             : r.proto.dot_dimension_numbers();
}

void WriteIndexVectorDim(Writer& w, const AttributeValue& v) {
  if (w.instruction.opcode() == Opcode::kGather) {
    w.proto->mutable_gather_dimension_numbers()->set_index_vector_dim(As<int64_t>(v));
  } else {
    w.proto->mutable_scatter_dimension_numbers()->set_index_vector_dim(As<int64_t>(v));
  }
}

AttributeValue ReadIndexVectorDim(Reader& r) {
  return r.Value(r.instruction.opcode() == Opcode::kGather
                     ? r.proto.gather_dimension_numbers().index_vector_dim()
                     : r.proto.scatter_dimension_numbers().index_vector_dim(),
                 false);
}

}  // namespace attribute_rows
}  // namespace hlocts
