// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/bundle_texts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "fuzz/triage/failure_signature.h"
#include "spec/files/literals_file.h"
#include "spec/infer/verifier.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

constexpr char kJaxScript[] = R"py(# $SIGNATURE
# Compiles the module below as it stands with XLA:CPU of the installed jaxlib and prints what it
# returns. Acceptable outputs: expected.jsonl, in words README.md.   pip install jax
import jax
import numpy as np
import ml_dtypes  # comes with jax

MODULE = r"""$MODULE"""
# Bytes of each argument in row-major order, as the type's own bits.
ARGUMENTS = [
$ARGUMENTS]


def stablehlo(text):
  """HLO text to StableHLO, wherever this jaxlib keeps the converter."""
  try:
    from jaxlib import _hlo as hlo
    from jax._src.lib import _jax as lib
  except ImportError:
    from jax._src.lib import xla_client
    hlo = lib = xla_client._xla
  proto = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
  if hasattr(lib.mlir, "hlo_to_stablehlo"):
    return lib.mlir.hlo_to_stablehlo(proto)
  return lib.mlir.xla_computation_to_mlir_module(hlo.XlaComputation(proto))


client = jax.devices("cpu")[0].client
devices = client.local_devices()[:1]
program = stablehlo(MODULE)
if hasattr(client, "compile_and_load"):
  from jax._src.lib import xla_client
  run = client.compile_and_load(program, xla_client.DeviceList(tuple(devices)), xla_client.CompileOptions())
else:
  run = client.compile(program)
arguments = [np.frombuffer(bytes.fromhex(data), dtype=np.dtype(getattr(ml_dtypes, kind, None) or kind)).reshape(dims)
             for kind, dims, data in ARGUMENTS]
jax.config.update("jax_enable_x64", True)  # or device_put makes 32 bits of 64
for output in run.execute([jax.device_put(a, devices[0]) for a in arguments]):
  print(np.asarray(output))
)py";

constexpr char kTest[] =
    R"cc(// $SIGNATURE
         // Passes once the engine returns what the clause demands. Build it beside the tests of
         // hlocts (hlocts_test with DEPS backends $READER_LIBRARY spec_files).
#include <gtest/gtest.h>

#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "fuzz/triage/failure_signature.h"
#include "spec/files/literals_file.h"
#include "$READER_LIBRARY/$READER_HEADER"

         namespace hlocts::fuzz {
         namespace {

         constexpr char kModule[] = R"hlo($MODULE)hlo";
         constexpr char kInputs[] = R"inputs($INPUTS)inputs";

         TEST(Repro, $NAME) {
           auto module = $READER;
           ASSERT_TRUE(module.ok()) << module.status();
           auto inputs = ParseLiterals(kInputs, ArgumentLeafShapes(**module));
           ASSERT_TRUE(inputs.ok()) << inputs.status();
           auto engine = MakeBackend("$BACKEND");
           ASSERT_TRUE(engine.ok()) << engine.status();
           DiffOptions options;
           options.load.replicas = (*module)->replica_count;
           ExecuteRequest request;
           request.arguments.assign(options.load.replicas, inputs->blocks.empty()
                                                               ? std::vector<Literal>()
                                                               : inputs->blocks[0].leaves);
           Verdict verdict = $CALL;
           EXPECT_EQ(verdict.kind, VerdictKind::kPass) << VerdictToText(verdict);
         }

         }  // namespace
         }  // namespace hlocts::fuzz
    )cc";

std::string InputsText(const Bundle& bundle) {
  LiteralsFile inputs;
  inputs.blocks.push_back({kEvery, kEvery, bundle.sample.arguments});
  return FormatLiterals(inputs);
}

// numpy's name of an element type, or ml_dtypes' for those numpy has not.
std::string DtypeName(PrimitiveType type) {
  struct Name {
    PrimitiveType type;
    const char* name;
  };
  static constexpr Name kNames[] = {
      {PrimitiveType::kPred, "bool"},
      {PrimitiveType::kBF16, "bfloat16"},
      {PrimitiveType::kF16, "float16"},
      {PrimitiveType::kF32, "float32"},
      {PrimitiveType::kF64, "float64"},
      {PrimitiveType::kC64, "complex64"},
      {PrimitiveType::kC128, "complex128"},
      {PrimitiveType::kF8E5M2, "float8_e5m2"},
      {PrimitiveType::kF8E4M3, "float8_e4m3"},
      {PrimitiveType::kF8E4M3FN, "float8_e4m3fn"},
      {PrimitiveType::kF8E3M4, "float8_e3m4"},
      {PrimitiveType::kF8E4M3B11FNUZ, "float8_e4m3b11fnuz"},
      {PrimitiveType::kF8E4M3FNUZ, "float8_e4m3fnuz"},
      {PrimitiveType::kF8E5M2FNUZ, "float8_e5m2fnuz"},
      {PrimitiveType::kF8E8M0FNU, "float8_e8m0fnu"},
      {PrimitiveType::kF4E2M1FN, "float4_e2m1fn"},
  };
  for (const Name& row : kNames) {
    if (row.type == type) return row.name;
  }
  return absl::StrCat(IsUnsigned(type) ? "uint" : "int", BitWidth(type));
}

std::string PythonArguments(const Bundle& bundle) {
  std::string text;
  for (const Literal& literal : bundle.sample.arguments) {
    std::string bytes;
    for (size_t i = 0; i < literal.raw_size(); ++i)
      absl::StrAppend(&bytes, absl::Hex(literal.raw_data()[i], absl::kZeroPad2));
    absl::StrAppend(&text, "    (\"", DtypeName(literal.element_type()), "\", [",
                    absl::StrJoin(literal.shape().dimensions(), ", "), "], \"", bytes, "\"),\n");
  }
  return text;
}

std::string WhatIsWrong(const Bundle& bundle) {
  const reports::Verdict& verdict = bundle.result.verdict;
  if (const auto& failure = verdict.first_failure) {
    return absl::StrCat(
        "Output ", failure->output, ", element {", absl::StrJoin(failure->index, ","), "} is `",
        failure->actual, "` (bits ", failure->actual_bits, "). Accepted: ", failure->accepted,
        ".\n\n", failure->clause.empty() ? "" : absl::StrCat("Clause: ", failure->clause, ". "),
        failure->rule.empty() ? "" : absl::StrCat("Rule: ", failure->rule, ". "),
        failure->instruction.empty() ? ""
                                     : absl::StrCat("Instruction: %", failure->instruction, "."),
        "\n");
  }
  return absl::StrCat("The engine's verdict is `", reports::VerdictName(verdict.kind),
                      "`: ", verdict.reason, "\n");
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

std::string BundleReadme(const Bundle& bundle, const std::string& proto) {
  const reports::Verdict& verdict = bundle.result.verdict;
  return absl::StrCat("# ", bundle.signature, "\n\n", WhatIsWrong(bundle), "\n",
                      verdict.first_failure && !verdict.reason.empty()
                          ? absl::StrCat("Blame: ", verdict.reason, "\n\n")
                          : "",
                      "Engine: ", bundle.backend, " ", verdict.backend_version, "; profile ",
                      verdict.profile, ".\n",
                      bundle.origin.empty() ? "" : absl::StrCat("Found by: ", bundle.origin, ".\n"),
                      "\nReplay, in a checkout with a build: `build/hlocts replay <this folder>` "
                      "(exit 1: the failure is still there).\n",
                      "`module.hlo` with `inputs.txt` gave `actual.txt`; `expected.jsonl` is the "
                      "acceptance set of each output.\n",
                      proto.empty() ? ""
                                    : "Its text cannot say what is wrong with this module: "
                                      "replayed is `module.pbtxt`, its proto form.\n");
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
              {"$INPUTS", InputsText(bundle)},
              {"$NAME", name},
              {"$BACKEND", bundle.backend},
              {"$CALL", call}});
}

std::string BundleJaxScript(const Bundle& bundle) {
  return absl::StrReplaceAll(kJaxScript, {{"$SIGNATURE", bundle.signature},
                                          {"$MODULE", PrintModule(*bundle.sample.module)},
                                          {"$ARGUMENTS", PythonArguments(bundle)}});
}

}  // namespace hlocts::fuzz
