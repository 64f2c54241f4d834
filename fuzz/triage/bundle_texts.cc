// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/bundle_texts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/backend_list.h"
#include "backends/installed_backend.h"
#include "fuzz/triage/failure_signature.h"
#include "reports/sentences.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

constexpr char kTest[] = R"test(// $SIGNATURE
// Passes once the engine returns what the clause demands. HLOCTS_ENGINE names another engine, such
// as pjrt:/path/plugin.so. Build it with the tests of hlocts (hlocts_test with DEPS backends_differ
// spec_files $READER_LIBRARY).
#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "spec/files/literals_file.h"
#include "spec/ir/module.h"
#include "$READER_LIBRARY/$READER_HEADER"

namespace hlocts::backends {
namespace {

constexpr char kModule[] = R"hlo($MODULE)hlo";
constexpr char kInputs[] = R"inputs($INPUTS)inputs";

TEST(Repro, $NAME) {
  auto module = $READER;
  ASSERT_TRUE(module.ok()) << module.status();
  auto inputs = ParseLiterals(kInputs, ArgumentLeafShapes(**module));
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  const char* other = std::getenv("HLOCTS_ENGINE");
  auto engine = MakeBackend(other == nullptr ? "$BACKEND" : other);
  ASSERT_TRUE(engine.ok()) << engine.status();
  DiffOptions options;
  options.load.replicas = (*module)->replica_count;
  ExecuteRequest request;
  request.arguments.assign(options.load.replicas, inputs->blocks.empty()
                                                      ? std::vector<Literal>()
                                                      : inputs->blocks[0].leaves);
  const reports::Verdict verdict = $CALL;
  EXPECT_EQ(verdict.kind, Outcome::kPass) << reports::VerdictToText(verdict);
}

}  // namespace
}  // namespace hlocts::backends
)test";

std::string Fenced(const std::string& text) { return absl::StrCat("```\n", text, "```\n"); }

std::string WhatIsWrong(const Bundle& bundle) {
  const reports::Verdict& verdict = bundle.result.verdict;
  if (!verdict.first_failure) {
    return absl::StrCat("The engine's verdict is `", OutcomeName(verdict.kind),
                        "`: ", reports::FoldedReason(verdict), "\n");
  }
  const reports::VerdictFailure& failure = *verdict.first_failure;
  std::string text = absl::StrCat(
      "Output ", failure.output, ", element {", absl::StrJoin(failure.index, ","), "} is `",
      failure.actual, "` (bits ", failure.actual_bits, "). Accepted: ", failure.accepted, ".\n");
  const std::vector<reports::ClauseSentence> sentences = reports::SentencesOf(verdict);
  text += reports::FactSentences(failure, bundle.backend);
  for (const reports::ClauseSentence& one : sentences)
    absl::StrAppend(&text, "\n> ", one.text, "\n>\n> Clause ", one.id, ", ", one.source, "\n");
  if (sentences.empty() && !failure.clause.empty())
    absl::StrAppend(&text, "\nClause: ", failure.clause, ".\n");
  if (!failure.rule.empty()) absl::StrAppend(&text, "\nRule: ", failure.rule, ".\n");
  const std::vector<std::string>& names = verdict.localisation.instructions;
  if (names.size() > 1)
    absl::StrAppend(&text, "Instructions: %", absl::StrJoin(names, ", %"), ".\n");
  else if (!failure.instruction.empty())
    absl::StrAppend(&text, "Instruction: %", failure.instruction, ".\n");
  return text;
}

// Returns the module and the inputs if they fit on a page.
std::string ModuleAndInputsText(const Bundle& bundle) {
  constexpr size_t kPage = 4000;
  const std::string module = PrintModule(*bundle.sample.module, PrintOptions::Short());
  const std::string inputs = InputsText(bundle.sample);
  if (module.size() + inputs.size() > kPage) return "";
  return absl::StrCat("\n", Fenced(module), inputs.empty() ? "" : "\nInputs:\n" + Fenced(inputs));
}

struct Reader {
  const char *library, *header, *call;
};
constexpr Reader kTextReader = {"spec_text", "parser.h", "ParseModule(kModule)"};
constexpr Reader kProtoReader = {"spec_proto", "convert.h",
                                 "ParseModuleProtoText(kModule, Malformed::kKept)"};

}  // namespace

std::string ProtoWhereTextFails(const Module& module) {
  const std::string rule = RuleOf(VerifyModule(module));
  if (rule.empty()) return "";
  auto read = ParseModule(PrintModule(module));
  if (read.ok() && RuleOf(VerifyModule(**read)) == rule) return "";
  return PrintModuleProto(module).value_or("");
}

std::string EngineText(const std::string& backend, absl::string_view version) {
  const std::string release = backend.substr(backend.find('@') + 1);
  return absl::StrCat(
      "Engine: ", backend, IsPluginFile(backend) ? " (the plugin file PLUGIN.so) " : " ",
      absl::StrReplaceAll(version, {{"jaxlib " + release + ", ", ""}, {release + " ", ""}}));
}

std::string BundleReadme(const Bundle& bundle, const std::string& proto) {
  const reports::Verdict& verdict = bundle.result.verdict;
  const std::string place = backends::EngineLocationOption(bundle.backend, verdict.backend_version);
  return absl::StrCat(
      "# ", bundle.signature, "\n\n", WhatIsWrong(bundle), "\n",
      verdict.first_failure && !reports::ReasonText(verdict).empty()
          ? absl::StrCat("Found: ", reports::ReasonText(verdict), "\n\n")
          : "",
      EngineText(bundle.backend, verdict.backend_version), "; profile ", verdict.profile, ".\n",
      bundle.plugin.empty() ? "" : absl::StrCat("Plugin file: SHA-256 ", bundle.plugin, ".\n"),
      RunsInJax(bundle.backend)
          ? absl::StrCat("Compile options: ", backends::CompileOptionsText(bundle.backend), ".\n")
          : "",
      bundle.origin.empty() ? "" : absl::StrCat("Found by: ", bundle.origin, ".\n"),
      verdict.flake.empty() ? "" : absl::StrCat("Runs: ", verdict.flake, ".\n"),
      "\nReplay: `hlocts replay <this directory>", place.empty() ? "" : " ", place,
      "` (exit status 1: the failure still occurs).\n",
      bundle.unshrunk ? absl::StrCat("Make it small: `hlocts shrink <this directory>",
                                     place.empty() ? "" : " ", place, " -o DIR`.\n")
                      : "",
      IsPluginFile(bundle.backend) ? "With JAX: `python repro_jax.py PLUGIN.so`.\n" : "",
      bundle.result.outputs.empty()
          ? absl::StrCat("On `module.hlo` with `inputs.txt`, the engine ",
                         verdict.kind == Outcome::kCrash ? "crashed.\n" : "has no outputs.\n")
          : "`module.hlo` with `inputs.txt` returned `actual.txt`; `expected.jsonl` is the "
            "acceptance set of each output.\n",
      ModuleAndInputsText(bundle),
      proto.empty() ? ""
                    : "The text cannot express the error of this module: `module.pbtxt`, its proto "
                      "form, is replayed.\n");
}

std::string BundleTest(const Bundle& bundle, const std::string& proto) {
  std::string name = absl::StrReplaceAll(FolderNameOf(bundle.signature), {{".", "_"}, {"-", "_"}});
  std::string call = bundle.options.invalid ? "DiffInvalidModule(**module, **engine, options)"
                                            : "Differ(**module, request, options).Diff(**engine)";
  const Reader& reader = proto.empty() ? kTextReader : kProtoReader;
  return absl::StrReplaceAll(
      kTest, {{"$SIGNATURE", bundle.signature},
              {"$READER_LIBRARY/", absl::StrReplaceAll(reader.library, {{"_", "/"}}) + "/"},
              {"$READER_LIBRARY", reader.library},
              {"$READER_HEADER", reader.header},
              {"$READER", reader.call},
              {"$MODULE", proto.empty() ? PrintModule(*bundle.sample.module) : proto},
              {"$INPUTS", InputsText(bundle.sample)},
              {"$NAME", name},
              {"$BACKEND", bundle.backend},
              {"$CALL", call}});
}

}  // namespace hlocts::fuzz
