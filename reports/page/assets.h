// SPDX-License-Identifier: Apache-2.0
// The files of the page, linked into the program.
#ifndef HLOCTS_REPORTS_PAGE_ASSETS_H_
#define HLOCTS_REPORTS_PAGE_ASSETS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::reports {

absl::string_view PageHtml();
absl::string_view PageCss();
// The libraries (jQuery, DataTables, Chart.js), then the page's own scripts, in load order.
std::string PageScripts();
// Copyright and licence of each library, as its package states them.
std::string PageNotices();

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_PAGE_ASSETS_H_
