// SPDX-License-Identifier: Apache-2.0
// Runs XLA's own simplifiers, one at a time, on modules, without code generation.
#include <functional>
#include <memory>
#include <string>

#include "backends/adapters/xla/xla_bytes.h"
#include "xla/hlo/pass/hlo_pass_fix.h"
#include "xla/hlo/pass/hlo_pass_interface.h"
#include "xla/hlo/transforms/simplifiers/algebraic_simplifier.h"
#include "xla/hlo/transforms/simplifiers/batch_dot_simplification.h"
#include "xla/hlo/transforms/simplifiers/broadcast_canonicalizer.h"
#include "xla/hlo/transforms/simplifiers/dynamic_dimension_simplifier.h"
#include "xla/hlo/transforms/simplifiers/hlo_constant_folding.h"
#include "xla/hlo/transforms/simplifiers/reduce_window_rewriter.h"
#include "xla/hlo/transforms/simplifiers/reshape_mover.h"
#include "xla/hlo/transforms/simplifiers/simplify_fp_conversions.h"
#include "xla/hlo/transforms/simplifiers/slice_sinker.h"
#include "xla/hlo/transforms/simplifiers/sort_simplifier.h"
#include "xla/hlo/transforms/simplifiers/tuple_simplifier.h"
#include "xla/hlo/transforms/simplifiers/zero_sized_hlo_elimination.h"
#include "xla/service/conditional_simplifier.h"
#include "xla/service/hlo_cse.h"
#include "xla/service/while_loop_simplifier.h"

namespace {

using hlocts::xla_plugin::Clear;
using hlocts::xla_plugin::CopyToOwnedBytes;
using hlocts::xla_plugin::Fail;
using hlocts::xla_plugin::ModuleOr;
using hlocts::xla_plugin::ParseProto;
using Pass = std::unique_ptr<xla::HloPassInterface>;

template <typename P>
Pass Plain() {
  return std::make_unique<P>();
}

// Returns the simplifier as XLA:CPU configures it before layouts are assigned.
Pass AlgebraicSimplifier() {
  xla::AlgebraicSimplifierOptions options;
  options.set_executing_on_cpu(true);
  options.set_enable_dot_strength_reduction(false);
  return std::make_unique<xla::HloPassFix<xla::AlgebraicSimplifier>>(options);
}

struct NamedPass {
  const char* name;
  Pass (*make)();
};
// The passes by the names that their name() returns.
constexpr NamedPass kPasses[] = {
    {"algsimp", AlgebraicSimplifier},
    {"batch-dot-simplification", Plain<xla::BatchDotSimplification>},
    {"broadcast_canonicalizer", Plain<xla::BroadcastCanonicalizer>},
    {"constant_folding", Plain<xla::HloConstantFolding>},
    {"cse", [] { return Pass(std::make_unique<xla::HloCSE>(/*is_layout_sensitive=*/false)); }},
    {"dynamic-dimension-simplifier", Plain<xla::DynamicDimensionSimplifier>},
    {"reduce-window-rewriter",
     [] { return Pass(std::make_unique<xla::ReduceWindowRewriter>(/*base_length=*/32)); }},
    {"reshape-mover", Plain<xla::ReshapeMover>},
    {"simplify-conditional", Plain<xla::ConditionalSimplifier>},
    {"simplify-fp-conversions", Plain<xla::SimplifyFPConversions>},
    {"simplify-sorts", Plain<xla::SortSimplifier>},
    {"simplify-while-loops", Plain<xla::WhileLoopSimplifier>},
    {"slice-sinker", Plain<xla::SliceSinker>},
    {"tuple-simplifier", Plain<xla::TupleSimplifier>},
    {"zero_sized_hlo_elimination", Plain<xla::ZeroSizedHloElimination>},
};

absl::StatusOr<Pass> MakePass(const std::string& name) {
  std::string known;
  for (const NamedPass& pass : kPasses) {
    if (name == pass.name) return pass.make();
    absl::StrAppend(&known, known.empty() ? "" : ", ", pass.name);
  }
  return absl::NotFoundError(absl::StrCat("pass \"", name, "\": expected one of ", known));
}

}  // namespace

hlocts_xla_status hlocts_xla_run_pass(hlocts_xla_view module, hlocts_xla_view pass,
                                      hlocts_xla_bytes* rewritten, hlocts_xla_bytes* error) {
  Clear(rewritten, error);
  auto made = MakePass({pass.data, pass.size});
  if (!made.ok()) return Fail(HLOCTS_XLA_ARGUMENT_ERROR, made.status(), error);
  ModuleOr parsed = ParseProto(module);
  if (!parsed.ok()) return Fail(HLOCTS_XLA_PARSE_ERROR, parsed.status(), error);
  const absl::StatusOr<bool> changed = (*made)->Run(parsed->get());
  if (!changed.ok()) return Fail(HLOCTS_XLA_EXECUTE_ERROR, changed.status(), error);
  CopyToOwnedBytes((*parsed)->ToProto().SerializeAsString(), rewritten);
  return HLOCTS_XLA_OK;
}
