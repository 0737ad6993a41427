// Arguments, environment, clocks, random numbers.
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <vector>

#include "frontends/wasi/calls.h"

namespace txvm::frontends::wasi {
namespace {

constexpr std::uint32_t kClocks = 4;  // realtime, monotonic, processor time of process and thread
constexpr std::uint32_t kPointerBytes = 4;

Errno Done(bool in_memory) { return in_memory ? Errno::kSuccess : Errno::kFault; }

Errno WriteSizes(const std::vector<std::string>& words, const Guest& guest, Params params) {
  const std::uint32_t count_at = params.Next32(), bytes_at = params.Next32();
  std::uint64_t bytes = 0;
  for (const std::string& word : words) bytes += word.size() + 1;
  return Done(guest.Write32(count_at, static_cast<std::uint32_t>(words.size())) &&
              guest.Write32(bytes_at, static_cast<std::uint32_t>(bytes)));
}

Errno WriteWords(const std::vector<std::string>& words, const Guest& guest, Params params) {
  std::uint64_t pointer_at = params.Next32(), text_at = params.Next32();
  for (const std::string& word : words) {
    const std::string_view with_end(word.c_str(), word.size() + 1);
    if (!guest.Write32(pointer_at, static_cast<std::uint32_t>(text_at)) ||
        !guest.WriteText(text_at, with_end)) {
      return Errno::kFault;
    }
    pointer_at += kPointerBytes;
    text_at += with_end.size();
  }
  return Errno::kSuccess;
}

Errno FillFromSystem(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = getrandom(bytes.data(), bytes.size(), 0);
    if (count < 0 && errno != EINTR) return FromSystem(errno);
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return Errno::kSuccess;
}

}  // namespace

Errno ArgsSizesGet(System& system, const Guest& guest, Params params) {
  return WriteSizes(system.options.arguments, guest, params);
}
Errno ArgsGet(System& system, const Guest& guest, Params params) {
  return WriteWords(system.options.arguments, guest, params);
}
Errno EnvironSizesGet(System& system, const Guest& guest, Params params) {
  return WriteSizes(system.options.environment, guest, params);
}
Errno EnvironGet(System& system, const Guest& guest, Params params) {
  return WriteWords(system.options.environment, guest, params);
}

Errno ClockResGet(System& system, const Guest& guest, Params params) {
  const std::uint32_t clock = params.Next32();
  if (clock >= kClocks) return Errno::kInvalid;
  return Done(guest.Write64(params.Next32(), system.options.real_clock ? 1 : kVirtualTick));
}

Errno ClockTimeGet(System& system, const Guest& guest, Params params) {
  const std::uint32_t clock = params.Next32();
  params.Next64();  // the precision that would do
  if (clock >= kClocks) return Errno::kInvalid;
  if (!system.options.real_clock) system.virtual_time += kVirtualTick;
  return Done(guest.Write64(params.Next32(), system.Now(clock)));
}

Errno RandomGet(System& system, const Guest& guest, Params params) {
  const std::uint32_t address = params.Next32(), count = params.Next32();
  const auto bytes = guest.Slice(address, count);
  if (!bytes) return Errno::kFault;
  if (system.options.real_random) return FillFromSystem(*bytes);
  constexpr int kTopByte = 56;
  for (std::uint8_t& byte : *bytes) {
    byte = static_cast<std::uint8_t>(system.random.Next() >> kTopByte);
  }
  return Errno::kSuccess;
}

Errno SchedYield(System&, const Guest&, Params) { return Errno::kSuccess; }

Errno SockCall(System& system, const Guest&, Params params) {
  return system.files.Find(params.Next32()) == nullptr ? Errno::kBadFile : Errno::kNotSocket;
}

}  // namespace txvm::frontends::wasi
