// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hlocts {

// The version of the tool, the suite and our engines, from VERSION: "1.0.0", "1.1.0-dev".
extern const char kVersion[];
// The file name of the release's tarball, which generated workflows unpack.
extern const char kReleaseTarball[];

}  // namespace hlocts
