// Waiting for clocks and files.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <expected>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "frontends/wasi/calls.h"

namespace txvm::frontends::wasi {
namespace {

enum class EventType : std::uint8_t { kClock = 0, kRead = 1, kWrite = 2 };

/// What the program waits for.
struct Subscription {
  std::uint64_t userdata = 0;
  EventType type = EventType::kClock;
  std::uint32_t clock = 0;   // kClock
  std::uint64_t wait = 0;    // kClock: ns from now
  std::uint32_t number = 0;  // kRead, kWrite: the file
};

/// What happened.
struct Event {
  const Subscription* of = nullptr;
  Errno error = Errno::kSuccess;
  std::uint64_t bytes = 0;  // that can be read
};

/// Where the parts of a subscription are. The older module has an identifier before the clock.
struct SubscriptionLayout {
  std::uint32_t clock, timeout, flags, number, bytes;
};
constexpr SubscriptionLayout kPreview1Subscription = {16, 24, 40, 16, 48};
constexpr SubscriptionLayout kUnstableSubscription = {24, 32, 48, 16, 56};

constexpr std::uint64_t kEventBytes = 32;
constexpr std::uint32_t kMostSubscriptions = 4096;
constexpr std::uint32_t kWaitClocks = 2;  // that can be waited for: realtime, monotonic
constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

/// kInvalid for an unknown type or clock.
std::expected<Subscription, Errno> ReadSubscription(const System& system, const Guest& guest,
                                                    std::uint64_t address) {
  const SubscriptionLayout& layout =
      guest.is_unstable() ? kUnstableSubscription : kPreview1Subscription;
  constexpr std::uint32_t kType = 8, kByte = 0xFF;
  Subscription subscription;
  subscription.userdata = *guest.Read64(address);
  const std::uint32_t type = *guest.Read32(address + kType) & kByte;
  if (type > static_cast<std::uint32_t>(EventType::kWrite)) return std::unexpected(Errno::kInvalid);
  subscription.type = static_cast<EventType>(type);
  if (subscription.type != EventType::kClock) {
    subscription.number = *guest.Read32(address + layout.number);
    return subscription;
  }
  subscription.clock = *guest.Read32(address + layout.clock);
  if (subscription.clock >= kWaitClocks) return std::unexpected(Errno::kInvalid);
  subscription.wait = *guest.Read64(address + layout.timeout);
  constexpr std::uint32_t kAbsolute = 1;
  if ((*guest.Read32(address + layout.flags) & kAbsolute) != 0) {
    const std::uint64_t now = system.Now(subscription.clock);
    subscription.wait -= std::min(subscription.wait, now);
  }
  return subscription;
}

/// The event of a file that is ready or faulty; nothing where input has to be waited for.
std::optional<Event> FileEvent(System& system, const Subscription& of, std::uint64_t wait) {
  const OpenFile* file = system.files.Find(of.number);
  if (file == nullptr) return Event{&of, Errno::kBadFile, 0};
  const bool reads = of.type == EventType::kRead;
  const Rights right = kRightPollFdReadwrite | (reads ? kRightFdRead : kRightFdWrite);
  if (file->kind == OpenFile::Kind::kFolder || (file->rights & right) != right) {
    return Event{&of, Errno::kBadFile, 0};
  }
  if (file->kind == OpenFile::Kind::kInput) {
    const ReadyFunction& ready = system.options.streams.input_ready;
    // With the virtual clock nothing depends on how fast input comes.
    if (system.options.real_clock && ready && !ready(wait)) return std::nullopt;
    return Event{&of, Errno::kSuccess, 1};
  }
  struct stat status = {};
  std::uint64_t bytes = 0;
  if (reads && fstat(file->system.number(), &status) == 0) {
    const off_t place = lseek(file->system.number(), 0, SEEK_CUR);
    bytes = static_cast<std::uint64_t>(std::max<off_t>(status.st_size - place, 0));
  }
  return Event{&of, Errno::kSuccess, bytes};
}

void Sleep(System& system, std::uint64_t nanoseconds) {
  if (!system.options.real_clock) {
    system.virtual_time += nanoseconds;
  } else if (system.options.sleep) {
    system.options.sleep(nanoseconds);
  } else {
    constexpr std::uint64_t kLongest = 1'000'000 * kSecond;  // what the library's sum can hold
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(nanoseconds, kLongest)));
  }
}

/// Files that are ready, and clocks whose time has come; waits for the first of them.
std::vector<Event> Wait(System& system, const std::vector<Subscription>& subscriptions) {
  std::uint64_t wait = kForever;
  for (const Subscription& one : subscriptions) {
    if (one.type == EventType::kClock) wait = std::min(wait, one.wait);
  }
  std::vector<Event> events;
  const Subscription* unready = nullptr;
  for (const Subscription& one : subscriptions) {
    if (one.type == EventType::kClock) continue;
    const auto event = FileEvent(system, one, 0);
    if (event) events.push_back(*event);
    if (!event) unready = &one;
  }
  std::uint64_t passed = 0;
  if (events.empty() && unready != nullptr) {
    if (const auto event = FileEvent(system, *unready, wait)) events.push_back(*event);
    if (events.empty()) passed = wait;
  } else if (events.empty()) {
    Sleep(system, wait);
    passed = wait;
  }
  for (const Subscription& one : subscriptions) {
    if (one.type == EventType::kClock && one.wait <= passed) {
      events.push_back({&one, Errno::kSuccess, 0});
    }
  }
  return events;
}

}  // namespace

Errno PollOneoff(System& system, const Guest& guest, Params params) {
  const std::uint32_t in = params.Next32(), out = params.Next32(), count = params.Next32(),
                      count_at = params.Next32();
  if (count == 0 || count > kMostSubscriptions) return Errno::kInvalid;
  const std::uint64_t step =
      guest.is_unstable() ? kUnstableSubscription.bytes : kPreview1Subscription.bytes;
  if (!guest.Slice(in, count * step) || !guest.Slice(out, count * kEventBytes) ||
      !guest.Slice(count_at, sizeof(std::uint32_t))) {
    return Errno::kFault;
  }
  std::vector<Subscription> subscriptions;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto one = ReadSubscription(system, guest, in + i * step);
    if (!one) return one.error();
    subscriptions.push_back(*one);
  }
  const std::vector<Event> events = Wait(system, subscriptions);
  std::uint64_t address = out;
  for (const Event& event : events) {
    constexpr std::uint32_t kError = 8, kType = 10, kBytes = 16, kFlags = 24;
    guest.Write64(address, event.of->userdata);
    guest.Write64(address + kError, 0);
    guest.Write16(address + kError, static_cast<std::uint16_t>(event.error));
    guest.Write8(address + kType, static_cast<std::uint8_t>(event.of->type));
    guest.Write64(address + kBytes, event.bytes);
    guest.Write64(address + kFlags, 0);
    address += kEventBytes;
  }
  guest.Write32(count_at, static_cast<std::uint32_t>(events.size()));
  return Errno::kSuccess;
}

}  // namespace txvm::frontends::wasi
