// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets/in_process.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/campaign/coverage.h"
#include "fuzz/campaign/variant_trial.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/failure_signature.h"
#include "spec/infer/verifier.h"

namespace hlocts::fuzz {

namespace {

// A flag for each hash of a cell (coverage.h) that occurred, in the section that libFuzzer reads.
constexpr size_t kCounters = size_t{1} << 16;
__attribute__((used, section("__libfuzzer_extra_counters"))) uint8_t g_cell_counters[kCounters];

void CountCells(const Module& module) {
  Cells cells;
  AddCells(module, cells);
  for (uint64_t cell : cells) g_cell_counters[cell % kCounters] = 1;
}

std::string OutFolder() {
  const char* out = std::getenv("HLOCTS_FUZZ_OUT");
  return out ? out : "findings";
}

}  // namespace

InProcessFuzz::InProcessFuzz(std::string backend) : name_(std::move(backend)) {
  auto engine = backends::MakeInProcessBackend(name_);
  HLOCTS_CHECK(engine.ok());
  engine_ = *std::move(engine);
  options_.load.timeout_seconds = 20;
  options_.load.memory_bytes_max = int64_t{1} << 30;
  options_.load.steps_max = 100'000;
}

Sample InProcessFuzz::Make(absl::string_view bytes) {
  generators::GeneratorOptions generator;
  generator.instructions = 12;
  generators::Generated generated = generators::GenerateFromBytes(bytes, generator);
  absl::Status valid = VerifyModule(*generated.module);
  if (!valid.ok()) std::fprintf(stderr, "%s\n", valid.ToString().c_str());
  HLOCTS_CHECK(valid.ok());  // guaranteed by the generator
  CountCells(*generated.module);
  return {std::move(generated.module), std::move(generated.arguments)};
}

void InProcessFuzz::Stop(const Sample& sample, TrialResult result, std::string origin) {
  Bundle bundle{
      .sample = sample.Clone(), .backend = name_, .options = options_, .result = std::move(result)};
  bundle.signature = SignatureOf(bundle.result.verdict, *sample.module);
  bundle.origin = std::move(origin);
  std::string folder = absl::StrCat(OutFolder(), "/", bundle.signature);
  const absl::Status written = WriteBundle(bundle, folder).status();
  std::fprintf(stderr, "%s\nbundle: %s\n", reports::VerdictToText(bundle.result.verdict).c_str(),
               written.ok() ? folder.c_str() : written.ToString().c_str());
  std::abort();
}

void InProcessFuzz::Diff(absl::string_view bytes) {
  Sample sample = Make(bytes);
  TrialResult result = RunTrial(sample, *engine_, options_, /*blame=*/false);
  if (CountsAsFinding(result.verdict.kind)) Stop(sample, std::move(result), "libFuzzer");
}

void InProcessFuzz::Variants(absl::string_view bytes) {
  Sample sample = Make(bytes);
  generators::ByteSource choose(
      absl::MakeSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  auto drawn = generators::DrawVariant(*sample.module, sample.arguments, choose);
  HLOCTS_CHECK(drawn.ok());
  if (!*drawn) return;
  Sample variant = {std::move((*drawn)->module), std::move((*drawn)->arguments)};
  backends::RunOutcome outcome =
      backends::RunModule(*engine_, *sample.module, DevicesOf(sample, options_), sample.Request());
  if (!outcome.has_values()) return;
  VariantTrial trial = RunVariant(sample, outcome, variant, *engine_, options_);
  if (!CountsAsFinding(trial.result.verdict.kind)) return;
  Stop(trial.is_variant ? variant : sample, std::move(trial.result),
       absl::StrCat("libFuzzer, variant ", (*drawn)->recipe.ToText()));
}

}  // namespace hlocts::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t size_max,
                                          unsigned seed) {
  return hlocts_mutate_decisions(data, size, size_max, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t first_size,
                                            const uint8_t* second, size_t second_size, uint8_t* out,
                                            size_t size_max, unsigned seed) {
  return hlocts_cross_over_decisions(first, first_size, second, second_size, out, size_max, seed);
}
