// SPDX-License-Identifier: Apache-2.0
#include "backends/passes/dump_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "spec/files/file_io.h"

namespace hlocts::backends {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kAfterWord = ".after_", kBeforeWord = ".before_";

// Removes a trailing ".NAME"; returns false if there is no dot.
bool TakeLast(absl::string_view* text, std::string* word) {
  const size_t dot = text->rfind('.');
  if (dot == text->npos) return false;
  *word = std::string(text->substr(dot + 1));
  *text = text->substr(0, dot);
  return true;
}

// Parses "m.0007.pipeline.after_P.before_Q", the middle of a file name. A dump inside P has no Q.
bool ParsePass(absl::string_view name, DumpFile* dump) {
  const size_t before = name.rfind(kBeforeWord);
  const size_t after = name.rfind(kAfterWord, before);
  if (after == name.npos) return false;
  absl::string_view pass = name.substr(after + kAfterWord.size());
  if (before != name.npos) {
    dump->before = std::string(name.substr(before + kBeforeWord.size()));
    pass = pass.substr(0, before - after - kAfterWord.size());
  }
  dump->after = std::string(pass);
  name = name.substr(0, after);
  std::string number;
  if (!TakeLast(&name, &dump->pipeline) || !TakeLast(&name, &number)) return false;
  dump->kind = DumpKind::kPass;
  dump->module_name = std::string(name);
  return absl::SimpleAtoi(number, &dump->number);
}

// Parses "m.before_optimizations" or "m.cpu_after_optimizations".
bool ParseEnds(absl::string_view name, DumpFile* dump) {
  std::string last;
  if (!TakeLast(&name, &last)) return false;
  dump->module_name = std::string(name);
  if (last == "before_optimizations") dump->kind = DumpKind::kBefore;
  if (absl::EndsWith(last, "after_optimizations")) dump->kind = DumpKind::kAfter;
  return dump->kind != DumpKind::kOther;
}

auto Order(const DumpFile& dump) {
  return std::make_tuple(dump.module_number, dump.kind, dump.number, dump.file);
}

// Returns the pass that was running after the last dump of an unfinished compilation.
std::string RunningPass(const DumpedModule& module) {
  for (auto dump = module.files.rbegin(); dump != module.files.rend(); ++dump) {
    if (dump->kind == DumpKind::kPass) return dump->before == kPipelineEnd ? "" : dump->before;
  }
  return "";
}

void Complete(DumpedModule& module) {
  std::sort(module.files.begin(), module.files.end(),
            [](const DumpFile& a, const DumpFile& b) { return Order(a) < Order(b); });
  for (const DumpFile& dump : module.files) {
    if (dump.kind == DumpKind::kPass) ++module.passes;
    if (dump.kind == DumpKind::kAfter) module.complete = true;
  }
  if (!module.complete) module.running = RunningPass(module);
}

}  // namespace

std::optional<DumpFile> ParseDumpName(absl::string_view file) {
  DumpFile dump;
  dump.file = std::string(file);
  if (!absl::ConsumePrefix(&file, "module_")) return std::nullopt;
  const size_t digits = file.find_first_not_of("0123456789");
  if (digits == 0 || digits == file.npos || file[digits] != '.') return std::nullopt;
  if (!absl::SimpleAtoi(file.substr(0, digits), &dump.module_number)) return std::nullopt;
  file.remove_prefix(digits + 1);
  if (absl::StrContains(file, "snapshot")) {
    dump.kind = DumpKind::kSnapshot;
    dump.module_name = std::string(file.substr(0, file.find(".")));
    return dump;
  }
  if (!absl::ConsumeSuffix(&file, ".txt")) return std::nullopt;
  if (ParsePass(file, &dump) || ParseEnds(file, &dump)) return dump;
  return std::nullopt;
}

std::string StageName(const Stage& stage) {
  if (stage.after.empty()) return "the given module";
  if (stage.after == kPipelineStart) return absl::StrCat("before pipeline ", stage.pipeline);
  if (stage.pipeline.empty()) return absl::StrCat("after ", stage.after);
  return absl::StrCat("after ", stage.after, " (", stage.pipeline, ")");
}

absl::StatusOr<std::vector<DumpedModule>> ReadDumpFolder(const std::string& folder) {
  std::error_code error;
  // Processes that share a directory number their modules alike.
  std::map<std::pair<int64_t, std::string>, DumpedModule> modules;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::optional<DumpFile> dump = ParseDumpName(entry->path().filename().string());
    if (!dump) continue;
    DumpedModule& module = modules[{dump->module_number, dump->module_name}];
    module.number = dump->module_number;
    module.name = dump->module_name;
    module.files.push_back(*std::move(dump));
  }
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  if (modules.empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder,
                     ": expected the dumps of --xla_dump_to (module_0001.*.txt; "
                     "--xla_dump_hlo_as_text), found none"));
  }
  std::vector<DumpedModule> all;
  for (auto& [key, module] : modules) {
    Complete(module);
    all.push_back(std::move(module));
  }
  return all;
}

namespace {

// Returns the dump of the pass that made text i. If text i is from the start of a pipeline and
// differs from the previous text, the pass that runs this pipeline made it. That pass belongs to a
// pipeline that began before text i, and its dump is the next one of such a pipeline.
const DumpFile& MadeBy(const std::vector<DumpFile>& files, size_t i) {
  if (files[i].after != kPipelineStart) return files[i];
  for (size_t later = i + 1; later < files.size(); ++later) {
    const DumpFile& dump = files[later];
    const auto began = [&](const DumpFile& one) { return one.pipeline == dump.pipeline; };
    if (dump.kind == DumpKind::kPass && dump.after != kPipelineStart &&
        dump.pipeline != files[i].pipeline &&
        std::any_of(files.begin(), files.begin() + static_cast<int64_t>(i), began))
      return dump;
  }
  return files[i];
}

// Returns true if the dumps are of selected passes only. With ".*" XLA dumps all passes that change
// the module.
bool OfSelectedPasses(const std::string& folder, const DumpedModule& module) {
  const auto options = ReadFile(
      absl::StrFormat("%s/module_%04d.%s.debug_options", folder, module.number, module.name));
  if (options.ok()) return !absl::StrContains(*options, "xla_dump_hlo_pass_re: \".*\"");
  const auto is_pass = [](const DumpFile& one) { return one.kind == DumpKind::kPass; };
  const auto first = absl::c_find_if(module.files, is_pass);
  return first == module.files.end() || first->after != kPipelineStart;
}

// Returns true if other passes than that of `made` may have contributed to the text of `files[i]`.
// With selected passes, XLA dumps the module before and after each of them, so the dump after a
// pass is the next one of its pipeline after the dump before it. A dump from within a pass has no
// `before`; its pipeline is the name of the pass.
bool DumpsAreMissing(const std::vector<DumpFile>& files, size_t i, const DumpFile& made,
                     bool selected) {
  const DumpFile& previous = files[i - 1];
  const bool first = previous.kind == DumpKind::kBefore;
  if (made.kind != DumpKind::kPass) return true;
  if (!first && files[i].number != previous.number + 1) return true;
  if (!selected) return false;
  if (made.after == kPipelineStart) return true;
  if (made.before.empty())
    return previous.pipeline != made.pipeline && previous.before != made.pipeline;
  while (i > 0 && files[i - 1].pipeline != made.pipeline) --i;
  return i == 0 || files[i - 1].before != made.after;
}

}  // namespace

absl::StatusOr<std::vector<Stage>> StagesOf(const std::string& folder, const DumpedModule& module) {
  const bool selected = OfSelectedPasses(folder, module);
  std::vector<Stage> stages;
  for (size_t i = 0; i < module.files.size(); ++i) {
    const DumpFile& dump = module.files[i];
    if (dump.kind == DumpKind::kSnapshot) continue;
    Stage stage;
    HLOCTS_ASSIGN_OR_RETURN(stage.text, ReadFile(absl::StrCat(folder, "/", dump.file)));
    if (!stages.empty() && stages.back().text == stage.text) continue;
    stage.file = dump.file;
    const bool given = stages.empty();
    const DumpFile& made_by = MadeBy(module.files, i);
    if (!given)
      stage.after = dump.kind == DumpKind::kAfter ? std::string(kLastPass) : made_by.after;
    stage.pipeline = made_by.pipeline;
    if (!given && DumpsAreMissing(module.files, i, made_by, selected))
      stage.since = module.files[i - 1];
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace hlocts::backends
