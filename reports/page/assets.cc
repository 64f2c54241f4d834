// SPDX-License-Identifier: Apache-2.0
#include "reports/page/assets.h"

#include "absl/strings/str_cat.h"

// The assembler embeds a file's bytes between two symbols, so no file is generated or read at run
// time. CMake supplies the paths and rebuilds this file if one of them changes.
#define HLOCTS_EMBED(name, path)                                                                  \
  asm(".section .rodata\n.global hlocts_page_" #name "\nhlocts_page_" #name ":\n.incbin \"" path  \
      "\"\n.global hlocts_page_" #name "_end\nhlocts_page_" #name "_end:\n.byte 0\n.previous\n"); \
  extern "C" const char hlocts_page_##name[];                                                     \
  extern "C" const char hlocts_page_##name##_end[];
#include "reports/page/assets.def"
#undef HLOCTS_EMBED

namespace hlocts::reports {
namespace {

#define HLOCTS_EMBED(name, path)                                                 \
  absl::string_view name() {                                                     \
    return {hlocts_page_##name,                                                  \
            static_cast<size_t>(hlocts_page_##name##_end - hlocts_page_##name)}; \
  }
#include "reports/page/assets.def"
#undef HLOCTS_EMBED

// Separates scripts: a comment or statement of one must not continue in the next.
constexpr absl::string_view kBetween = "\n;\n";

}  // namespace

absl::string_view PageHtml() { return html(); }
absl::string_view PageCss() { return css(); }

std::string PageScripts() {
  std::string scripts;
  for (absl::string_view script :
       {jquery(), datatables(), chart(), data_js(), compare_js(), query_js(), failure_js(),
        tables_js(), records_js(), main_js()}) {
    absl::StrAppend(&scripts, script, kBetween);
  }
  return scripts;
}

std::string PageNotices() {
  return absl::StrCat("jQuery\n", jquery_licence(), "\n\nDataTables\n", datatables_licence(),
                      "\n\nChart.js\n", chart_licence());
}

}  // namespace hlocts::reports
