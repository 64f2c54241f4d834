// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/module_sets.h"

#include <algorithm>
#include <optional>

#include "reference/deep_stack.h"
#include "reference/judge/centred/tape.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/interpreter/set_value.h"
#include "reference/judge/joint/derived_draws.h"
#include "reference/ops/sharding_call.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kStackBytesPerCall = 64 << 10;

// Sets the run-time sizes of dimensions that the shape declares static to their full size. Elements
// beyond the previous run-time size are unspecified (ruling 0064).
void MakeWholeWhereStatic(const Shape& shape, SetArray& array) {
  std::vector<int64_t> sizes = array.runtime_sizes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!shape.is_dynamic_dimension(static_cast<int64_t>(d))) sizes[d] = shape.dimensions()[d];
  }
  if (sizes == array.runtime_sizes) return;
  const uint32_t origin = array.origin;
  std::vector<AcceptanceSet> sets(array.element_count() * array.components(),
                                  AcceptanceSet::Unspecified(WideningCause::kFreedom, origin));
  const std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
  ForEachIndex(array.runtime_sizes, [&](absl::Span<const int64_t> index) {
    const int64_t at = LinearIndex(index, strides);
    for (int c = 0; c < array.components(); ++c)
      sets[at * array.components() + c] = array.At(at, c);
  });
  array = SetArray(shape, std::move(sets));
  array.origin = origin;
  if (shape.is_dynamic()) array.runtime_sizes = std::move(sizes);
}

void AppendLeaves(const SetValue& value, const Shape& shape, ModuleAcceptance& accepted) {
  if (shape.IsTuple()) {
    for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
      AppendLeaves(value.elements[i], shape.tuple_shapes()[i], accepted);
    }
    return;
  }
  LeafAcceptance leaf{.shape = shape, .token = !shape.IsArray()};
  if (!leaf.token) {
    leaf.set = value.array;
    MakeWholeWhereStatic(shape, leaf.set);
  }
  accepted.leaves.push_back(std::move(leaf));
}

void TightenOutputs(WalkObserver& observer, SetValue& value) {
  if (value.token) return;
  if (!value.tuple) return observer.Tighten(value.array, /*output=*/true);
  for (SetValue& element : value.elements) TightenOutputs(observer, element);
}

absl::Status CheckArguments(const Module& module, absl::Span<const Literal> arguments) {
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<Instruction*> parameters,
                          ParametersFor(module, arguments.size()));
  for (size_t i = 0; i < parameters.size(); ++i) {
    Shape given = arguments[i].shape().WithStaticDimensions();
    if (given.CompatibleWith(parameters[i]->shape().WithStaticDimensions())) continue;
    return InvalidInput("argument ", i, ": expected ", parameters[i]->shape().ToString(false),
                        ", found ", arguments[i].shape().ToString(false));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ModuleAcceptance>> SetsOfProfile(
    const Module& module, absl::Span<const std::vector<Literal>> arguments,
    const JudgeOptions& options) {
  int64_t count = options.replicas * options.partitions;
  if (static_cast<int64_t>(arguments.size()) != count) {
    return InvalidInput("expected the arguments of ", count, " devices, found ", arguments.size());
  }
  HLOCTS_RETURN_IF_ERROR(CheckShardings(module));
  std::vector<std::vector<SetValue>> values;
  std::vector<int64_t> devices;
  for (const std::vector<Literal>& of_device : arguments) {
    HLOCTS_RETURN_IF_ERROR(CheckArguments(module, of_device));
    values.emplace_back();
    for (const Literal& literal : of_device) values.back().push_back(ExactValue(literal));
    devices.push_back(static_cast<int64_t>(devices.size()));
  }
  SetInterpreter interpreter(module, options);
  // Centred forms need sets that contain every legal value; likely sets (lemma 32) may not.
  std::optional<Tape> tape;
  if (count == 1 && options.likely == 0 && options.centred) tape.emplace(interpreter);
  const Walk walk = {devices, tape.has_value() ? &*tape : nullptr};
  absl::StatusOr<std::vector<SetValue>> run = absl::InternalError("not run");
  HLOCTS_RETURN_IF_ERROR(RunOnStackFor(module, kStackBytesPerCall, [&] {
    run = interpreter.Run(*module.entry(), std::move(values), walk);
  }));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> results, std::move(run));
  if (tape.has_value()) TightenOutputs(*tape, results[0]);
  std::vector<ModuleAcceptance> accepted(results.size());
  for (size_t d = 0; d < results.size(); ++d) {
    AppendLeaves(results[d], module.entry()->root()->shape(), accepted[d]);
    if (count == 1) {
      JudgeDerivedDraws(module, arguments[0], options, absl::MakeSpan(accepted[0].leaves));
    }
    accepted[d].origins =
        d + 1 < results.size() ? interpreter.origins() : interpreter.TakeOrigins();
  }
  return accepted;
}

// Intersects the numbers of a strict set with those of the default set, or joins those of a relaxed
// set with them (lemma 43, "Profiles").
void Nest(Profile profile, const LeafAcceptance& by_default, LeafAcceptance& leaf) {
  const SetArray& base = by_default.set;
  if (leaf.token || leaf.set.exact() || base.exact() || !IsFloat(base.element_type())) return;
  if (leaf.set.choices || base.choices || leaf.set.joint || base.joint) return;
  constexpr uint16_t kZeros = AcceptanceSet::kPosZero | AcceptanceSet::kNegZero;
  for (int64_t i = 0; i < base.element_count(); ++i) {
    const AcceptanceSet s = leaf.set.At(i), d = base.At(i);
    const bool strict = profile == Profile::kStrict;
    const double lo = strict ? std::max(s.lo, d.lo) : std::min(s.lo, d.lo),
                 hi = strict ? std::min(s.hi, d.hi) : std::max(s.hi, d.hi);
    if (!IsNumber(s) || !IsNumber(d) || !(lo <= hi) || (lo == s.lo && hi == s.hi)) continue;
    AcceptanceSet& nested = leaf.set.mutable_sets()[i];
    nested.lo = lo, nested.hi = hi;
    nested.rlo = std::min(nested.rlo, lo), nested.rhi = std::max(nested.rhi, hi);
    if (!strict) nested.flags |= d.flags & kZeros;
    if (lo > 0 || hi < 0) nested.flags &= static_cast<uint16_t>(~kZeros);
  }
}

}  // namespace

absl::StatusOr<std::vector<ModuleAcceptance>> AcceptanceOfDevices(
    const Module& module, absl::Span<const std::vector<Literal>> arguments,
    const JudgeOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<ModuleAcceptance> accepted,
                          SetsOfProfile(module, arguments, options));
  if (options.profile == Profile::kDefault || options.likely != 0) return accepted;
  JudgeOptions by_default = options;
  by_default.profile = Profile::kDefault;
  by_default.rigorous |= options.profile == Profile::kStrict;
  const auto base = SetsOfProfile(module, arguments, by_default);
  if (!base.ok()) return accepted;  // e.g. the time is over
  for (size_t d = 0; d < accepted.size(); ++d) {
    for (size_t i = 0; i < accepted[d].leaves.size(); ++i)
      Nest(options.profile, (*base)[d].leaves[i], accepted[d].leaves[i]);
  }
  return accepted;
}

absl::StatusOr<ModuleAcceptance> AcceptanceOf(const Module& module,
                                              absl::Span<const Literal> arguments,
                                              const JudgeOptions& options) {
  JudgeOptions single = options;
  single.replicas = single.partitions = 1;
  std::vector<std::vector<Literal>> devices = {
      std::vector<Literal>(arguments.begin(), arguments.end())};
  HLOCTS_ASSIGN_OR_RETURN(std::vector<ModuleAcceptance> accepted,
                          AcceptanceOfDevices(module, devices, single));
  return std::move(accepted[0]);
}

absl::StatusOr<JudgeResult> Judge(const Module& module, absl::Span<const Literal> arguments,
                                  absl::Span<const Literal> actual_leaves,
                                  const JudgeOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(ModuleAcceptance accepted, AcceptanceOf(module, arguments, options));
  JudgeResult result = JudgeLeaves(accepted, actual_leaves);
  if (result.outcome != Outcome::kFail || options.rigorous) return result;
  JudgeOptions rigorous = options;
  rigorous.rigorous = true;
  HLOCTS_ASSIGN_OR_RETURN(accepted, AcceptanceOf(module, arguments, rigorous));
  return JudgeLeaves(accepted, actual_leaves);
}

}  // namespace hlocts::reference
