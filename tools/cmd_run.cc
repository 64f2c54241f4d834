// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts run`: runs the conformance suite on engines.
#include "tools/cli/suite_run.h"
#include "tools/commands.h"

namespace hlocts::tools {

Command RunCommand() {
  return {"run", "run the conformance suite on engines", [](Flags& flags) {
            auto options = std::make_shared<SuiteOptions>();
            options->Declare(flags);
            return [options] { return RunSuite(*options); };
          }};
}

}  // namespace hlocts::tools
