// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts digits`, which finds the instructions at which a module loses digits.
#include <iostream>

#include "absl/strings/str_cat.h"
#include "spec/files/file_io.h"
#include "spec/ir/module.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/terminal.h"
#include "tools/commands.h"
#include "tools/digits/report.h"

namespace hlocts::tools {
namespace {

struct DigitsFlags {
  CommonOptions common;
  std::string module, inputs, compiled, picture;
  std::optional<uint64_t> seed;
  int64_t rows = 12, evaluations = 80;
};

absl::Status ShowDigits(const DigitsFlags& flags) {
  HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJob(flags.module, flags.inputs, flags.seed, flags.common));
  if (job.request.arguments.size() != 1)
    return absl::UnimplementedError("digits: expected one device");
  std::vector<OtherWidth> widths;
  if (!flags.compiled.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(const LoadedModule compiled, OpenModule(flags.compiled));
    widths = OtherWidths(*job.module, *compiled.module);
  }
  DigitsOptions options{flags.common};
  options.evaluations_max = static_cast<double>(flags.evaluations);
  options.stop = Interrupted;
  StatusLine line;
  options.progress = [&](int64_t done, int64_t all) {
    line.Show(absl::StrCat(done, " of ", all, " instructions run separately"));
  };
  CatchInterrupts();
  auto digits = MeasureDigits(*job.module, job.request.arguments[0], options);
  line.Clear();
  HLOCTS_RETURN_IF_ERROR(digits.status());
  if (flags.common.json) {
    std::cout << DigitsJson(*job.module, job.module_name, *digits, widths) << std::endl;
  } else {
    std::cout << DigitsText(*job.module, *digits, widths, flags.rows) << std::flush;
  }
  if (flags.picture.empty()) return absl::OkStatus();
  return WriteFile(flags.picture, DigitsPicture(*job.module, *digits, flags.rows));
}

int RunDigits(const DigitsFlags& flags) {
  if (flags.module.empty()) return Fail(InvalidInput("digits: expected a module"));
  const absl::Status status = ShowDigits(flags);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace

Command DigitsCommand() {
  return {"digits", "find the instructions at which a module loses precision", [](Flags& flags) {
            auto options = std::make_shared<DigitsFlags>();
            flags.Positional("MODULE", &options->module,
                             "file, case address, bundle or case directory (hlocts help modules)");
            flags.Add("--inputs", &options->inputs, "literals file (text or .npz)");
            flags.Add("--seed", &options->seed, "seed of random inputs");
            flags.Add("--compiled", &options->compiled,
                      "optimized module of an engine; instructions that it runs at another "
                      "precision are listed");
            flags.Add("--picture", &options->picture, "file for an SVG image");
            flags.Add("--rows", &options->rows, "number of instructions printed (0: all)", {0});
            flags.Add("--evaluations", &options->evaluations,
                      "time limit, as a multiple of the time of one evaluation of the module", {1});
            options->common.DeclareData(flags);
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] { return RunDigits(*options); };
          }};
}

}  // namespace hlocts::tools
