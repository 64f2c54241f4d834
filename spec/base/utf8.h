// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_SPEC_BASE_UTF8_H_
#define HLOCTS_SPEC_BASE_UTF8_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hlocts {

// The text with U+FFFD instead of invalid UTF-8: string fields of protobuf messages accept nothing
// else.
std::string AsUtf8(absl::string_view text);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_UTF8_H_
