// SPDX-License-Identifier: Apache-2.0
// A server for one person: GET alone, to this machine alone, one request at a time. Not a library:
// Debian's HTTP libraries bring OpenSSL into the process, whose symbols would stand before those of
// the plugins that hlocts loads.
#ifndef HLOCTS_TOOLS_CMD_VIEW_SERVER_H_
#define HLOCTS_TOOLS_CMD_VIEW_SERVER_H_

#include <functional>
#include <string>

#include "spec/base/status.h"

namespace hlocts::tools {

struct HttpRequest {
  std::string method, path, query, host;
};
struct HttpAnswer {
  int status = 200;
  std::string type, body;
};
// The request of a header's text; kInvalidArgument where it is none.
absl::StatusOr<HttpRequest> ParseRequest(absl::string_view text);
// The value of `name` in "a=1&b=2", with %xx and + taken back; empty where it is missing.
std::string QueryValue(absl::string_view query, absl::string_view name);
// Is the request for this machine by its own name? A page elsewhere whose name resolves to this
// machine is not.
bool IsLoopbackHost(absl::string_view host);

// 405 for another method, 403 for another host; else what `answer` says.
HttpAnswer AnswerTo(absl::string_view text,
                    const std::function<HttpAnswer(const HttpRequest&)>& answer);

// Listens on 127.0.0.1; 0: a free port. `ready` gets the port; ends when `stop` says so.
absl::Status ServeLoopback(int port, const std::function<void(int port)>& ready,
                           const std::function<HttpAnswer(const HttpRequest&)>& answer,
                           const std::function<bool()>& stop);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CMD_VIEW_SERVER_H_
