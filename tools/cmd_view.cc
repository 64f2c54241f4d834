// SPDX-License-Identifier: Apache-2.0
// hlocts view: the run store in a browser, read-only, for this machine alone.
#include <iostream>

#include "reports/nights/summary.h"
#include "reports/store/run_store.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/cmd_report_page.h"
#include "tools/cmd_view_server.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct ViewOptions {
  std::string store = kStorePath;
  int64_t port = 8713, nights = kNightsShown;
};

// The store is opened for each answer: an import meanwhile is seen at the next look.
absl::StatusOr<reports::History> LoadNights(const ViewOptions& options, const std::string& night) {
  HLOCTS_ASSIGN_OR_RETURN(auto store, reports::RunStore::OpenToRead(options.store));
  return LoadHistory(*store, options.nights, night);
}

HttpAnswer Show(const ViewOptions& options, const HttpRequest& request) {
  auto history = LoadNights(options, QueryValue(request.query, "night"));
  if (!history.ok())
    return {404, "text/plain; charset=utf-8", std::string(history.status().message()) + "\n"};
  const reports::NightChanges changes = reports::NewestChanges(*history);
  if (request.path == "/")
    return {200, "text/html; charset=utf-8", reports::ToPage(PageInputOf(*std::move(history)))};
  if (request.path == "/night.json")
    return {200, "application/json", reports::ToSummaryJson(*history, changes) + "\n"};
  if (request.path == "/night.md")
    return {200, "text/markdown; charset=utf-8", reports::ToMarkdown(*history, changes)};
  if (request.path == "/badge.svg")
    return {200, "image/svg+xml", reports::ToBadge(*history, changes)};
  return {404, "text/plain", "expected /, /night.json, /night.md or /badge.svg\n"};
}

int RunView(const ViewOptions& options) {
  if (auto history = LoadNights(options, ""); !history.ok()) return Fail(history.status());
  if (options.port < 0 || options.port > 65535)
    return Fail(InvalidInput("view: expected --port of 0 to 65535"));
  CatchInterrupts();
  absl::Status status = ServeLoopback(
      static_cast<int>(options.port),
      [&](int port) {
        std::cout << "http://127.0.0.1:" << port << "/ shows " << options.store
                  << ", read-only, to this machine; Ctrl-C ends it\n"
                     "also /night.json, /night.md, /badge.svg; ?night=NAME of `hlocts store list`"
                  << std::endl;
      },
      [&](const HttpRequest& request) { return Show(options, request); }, Interrupted);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace

Command ViewCommand() {
  return {"view", "show the run store in a browser, read-only, on this machine alone",
          [](Flags& flags) {
            auto options = std::make_shared<ViewOptions>();
            flags.Add("--store", &options->store, "run store (out/store.db)");
            flags.Add("--port", &options->port, "port (8713; 0: a free one)");
            flags.Add("--nights", &options->nights, "nights on the page (14)");
            return [options] { return RunView(*options); };
          }};
}

}  // namespace hlocts::tools
