#include "frontends/cli/dap/channel.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

namespace txvm::frontends::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMostHeaderBytes = 4096;
constexpr std::string_view kBlankLine = "\r\n\r\n";
constexpr std::string_view kLength = "Content-Length:";

/// The length that a header tells; nullopt when it tells none.
std::optional<std::size_t> LengthOf(std::string_view header) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find("\r\n"), header.size());
    std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    if (!line.starts_with(kLength)) continue;
    line.remove_prefix(kLength.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
    std::size_t length = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), length);
    if (read.ec != std::errc() || read.ptr != line.data() + line.size()) return std::nullopt;
    return length;
  }
  return std::nullopt;
}

}  // namespace

bool Channel::FillBuffer() {
  std::array<char, 65'536> bytes;
  while (true) {
    const ssize_t count = read(in_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
}

std::optional<json> Channel::Read() {
  std::size_t end = buffer_.find(kBlankLine);
  while (end == buffer_.npos) {
    if (buffer_.size() > kMostHeaderBytes) {
      problem_ = fmt::format("a header of more than {} bytes", kMostHeaderBytes);
      return std::nullopt;
    }
    if (!FillBuffer()) {
      if (!buffer_.empty()) problem_ = "the input ends within a header";
      return std::nullopt;
    }
    end = buffer_.find(kBlankLine);
  }
  const std::optional<std::size_t> length = LengthOf(std::string_view(buffer_).substr(0, end));
  if (!length || *length > kMostMessageBytes) {
    problem_ = length ? fmt::format("a message of {} bytes (limit {})", *length, kMostMessageBytes)
                      : "a header without Content-Length";
    return std::nullopt;
  }
  buffer_.erase(0, end + kBlankLine.size());
  while (buffer_.size() < *length) {
    if (FillBuffer()) continue;
    problem_ = "the input ends within a message";
    return std::nullopt;
  }
  json message = json::parse(
      buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(*length), nullptr, false);
  buffer_.erase(0, *length);
  if (message.is_object()) return message;
  problem_ = "a message that is no JSON object";
  return std::nullopt;
}

void Channel::Send(json message) {
  const std::lock_guard lock(sending_);
  message["seq"] = ++sequence_;
  const std::string body = message.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::string text = fmt::format("{} {}{}{}", kLength, body.size(), kBlankLine, body);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(out_, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // nobody reads any more: the input ends too
    sent += static_cast<std::size_t>(count);
  }
}

void Channel::Event(std::string_view name, json body) {
  Send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void Channel::Answer(const json& request, json body) {
  Send({{"type", "response"},
        {"request_seq", request.value("seq", 0)},
        {"command", request.value("command", "")},
        {"success", true},
        {"body", std::move(body)}});
}

void Channel::Refuse(const json& request, std::string_view message) {
  Send({{"type", "response"},
        {"request_seq", request.value("seq", 0)},
        {"command", request.value("command", "")},
        {"success", false},
        {"message", message},
        {"body", {{"error", {{"id", 1}, {"format", message}, {"showUser", true}}}}}});
}

}  // namespace txvm::frontends::cli
