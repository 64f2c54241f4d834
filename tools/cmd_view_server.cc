// SPDX-License-Identifier: Apache-2.0
#include "tools/cmd_view_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace hlocts::tools {
namespace {

constexpr size_t kRequestMax = 16 * 1024;
constexpr int kPollMilliseconds = 200;
constexpr int kClientMilliseconds = 2000;  // for a client that says nothing

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool IsReadable(int fd, int milliseconds) {
  pollfd one = {fd, POLLIN, 0};
  return poll(&one, 1, milliseconds) == 1;
}

std::string ReadHeader(int fd) {
  std::string text;
  char chunk[4096];
  while (text.size() < kRequestMax && text.find("\r\n\r\n") == std::string::npos &&
         IsReadable(fd, kClientMilliseconds)) {
    ssize_t n = recv(fd, chunk, sizeof(chunk), 0);
    if (n <= 0) break;
    text.append(chunk, static_cast<size_t>(n));
  }
  return text;
}

void SendAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

int Digit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c))
             ? c - '0'
             : absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10;
}

}  // namespace

absl::StatusOr<HttpRequest> ParseRequest(absl::string_view text) {
  HttpRequest request;
  std::vector<absl::string_view> lines = absl::StrSplit(text, "\r\n");
  std::vector<absl::string_view> words = absl::StrSplit(lines[0], ' ');
  if (words.size() != 3 || !absl::StartsWith(words[2], "HTTP/1."))
    return InvalidInput("expected a request of HTTP/1");
  request.method = std::string(words[0]);
  std::pair<absl::string_view, absl::string_view> target =
      absl::StrSplit(words[1], absl::MaxSplits('?', 1));
  request.path = std::string(target.first);
  request.query = std::string(target.second);
  for (absl::string_view line : lines) {
    if (absl::StartsWithIgnoreCase(line, "host:"))
      request.host = std::string(absl::StripAsciiWhitespace(line.substr(5)));
  }
  return request;
}

std::string QueryValue(absl::string_view query, absl::string_view name) {
  for (absl::string_view part : absl::StrSplit(query, '&')) {
    std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (pair.first != name) continue;
    std::string value;
    for (size_t i = 0; i < pair.second.size(); ++i) {
      const char c = pair.second[i];
      const bool escaped = c == '%' && i + 2 < pair.second.size() &&
                           absl::ascii_isxdigit(static_cast<unsigned char>(pair.second[i + 1])) &&
                           absl::ascii_isxdigit(static_cast<unsigned char>(pair.second[i + 2]));
      if (escaped) {
        value += static_cast<char>(16 * Digit(pair.second[i + 1]) + Digit(pair.second[i + 2]));
        i += 2;
      } else {
        value += c == '+' ? ' ' : c;
      }
    }
    return value;
  }
  return "";
}

bool IsLoopbackHost(absl::string_view host) {
  absl::string_view name = host.substr(0, host.rfind(':'));
  return name == "127.0.0.1" || name == "localhost";
}

HttpAnswer AnswerTo(absl::string_view text,
                    const std::function<HttpAnswer(const HttpRequest&)>& answer) {
  auto request = ParseRequest(text);
  if (!request.ok()) return {400, "text/plain", "expected a request of HTTP/1\n"};
  if (request->method != "GET") return {405, "text/plain", "this server is read-only\n"};
  if (!IsLoopbackHost(request->host)) return {403, "text/plain", "for this machine alone\n"};
  return answer(*request);
}

absl::Status ServeLoopback(int port, const std::function<void(int port)>& ready,
                           const std::function<HttpAnswer(const HttpRequest&)>& answer,
                           const std::function<bool()>& stop) {
  Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  socklen_t size = sizeof(address);
  if (bind(listener.fd(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener.fd(), 16) != 0 ||
      getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return absl::UnavailableError(absl::StrCat(
        "port ", port, " of this machine: ", std::strerror(errno), "; --port=0 takes a free one"));
  }
  ready(ntohs(address.sin_port));
  while (!stop()) {
    if (!IsReadable(listener.fd(), kPollMilliseconds)) continue;
    Socket client(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.fd() < 0) continue;
    HttpAnswer said = AnswerTo(ReadHeader(client.fd()), answer);
    SendAll(client.fd(), absl::StrCat("HTTP/1.1 ", said.status, " \r\nContent-Type: ", said.type,
                                      "\r\nContent-Length: ", said.body.size(),
                                      "\r\nX-Content-Type-Options: nosniff\r\nCache-Control: "
                                      "no-store\r\nConnection: close\r\n\r\n"));
    SendAll(client.fd(), said.body);
  }
  return absl::OkStatus();
}

}  // namespace hlocts::tools
