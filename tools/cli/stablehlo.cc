// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/stablehlo.h"

#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "spec/base/python_module.h"
#include "spec/files/home_folder.h"
#include "spec/ir/module.h"
#include "spec/pjrt/table/stablehlo.h"

namespace hlocts::tools {
namespace {

using backends::ModuleForm;

// Returns the converter, which starts on first use and lives until the program ends. It is XLA's
// own converter if this build has it, or else the program that PJRT plugins use.
absl::StatusOr<backends::Converter*> SharedConverter() {
  static std::unique_ptr<backends::Converter> converter;
  if (!converter) {
    auto made = backends::MakeXlaConverter();
    if (!made.ok()) {
      const char* named = std::getenv(pjrt::kConverterVariable);
      const std::string command = named != nullptr ? named : PythonModuleCommand("stablehlo");
      const char separator = absl::StrContains(command, '\n') ? '\n' : ' ';
      const std::vector<std::string> argv = absl::StrSplit(command, separator, absl::SkipEmpty());
      if (argv.empty()) return made.status();
      made = std::make_unique<backends::Converter>(argv);
    }
    converter = *std::move(made);
  }
  return converter.get();
}

// Returns the argument with which pip installs this program's Python package, and a space. Returns
// "" if the package is in use (it named the converter); then only JAX is missing.
std::string PythonPackage() {
  const char* named = std::getenv(pjrt::kConverterVariable);
  if (named != nullptr && absl::StrContains(named, "hlocts.stablehlo")) return "";
  if (!IsInstalled()) return "./python ";
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(HomeFolder() + "/python", none))
    if (file.path().extension() == ".whl") return file.path().string() + " ";
  return "hlocts-*.whl ";
}

absl::Status WithConverterHint(const absl::Status& status) {
  if (!absl::IsUnavailable(status)) return status;
  const char* named = std::getenv(pjrt::kConverterVariable);
  const std::string package = PythonPackage();
  const std::string failed =
      named == nullptr || package.empty()
          ? "that of jaxlib did not start"
          : absl::StrCat("`", absl::StrReplaceAll(named, {{"\n", " "}}), "` failed");
  return absl::UnavailableError(
      absl::StrCat("cannot convert StableHLO: this build lacks XLA's converter, and ", failed,
                   ". To install that of jaxlib: `pip install ", package, "jax`; ",
                   pjrt::kConverterVariable, " names another command. ",
                   // Only the last line of a traceback is the reason.
                   status.message().substr(status.message().rfind('\n') + 1)));
}

// Replaces "-", the name of standard input in the converter's locations, by `path`.
void NameFile(const std::string& path, Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const OpMetadata* found = instruction->Get<OpMetadata>(Attr::kMetadata);
      if (found == nullptr || found->source_file != "-") continue;
      OpMetadata named = *found;
      named.source_file = path;
      instruction->Set(Attr::kMetadata, std::move(named));
    }
  }
  for (std::string& file : module.stack_frame_index.file_names) file = file == "-" ? path : file;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ReadStablehlo(const std::string& path,
                                                      absl::string_view content) {
  absl::StatusOr<backends::Converter*> converter = SharedConverter();
  if (!converter.ok()) return Annotate(WithConverterHint(converter.status()), path);
  auto module = backends::HloFromStablehlo(**converter, content);
  if (!module.ok()) return Annotate(WithConverterHint(module.status()), path);
  NameFile(path, **module);
  return module;
}

std::optional<ModuleForm> StablehloFormFromName(absl::string_view name) {
  for (ModuleForm form : {ModuleForm::kStablehlo, ModuleForm::kStablehloBytecode})
    if (name == backends::ModuleFormName(form)) return form;
  return std::nullopt;
}

absl::StatusOr<std::string> WriteStablehlo(const Module& module, ModuleForm form) {
  absl::StatusOr<backends::Converter*> converter = SharedConverter();
  if (!converter.ok()) return WithConverterHint(converter.status());
  auto text = backends::StablehloFromHlo(**converter, module, form);
  return text.ok() ? std::move(text) : WithConverterHint(text.status());
}

}  // namespace hlocts::tools
