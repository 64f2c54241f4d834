// SPDX-License-Identifier: Apache-2.0
// Gives access to the files of the page, which are linked into the program.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::reports {

absl::string_view PageHtml();
absl::string_view PageCss();
// Returns the libraries (jQuery, DataTables, Chart.js) and then the page's own scripts.
std::string PageScripts();
// Returns the copyright and the licence of each library, as its package states them.
std::string PageNotices();

}  // namespace hlocts::reports
