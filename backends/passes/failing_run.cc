// SPDX-License-Identifier: Apache-2.0
#include "backends/passes/failing_run.h"

#include <cstdlib>

#include "spec/ir/index_util.h"
#include "spec/judge/element_text.h"

namespace hlocts::backends {

MoreXlaFlags::MoreXlaFlags(const std::string& flags) {
  if (const char* before = std::getenv("XLA_FLAGS")) before_ = before;
  const std::string both = before_ ? absl::StrCat(*before_, " ", flags) : flags;
  setenv("XLA_FLAGS", both.c_str(), /*overwrite=*/1);
}

MoreXlaFlags::~MoreXlaFlags() {
  if (before_) setenv("XLA_FLAGS", before_->c_str(), 1);
  if (!before_) unsetenv("XLA_FLAGS");
}

absl::StatusOr<Ran> RunOnce(const BlameSubject& subject, Differ& differ, Backend& engine) {
  const BackendInfo info = engine.info();
  if (!info.available)
    return absl::UnavailableError(absl::StrCat(info.name, ": ", info.error.Text()));
  Ran ran;
  ran.facts = info.facts;
  ran.outcome = RunModule(engine, *subject.module, subject.options.load, *subject.request);
  if (subject.invalid) {
    ran.verdict = DiffInvalidModule(*subject.module, engine, subject.options);
  } else if (ran.outcome.has_values()) {
    ran.verdict = differ.JudgeOutputs(ran.outcome.result.outputs, info.facts);
  } else {
    ran.verdict = VerdictOf(ran.outcome);
  }
  ran.verdict.backend = info.name;
  ran.verdict.backend_version = info.version;
  return ran;
}

absl::StatusOr<Ran> RunWithFlags(const BlameSubject& subject, Differ& differ,
                                 const EngineFactory& factory, const std::string& flags) {
  MoreXlaFlags more(flags);
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> engine, factory());
  return RunOnce(subject, differ, *engine);
}

std::string ElementOf(const Ran& ran, const reports::Verdict& failure) {
  const auto& outputs = ran.outcome.result.outputs;
  if (!failure.first_failure || !ran.outcome.has_values())
    return std::string(OutcomeName(ran.verdict.kind));
  const reports::VerdictFailure& at = *failure.first_failure;
  const size_t device = static_cast<size_t>(failure.replica);
  if (device >= outputs.size() || at.output >= static_cast<int64_t>(outputs[device].size()))
    return "no such output";
  const Literal& leaf = outputs[device][at.output];
  if (at.index.size() != leaf.shape().dimensions().size()) return "another shape";
  const int64_t index = LinearIndex(at.index, RowMajorStrides(leaf.shape().dimensions()));
  return ElementText(leaf, index);
}

bool IsWrong(const reports::Verdict& verdict) {
  return verdict.kind != Outcome::kPass && verdict.kind != Outcome::kInconclusive;
}

}  // namespace hlocts::backends
