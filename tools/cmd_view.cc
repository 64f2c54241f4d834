// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts view`: writes the newest nightly runs of the run store as pages to a
// directory. A web server in Python serves the pages to this machine only.
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "reports/nights/summary.h"
#include "reports/run_record.h"
#include "reports/store/run_store.h"
#include "spec/files/file_io.h"
#include "tools/cli/common.h"
#include "tools/cmd_report_page.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

// A web server in Python. It answers only requests with a local host name: otherwise a page of
// another host whose name resolves to this machine (DNS rebinding) could read the runs. Its
// arguments are the port and the directory.
constexpr char kServer[] = R"py(
import functools, http.server, re, sys

class LocalOnly(http.server.SimpleHTTPRequestHandler):
    def send_head(self):
        if re.fullmatch(r"(127\.0\.0\.1|localhost)(:\d+)?", self.headers.get("Host", "")):
            return super().send_head()
        self.send_error(403, "Only for requests to localhost")

class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # the client has disconnected
            super().handle_error(request, client_address)

handler = functools.partial(LocalOnly, directory=sys.argv[2])
try:
    server = Server(("127.0.0.1", int(sys.argv[1])), handler)
except OSError as error:
    print(f"hlocts: view: --port={sys.argv[1]}: {error.strerror}", file=sys.stderr)
    sys.exit(3)
print(f"http://localhost:{server.server_port}/", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit(130)
)py";

struct ViewOptions {
  std::string store = kStorePath, night;
  int64_t port = 8713, nights = kNightlyRunsShown;
};

absl::Status WritePages(const ViewOptions& options, const std::filesystem::path& folder) {
  HLOCTS_ASSIGN_OR_RETURN(auto store, reports::RunStore::OpenToRead(options.store));
  HLOCTS_ASSIGN_OR_RETURN(reports::History history,
                          LoadHistory(*store, options.nights, options.night));
  const reports::NightlyRunDiff changes = reports::NewestChanges(history);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto write = [&](const char* name, const std::string& text) {
    return WriteFile((folder / name).string(), text);
  };
  HLOCTS_RETURN_IF_ERROR(write("night.json", reports::ToSummaryJson(history, changes) + "\n"));
  HLOCTS_RETURN_IF_ERROR(write("night.md", reports::ToMarkdown(history, changes)));
  HLOCTS_RETURN_IF_ERROR(write("badge.svg", reports::ToBadge(history, changes)));
  if (!history.nights.empty())
    history.nights.back().notes.push_back(absl::StrCat(
        "as of ", reports::UtcNow(), "; to see later imports, start `hlocts view` again"));
  return write("index.html", reports::ToPage(PageInputOf(std::move(history))));
}

int RunView(const ViewOptions& options) {
  if (options.port < 0 || options.port > 65535)
    return Fail(InvalidInput("view: expected --port of 0 to 65535"));
  const auto folder = std::filesystem::absolute(options.store).parent_path() / "view";
  if (absl::Status status = WritePages(options, folder); !status.ok()) return Fail(status);
  std::cout
      << "file://" << folder.string() << "/index.html shows " << options.store << " as it is now"
      << "; the directory also has night.json, night.md and badge.svg\nCtrl-C stops the server"
      << std::endl;
  execlp("python3", "python3", "-I", "-c", kServer, std::to_string(options.port).c_str(),
         folder.c_str(), nullptr);
  return Fail(absl::UnavailableError("view: cannot run python3, which serves the directory"));
}

}  // namespace

Command ViewCommand() {
  return {"view", "serve the run store, as it is now, as web pages on localhost", [](Flags& flags) {
            auto options = std::make_shared<ViewOptions>();
            flags.Add("--store", &options->store,
                      "run store (out/store.db); pages are written to view/ next to it");
            flags.Add("--night", &options->night, "name of the nightly run (default: the newest)");
            flags.Add("--port", &options->port, "port (8713; 0: a free one)");
            flags.Add("--nights", &options->nights, "number of nightly runs on the page (14)");
            return [options] { return RunView(*options); };
          }};
}

}  // namespace hlocts::tools
