#include "frontends/wasi/system_streams.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace txvm::frontends::wasi {

bool AwaitReady(int descriptor, short events, std::uint64_t nanoseconds,
                const StopFunction& is_stopped) {
  using std::chrono::steady_clock, std::chrono::milliseconds;
  constexpr std::uint64_t kMillisecond = 1'000'000;
  constexpr std::uint64_t kLongest = 1'000'000'000'000;  // 30 years, in milliseconds
  const auto end = steady_clock::now() +
                   milliseconds(std::min(nanoseconds / kMillisecond, kLongest)) +
                   std::chrono::nanoseconds(nanoseconds % kMillisecond);
  pollfd waited{descriptor, events, 0};
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now()).count();
    const auto piece = static_cast<int>(std::clamp<std::int64_t>(left, 0, kPollMilliseconds));
    if (poll(&waited, 1, piece) > 0) return true;
    if (left <= 0 || is_stopped()) return false;
  }
}

FileType TypeOfStream(int descriptor) {
  struct stat status = {};
  if (isatty(descriptor) != 0) return FileType::kCharacterDevice;
  const bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? FileType::kRegular : FileType::kUnknown;
}

}  // namespace txvm::frontends::wasi
