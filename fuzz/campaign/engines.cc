// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/engines.h"

#include <cstdio>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/backend_list.h"

namespace hlocts::fuzz {

absl::StatusOr<Engines> StartEngines(const std::vector<std::string>& names) {
  Engines engines;
  for (const std::string& name : names) {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> engine, backends::MakeBackend(name));
    backends::BackendInfo info = engine->info();
    if (!info.available) return absl::UnavailableError(absl::StrCat(name, ": ", info.error.Text()));
    engines.tested.push_back(std::make_unique<TimedEngine>(std::move(engine)));
  }
  HLOCTS_ASSIGN_OR_RETURN(engines.reference, backends::MakeBackend("reference"));
  return engines;
}

absl::StatusOr<std::vector<Engines>> StartJobs(const std::vector<std::string>& names, int jobs) {
  std::vector<Engines> started;
  HLOCTS_ASSIGN_OR_RETURN(started.emplace_back(), StartEngines(names));
  for (const auto& engine : started[0].tested) jobs = backends::BoundedJobs(jobs, engine->info());
  for (int job = 2; job <= jobs; ++job) {
    absl::StatusOr<Engines> engines = StartEngines(names);
    if (engines.ok()) {
      started.push_back(*std::move(engines));
      continue;
    }
    std::fprintf(stderr, "hlocts: job %d of %d is omitted, since its engine does not start: %s\n",
                 job, jobs, std::string(engines.status().message()).c_str());
  }
  return started;
}

TypeSet TypesOf(const backends::BackendInfo& info) {
  TypeSet types = ~TypeSet{0};
  for (absl::string_view word : info.capabilities) {
    if (!absl::ConsumePrefix(&word, "without:")) continue;
    if (auto type = PrimitiveTypeFromName(word)) types &= ~TypeBit(*type);
  }
  return types;
}

TypeSet CommonTypes(const Engines& engines) {
  TypeSet types = ~TypeSet{0};
  for (const auto& engine : engines.tested) types &= TypesOf(engine->info());
  return types;
}

bool TakesDynamicArguments(const backends::BackendInfo& info) {
  return !absl::c_linear_search(info.capabilities, "without:dynamic-arguments");
}

bool AllTakeDynamicArguments(const Engines& engines) {
  return absl::c_all_of(engines.tested, [](const std::unique_ptr<TimedEngine>& engine) {
    return TakesDynamicArguments(engine->info());
  });
}

std::string NamesOfMissing(TypeSet types) {
  std::string names;
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!Contains(types, type)) absl::StrAppend(&names, " ", PrimitiveTypeName(type));
  }
  return names;
}

}  // namespace hlocts::fuzz
