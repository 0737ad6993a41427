// Messages of the Debug Adapter Protocol on two descriptors: "Content-Length: N", a blank line, N
// bytes of JSON. Source: microsoft.github.io/debug-adapter-protocol, base protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace txvm::frontends::cli {

inline constexpr std::size_t kMostMessageBytes = 16u << 20;

/// Read is for one thread; Send and the functions over it may be called by any.
class Channel {
 public:
  /// Neither descriptor is closed here.
  Channel(int in, int out) : in_(in), out_(out) {}

  /// The next message; nullopt at the end of the input, and for what is no message: problem() then
  /// says what is wrong with it.
  std::optional<nlohmann::json> Read();
  const std::string& problem() const { return problem_; }

  void Event(std::string_view name, nlohmann::json body = nlohmann::json::object());
  void Answer(const nlohmann::json& request, nlohmann::json body = nlohmann::json::object());
  /// The request failed: `message` is shown to the user.
  void Refuse(const nlohmann::json& request, std::string_view message);

 private:
  bool FillBuffer();
  void Send(nlohmann::json message);

  int in_, out_;
  std::string buffer_;  // read, not yet taken
  std::string problem_;
  std::mutex sending_;
  std::int64_t sequence_ = 0;  // guarded by sending_
};

}  // namespace txvm::frontends::cli
