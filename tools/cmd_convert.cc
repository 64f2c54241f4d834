// SPDX-License-Identifier: Apache-2.0
// hlocts convert: a module in another format.
#include <iostream>

#include "nlohmann/json.hpp"
#include "spec/files/module_file.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct Options {
  std::string module, to, output, batch;
  bool no_metadata = false, json = false;
};

absl::Status ConvertFile(const std::string& path, const std::string& to, const std::string& output,
                         bool metadata) {
  auto format = ModuleFormatFromName(to);
  if (!format) {
    return InvalidInput("--to: expected text, short, canonical, pb, pbtxt or snapshot, found \"",
                        to, "\"");
  }
  HLOCTS_ASSIGN_OR_RETURN(LoadedModule loaded, OpenModule(path));
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
                             "module: .hlo, .txt, .pb, .pbtxt, snapshot, -");
            flags.Add("--to", &options->to, "text, short, canonical, pb, pbtxt or snapshot");
            flags.Add("--no-metadata", &options->no_metadata, "leave metadata out of texts");
            flags.Add("-o,--output", &options->output, "file to write (default: standard output)");
            flags.Add("--json", &options->json, "accepted for uniformity; errors are text");
            flags.Add("--batch", &options->batch, "file with a JSON object a line");
            return [options] { return RunConvert(*options); };
          }};
}

}  // namespace hlocts::tools
