// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts adopt`: turns a bundle into a case of the suite.
#include <filesystem>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "backends/differ/failure_details.h"
#include "fuzz/triage/bundle.h"
#include "spec/files/file_io.h"
#include "spec/ir/module.h"
#include "spec/ops/op_table.h"
#include "spec/text/printer.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct AdoptOptions {
  std::string bundle, name, cases;
};

// Returns the opcode of the instruction that the failure names, or else of the root.
Opcode OpcodeOf(const Module& module, const std::string& instruction,
                const std::string& operation) {
  const Instruction* named = backends::FindInstruction(module, instruction, operation);
  return (named ? named : module.entry()->root())->opcode();
}

std::string CaseText(const fuzz::Bundle& bundle, Opcode opcode, const std::string& name,
                     const std::string& clause) {
  std::string text =
      absl::StrCat("# ", bundle.signature, "\n@operation ", RowOf(opcode).documented_as,
                   "\n@opcode ", OpcodeName(opcode), "\n@case ", name, "\n@clauses ", clause, "\n");
  if (bundle.sample.module->replica_count > 1)
    absl::StrAppend(&text, "@replicas ", bundle.sample.module->replica_count, "\n");
  absl::StrAppend(&text, "@module\n", PrintModule(*bundle.sample.module, PrintOptions::Short()),
                  "@inputs\n");
  for (const Literal& argument : bundle.sample.arguments)
    absl::StrAppend(&text, PrintLiteralWithShape(argument), "\n");
  return text;
}

// Returns the name of the case, which consists of letters, digits and _.
absl::StatusOr<std::string> NameOf(const AdoptOptions& options, const std::string& folder) {
  std::string name = options.name.empty() ? folder : options.name;
  for (char& c : name) {
    if (absl::ascii_isalnum(c) || c == '_') continue;
    if (!options.name.empty())
      return InvalidInput("--name: expected letters, digits and _, found \"", options.name, "\"");
    c = '_';
  }
  return name;
}

absl::StatusOr<std::string> Adopt(const AdoptOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(fuzz::Bundle bundle, fuzz::ReadBundle(options.bundle));
  if (bundle.options.invalid)
    return InvalidInput(options.bundle, ": the module is invalid: write a @reject case");
  const reports::Verdict& verdict = bundle.result.verdict;
  std::string instruction, operation, clause;
  if (verdict.first_failure) {
    instruction = verdict.first_failure->instruction;
    operation = verdict.first_failure->operation;
    clause = verdict.first_failure->clause;
  }
  Opcode opcode = OpcodeOf(*bundle.sample.module, instruction, operation);
  const OpRow& row = RowOf(opcode);
  if (row.documented_as.empty())
    return InvalidInput(options.bundle, ": ", OpcodeName(opcode), " is not a documented operation");
  if (clause.empty()) clause = std::string(row.clauses);
  if (clause.find('.') == std::string::npos) clause += ".1";  // the rule names a page only
  bundle.signature =
      absl::StrCat("Found by fuzzing: ", OutcomeName(verdict.kind), " on ", bundle.backend);
  std::filesystem::path folder_of_bundle(options.bundle);
  if (!folder_of_bundle.has_filename())
    folder_of_bundle = folder_of_bundle.parent_path();  // the path ends in a slash: "a/b/"
  HLOCTS_ASSIGN_OR_RETURN(const std::string name,
                          NameOf(options, folder_of_bundle.filename().string()));
  std::string folder =
      options.cases.empty() ? absl::StrCat(suites::HomeFolder(), "/suites/cases") : options.cases;
  if (!std::filesystem::is_directory(folder))
    return InvalidInput("--cases: ", folder, ": expected a directory, found none");
  std::string path = absl::StrCat(folder, "/found/", name, ".case");
  if (std::filesystem::exists(path))
    return absl::AlreadyExistsError(absl::StrCat(path, ": already exists"));
  std::error_code error;
  std::filesystem::create_directories(folder + "/found", error);
  HLOCTS_RETURN_IF_ERROR(WriteFile(path, CaseText(bundle, opcode, name, clause)));
  return path;
}

int RunAdopt(const AdoptOptions& options) {
  if (options.bundle.empty()) return Fail(InvalidInput("adopt: expected a bundle"));
  auto path = Adopt(options);
  if (!path.ok()) return Fail(path.status());
  std::cout << *path << "\n";
  return kExitOk;
}

}  // namespace

Command AdoptCommand() {
  return {"adopt", "turn a bundle into a case of the suite", [](Flags& flags) {
            auto options = std::make_shared<AdoptOptions>();
            flags.Positional("BUNDLE", &options->bundle, "directory of a bundle");
            flags.Add("--name", &options->name, "name of the case (default: the directory's)");
            flags.Add("--cases", &options->cases, "directory of cases (default: suites/cases)");
            return [options] { return RunAdopt(*options); };
          }};
}

}  // namespace hlocts::tools
