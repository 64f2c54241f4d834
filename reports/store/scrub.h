// SPDX-License-Identifier: Apache-2.0
// Texts as the store keeps them, without anything that identifies a machine or its owner.
#ifndef HLOCTS_REPORTS_STORE_SCRUB_H_
#define HLOCTS_REPORTS_STORE_SCRUB_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::reports {

// Shortens an absolute path ("/opt/me/plugin.so"), also in quotes or after '=' or ':', to its last
// part; a sentence's "and/or" and an address ("movement/pad") stay. `host`, this machine's name,
// becomes "HOST"; the two-argument form is for tests.
std::string Scrubbed(absl::string_view text, absl::string_view host);
std::string Scrubbed(absl::string_view text);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_STORE_SCRUB_H_
