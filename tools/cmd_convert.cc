// SPDX-License-Identifier: Apache-2.0
// hlocts convert: a module in another format.
#include <iostream>

#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"
#include "spec/files/module_file.h"
#include "tools/cli/common.h"
#include "tools/cli/stablehlo.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

constexpr char kForms[] =
    "text, short, canonical, pb, pbtxt, snapshot, stablehlo or stablehlo-bytecode";

struct Options {
  std::string module, to, output, batch;
  bool no_metadata = false, json = false;
};

absl::Status ConvertFile(const std::string& path, const std::string& to, const std::string& output,
                         bool metadata) {
  auto format = ModuleFormatFromName(to);
  const auto stablehlo = StablehloFormFromName(to);
  if (!format && !stablehlo) return InvalidInput("--to: expected ", kForms, ", found \"", to, "\"");
  HLOCTS_ASSIGN_OR_RETURN(LoadedModule loaded, OpenModule(path));
  if (stablehlo) {
    auto mlir = WriteStablehlo(*loaded.module, *stablehlo);
    if (!mlir.ok()) return Annotate(mlir.status(), path);
    return WriteFile(output.empty() ? "-" : output, *mlir);
  }
  SaveOptions save;
  save.format = *format;
  save.metadata = metadata;
  save.arguments = std::move(loaded.arguments);
  save.results = std::move(loaded.results);
  return SaveModule(*loaded.module, save, output.empty() ? "-" : output);
}

int RunConvert(const Options& options) {
  if (!options.batch.empty()) {
    return RunBatch(options.batch, [&](const nlohmann::ordered_json& entry) {
      std::string module = TextField(entry, "module");
      std::string output = TextField(entry, "output");
      absl::Status status = output.empty()
                                ? InvalidInput("expected \"output\", a path")
                                : ConvertFile(module, TextField(entry, "to", options.to), output,
                                              !entry.value("no-metadata", options.no_metadata));
      nlohmann::ordered_json answer = BatchResult(module, status);
      answer["output"] = status.ok() ? output : "";
      return std::vector<nlohmann::ordered_json>{answer};
    });
  }
  if (options.module.empty()) return Fail(InvalidInput("convert: expected a module or --batch"));
  absl::Status status =
      ConvertFile(options.module, options.to, options.output, !options.no_metadata);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace

Command ConvertCommand() {
  return {"convert", "write a module in another format", [](Flags& flags) {
            auto options = std::make_shared<Options>();
            flags.Positional("MODULE", &options->module,
                             "module: .hlo, .txt, .pb, .pbtxt, snapshot, .mlir, -");
            flags.Add("--to", &options->to, kForms);
            flags.Add("--no-metadata", &options->no_metadata, "leave metadata out of texts");
            flags.Add("-o,--output", &options->output, "file to write (default: standard output)");
            flags.Add("--json", &options->json, "accepted for uniformity; errors are text");
            flags.Add("--batch", &options->batch, "file with a JSON object a line");
            return [options] { return RunConvert(*options); };
          }};
}

}  // namespace hlocts::tools
