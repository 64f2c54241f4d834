// SPDX-License-Identifier: Apache-2.0
// The implementation of xla_c_api.h for XLA's parser, printer, verifier and HloEvaluator.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backends/adapters/xla/xla_bytes.h"
#include "backends/adapters/xla/xla_c_api.h"
#include "backends/adapters/xla/xla_literal.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/pass/hlo_pass_pipeline.h"
#include "xla/hlo/transforms/expanders/cholesky_expander.h"
#include "xla/hlo/transforms/expanders/dynamic_index_splitter.h"
#include "xla/hlo/transforms/expanders/eigh_expander.h"
#include "xla/hlo/transforms/expanders/qr_expander.h"
#include "xla/hlo/transforms/expanders/rng_bit_generator_expander.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/service/batchnorm_expander.h"
#include "xla/service/dynamic_dimension_inference.h"
#include "xla/service/dynamic_padder.h"
#include "xla/service/hlo.pb.h"
#include "xla/service/hlo_verifier.h"
#include "xla/service/topk_rewriter.h"
#include "xla/service/triangular_solve_expander.h"
#include "xla/shape_util.h"

namespace {

using hlocts::xla_plugin::Clear;
using hlocts::xla_plugin::CopyToOwnedBytes;
using hlocts::xla_plugin::Fail;
using hlocts::xla_plugin::ModuleOr;
using hlocts::xla_plugin::ParseLiteral;
using hlocts::xla_plugin::ParseProto;
using hlocts::xla_plugin::SerializeLiteral;
using xla::HloModule;
using xla::Literal;
using xla::Shape;
using xla::ShapeUtil;

ModuleOr ParseText(hlocts_xla_view text) {
  xla::HloParserOptions options;
  // constant({...}) has no values. Random ones would give a module a new meaning in each run.
  options.set_fill_shortform_constants_with_random_values(false);
  return xla::ParseAndReturnUnverifiedModule({text.data, text.size}, xla::HloModuleConfig(),
                                             options);
}

// Sets missing layouts: a proto may omit them, but HloEvaluator needs one on every array.
void FillLayouts(HloModule* module) {
  for (xla::HloComputation* computation : module->computations()) {
    for (xla::HloInstruction* instruction : computation->instructions()) {
      if (!xla::LayoutUtil::HasLayout(instruction->shape())) {
        xla::LayoutUtil::SetToDefaultLayout(instruction->mutable_shape());
      }
    }
  }
}

// Runs the passes that XLA's interpreter runs before HloEvaluator.
absl::Status Expand(HloModule* module) {
  if (module->has_schedule()) module->clear_schedule();
  xla::HloPassPipeline pipeline("expand");
  pipeline.AddPass<xla::TopkDecomposer>();
  pipeline.AddPass<xla::DynamicIndexSplitter>();
  pipeline.AddPass<xla::CholeskyExpander>();
  pipeline.AddPass<xla::QrExpander>();
  pipeline.AddPass<xla::EighExpander>();
  pipeline.AddPass<xla::TriangularSolveExpander>();
  pipeline.AddPass<xla::BatchNormExpander>(true, true, true);
  pipeline.AddPass<xla::RngBitGeneratorExpander>(xla::RandomAlgorithm::RNG_PHILOX);
  absl::Status status = pipeline.Run(module).status();
  FillLayouts(module);
  return status;
}

bool HasDynamicShape(const HloModule& module) {
  for (const xla::HloComputation* computation : module.computations()) {
    for (const xla::HloInstruction* instruction : computation->instructions()) {
      if (instruction->shape().is_dynamic()) return true;
    }
  }
  return false;
}

// Makes dynamic dimensions static, with explicit sizes, by the pass that XLA's compilers use. This
// is necessary because HloEvaluator loses run-time sizes in most operations.
absl::Status MakeStatic(HloModule* module) {
  if (!HasDynamicShape(*module)) return absl::OkStatus();
  if (module->has_schedule()) module->clear_schedule();
  xla::DynamicPadderOptions options;
  absl::Status status = xla::DynamicPadder(options).Run(module).status();
  FillLayouts(module);
  return status;
}

// Converts a dynamic array to (array of the bounds' size, run-time sizes of all dimensions).
Literal PadToStatic(const Shape& result, const Literal& operand) {
  const Literal exact = operand.shape().is_dynamic() ? operand.ToStatic() : operand.Clone();
  Shape bounds = result.tuple_shapes(0);
  if (!bounds.has_layout()) xla::LayoutUtil::SetToDefaultLayout(&bounds);
  std::vector<Literal> pieces;
  pieces.push_back(Literal(bounds));
  const std::vector<int64_t> zeros(bounds.dimensions().size(), 0);
  absl::Status copied = pieces[0].CopySliceFrom(exact, zeros, zeros, exact.shape().dimensions());
  TF_CHECK_OK(copied);
  for (int64_t size : exact.shape().dimensions()) {
    pieces.push_back(xla::LiteralUtil::CreateR0<int32_t>(size));
  }
  return xla::LiteralUtil::MakeTupleOwned(std::move(pieces));
}

// Converts (array of the bounds' size, run-time sizes of all dimensions) to a dynamic array.
Literal SliceToDynamic(const Shape& result, absl::Span<const Literal* const> operands) {
  std::vector<int64_t> sizes;
  for (const Literal* size : operands.subspan(1)) sizes.push_back(size->Get<int32_t>({}));
  const std::vector<int64_t> zeros(sizes.size(), 0);
  Shape bounds = result;
  *bounds.mutable_layout() = operands[0]->shape().layout();
  return operands[0]->Slice(zeros, sizes).ToBoundedDynamic(bounds);
}

// Evaluates the two custom calls that DynamicPadder produces; others are not implemented.
absl::StatusOr<Literal> EvaluatePadding(const xla::HloInstruction* call,
                                        absl::Span<const Literal*> operands) {
  if (call->custom_call_target() == "PadToStatic") return PadToStatic(call->shape(), *operands[0]);
  if (call->custom_call_target() == "SliceToDynamic") {
    return SliceToDynamic(call->shape(), operands);
  }
  return absl::UnimplementedError(
      absl::StrCat("custom-call target ", call->custom_call_target(), " is not implemented"));
}

// The arguments as one literal per parameter, each in the parameter's shape.
class Arguments {
 public:
  Arguments(const hlocts_xla_view* given, size_t count) : given_(given), count_(count) {}

  absl::StatusOr<std::vector<Literal>> For(const HloModule& module);

 private:
  absl::StatusOr<Literal> Next();
  absl::StatusOr<Literal> Take(const Shape& expected, const std::string& where);
  absl::StatusOr<Literal> TakeLeaves(const Shape& expected, const std::string& where);

  const hlocts_xla_view* given_;
  size_t count_;
  size_t next_ = 0;
  bool peeked_ = false;
  Literal peek_;
};

absl::StatusOr<Literal> Arguments::Next() {
  if (next_ == count_) {
    return absl::InvalidArgumentError(absl::StrCat("expected more arguments, found ", count_));
  }
  absl::StatusOr<Literal> literal = ParseLiteral({given_[next_].data, given_[next_].size});
  if (!literal.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("argument ", next_, ": ", literal.status().message()));
  }
  ++next_;
  return literal;
}

// Returns `literal` in the shape of a parameter: with the parameter's layout, and with its bounds
// if it has dynamic dimensions.
absl::StatusOr<Literal> Fit(Literal literal, const Shape& expected, const std::string& where) {
  auto wrong = [&] {
    return absl::InvalidArgumentError(absl::StrCat(where, ": expected ",
                                                   ShapeUtil::HumanString(expected), ", found ",
                                                   ShapeUtil::HumanString(literal.shape())));
  };
  if (!expected.is_dynamic()) {
    if (!ShapeUtil::Compatible(literal.shape(), expected)) return wrong();
    return literal.shape().IsToken() ? std::move(literal) : literal.Relayout(expected);
  }
  if (expected.IsTuple()) {
    return absl::InvalidArgumentError(absl::StrCat(
        where, ": a tuple with dynamic dimensions is passed leaf by leaf, not as one literal"));
  }
  const Shape& found = literal.shape();
  if (!found.IsArray() || found.element_type() != expected.element_type() ||
      found.dimensions().size() != expected.dimensions().size()) {
    return wrong();
  }
  for (int i = 0; i < found.dimensions().size(); ++i) {
    const bool fits = expected.is_dynamic_dimension(i)
                          ? found.dimensions(i) <= expected.dimensions(i)
                          : found.dimensions(i) == expected.dimensions(i);
    if (!fits) return wrong();
  }
  Shape relaid = found;
  *relaid.mutable_layout() = expected.layout();
  return literal.Relayout(relaid).ToBoundedDynamic(expected);
}

absl::StatusOr<Literal> Arguments::Take(const Shape& expected, const std::string& where) {
  if (expected.IsTuple()) {
    if (!peeked_ && next_ < count_) {
      absl::StatusOr<Literal> literal = Next();
      if (!literal.ok()) return literal.status();
      peek_ = *std::move(literal);
      peeked_ = true;
    }
    const bool whole = peeked_ && peek_.shape().IsTuple();
    if (!whole) return TakeLeaves(expected, where);
  }
  if (peeked_) {
    peeked_ = false;
    return Fit(std::move(peek_), expected, where);
  }
  absl::StatusOr<Literal> literal = Next();
  if (!literal.ok()) return literal.status();
  return Fit(*std::move(literal), expected, where);
}

absl::StatusOr<Literal> Arguments::TakeLeaves(const Shape& expected, const std::string& where) {
  std::vector<Literal> pieces;
  for (int i = 0; i < expected.tuple_shapes().size(); ++i) {
    absl::StatusOr<Literal> piece =
        Take(expected.tuple_shapes(i), absl::StrCat(where, "{", i, "}"));
    if (!piece.ok()) return piece.status();
    pieces.push_back(*std::move(piece));
  }
  return xla::LiteralUtil::MakeTupleOwned(std::move(pieces));
}

absl::StatusOr<std::vector<Literal>> Arguments::For(const HloModule& module) {
  std::vector<Literal> literals;
  for (const xla::HloInstruction* parameter :
       module.entry_computation()->parameter_instructions()) {
    absl::StatusOr<Literal> literal =
        Take(parameter->shape(), absl::StrCat("parameter ", literals.size()));
    if (!literal.ok()) return literal.status();
    literals.push_back(*std::move(literal));
  }
  const size_t left = count_ - next_ + (peeked_ ? 1 : 0);
  if (left != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", count_ - left, " arguments, found ", count_));
  }
  return literals;
}

hlocts_xla_status CodeOf(const absl::Status& status) {
  return absl::IsUnimplemented(status) ? HLOCTS_XLA_UNIMPLEMENTED : HLOCTS_XLA_EXECUTE_ERROR;
}

absl::StatusOr<hlocts_xla_evaluate_options> ReadOptions(
    const hlocts_xla_evaluate_options* options) {
  if (options == nullptr) return hlocts_xla_evaluate_options{sizeof(*options), -1, 0, 0};
  if (options->struct_size < sizeof(*options)) {
    return absl::InvalidArgumentError(
        absl::StrCat("hlocts_xla_evaluate_options: expected struct_size >= ", sizeof(*options),
                     ", found ", options->struct_size));
  }
  if (options->max_loop_iterations < -1) {
    return absl::InvalidArgumentError("max_loop_iterations: expected -1 or more");
  }
  return *options;
}

}  // namespace

int32_t hlocts_xla_c_api_version(void) { return HLOCTS_XLA_C_API_VERSION; }

const char* hlocts_xla_version(void) {
  return "XLA:CPU of tensorflow-cpu " HLOCTS_XLA_WHEEL_VERSION;
}

void hlocts_xla_free(hlocts_xla_bytes* bytes) {
  if (bytes == nullptr) return;
  free(bytes->data);
  Clear(bytes);
}

hlocts_xla_status hlocts_xla_parse_text(hlocts_xla_view text, hlocts_xla_bytes* module,
                                        hlocts_xla_bytes* error) {
  Clear(module, error);
  ModuleOr parsed = ParseText(text);
  if (!parsed.ok()) return Fail(HLOCTS_XLA_PARSE_ERROR, parsed.status(), error);
  CopyToOwnedBytes((*parsed)->ToProto().SerializeAsString(), module);
  return HLOCTS_XLA_OK;
}

hlocts_xla_status hlocts_xla_print_text(hlocts_xla_view module, int32_t print,
                                        hlocts_xla_bytes* text, hlocts_xla_bytes* error) {
  Clear(text, error);
  xla::HloPrintOptions options;
  switch (print & ~HLOCTS_XLA_PRINT_LARGE_CONSTANTS) {
    case HLOCTS_XLA_PRINT_DEFAULT:
      break;
    case HLOCTS_XLA_PRINT_SHORT:
      options = xla::HloPrintOptions::ShortParsable();
      break;
    case HLOCTS_XLA_PRINT_CANONICAL:
      options = xla::HloPrintOptions::Canonical();
      break;
    default:
      return Fail(HLOCTS_XLA_ARGUMENT_ERROR,
                  absl::InvalidArgumentError(absl::StrCat("print: unknown value ", print)), error);
  }
  if (print & HLOCTS_XLA_PRINT_LARGE_CONSTANTS) options.set_print_large_constants(true);
  ModuleOr parsed = ParseProto(module);
  if (!parsed.ok()) return Fail(HLOCTS_XLA_PARSE_ERROR, parsed.status(), error);
  CopyToOwnedBytes((*parsed)->ToString(options), text);
  return HLOCTS_XLA_OK;
}

hlocts_xla_status hlocts_xla_verify(hlocts_xla_view module, int32_t format,
                                    hlocts_xla_bytes* error) {
  Clear(error);
  if (format != HLOCTS_XLA_TEXT && format != HLOCTS_XLA_PROTO) {
    return Fail(HLOCTS_XLA_ARGUMENT_ERROR,
                absl::InvalidArgumentError(absl::StrCat("format: unknown value ", format)), error);
  }
  ModuleOr parsed = format == HLOCTS_XLA_TEXT ? ParseText(module) : ParseProto(module);
  if (!parsed.ok()) return Fail(HLOCTS_XLA_PARSE_ERROR, parsed.status(), error);
  xla::HloVerifier verifier(/*layout_sensitive=*/false, /*allow_mixed_precision=*/false);
  const absl::Status verified = verifier.Run(parsed->get()).status();
  if (!verified.ok()) return Fail(HLOCTS_XLA_VERIFY_ERROR, verified, error);
  return HLOCTS_XLA_OK;
}

hlocts_xla_status hlocts_xla_evaluate(hlocts_xla_view module, const hlocts_xla_view* arguments,
                                      size_t num_arguments,
                                      const hlocts_xla_evaluate_options* options,
                                      hlocts_xla_bytes* result, hlocts_xla_bytes* error) {
  Clear(result, error);
  auto checked = ReadOptions(options);
  if (!checked.ok()) return Fail(HLOCTS_XLA_ARGUMENT_ERROR, checked.status(), error);
  ModuleOr parsed = ParseProto(module);
  if (!parsed.ok()) return Fail(HLOCTS_XLA_PARSE_ERROR, parsed.status(), error);
  FillLayouts(parsed->get());
  auto literals = Arguments(arguments, num_arguments).For(**parsed);
  if (!literals.ok()) return Fail(HLOCTS_XLA_ARGUMENT_ERROR, literals.status(), error);
  if (checked->expand != 0) {
    const absl::Status expanded = Expand(parsed->get());
    if (!expanded.ok()) return Fail(CodeOf(expanded), expanded, error);
  }
  const absl::Status bounded = MakeStatic(parsed->get());
  if (!bounded.ok()) return Fail(CodeOf(bounded), bounded, error);
  xla::HloEvaluator evaluator(checked->max_loop_iterations);
  evaluator.set_custom_call_handler(EvaluatePadding);
  evaluator.set_use_fast_path(checked->use_fast_path != 0);
  // Expanded batch norms contain get-dimension-size, which needs these sizes.
  auto sizes = xla::DynamicDimensionInference::Run(parsed->get());
  if (!sizes.ok()) return Fail(CodeOf(sizes.status()), sizes.status(), error);
  evaluator.set_dynamic_dimension_inference(&*sizes);
  absl::StatusOr<Literal> value = evaluator.Evaluate(**parsed, *literals);
  if (!value.ok()) return Fail(CodeOf(value.status()), value.status(), error);
  if (!value->IsKnown()) {
    return Fail(HLOCTS_XLA_EXECUTE_ERROR,
                absl::InternalError("HloEvaluator returned a partly unknown result"), error);
  }
  CopyToOwnedBytes(SerializeLiteral(*value), result);
  return HLOCTS_XLA_OK;
}
