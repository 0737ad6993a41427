// One debugging session: requests of the Debug Adapter Protocol on a timeline.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/cli/dap/channel.h"
#include "frontends/cli/run/run_options.h"
#include "frontends/cli/run/source_place.h"
#include "frontends/cli/step/timeline.h"

namespace txvm::frontends::cli {

/// Answers requests, one at a time. A walk that takes long is looked after between two slices:
/// `wanted` says that another request waits, and a pause or a disconnect among those ends it.
class DapSession {
 public:
  /// Both must outlive the session. `stop_wanted` is set by whoever reads the channel; `drain`
  /// sends what the program has printed.
  DapSession(Channel& channel, const std::atomic<bool>& stop_wanted, std::function<void()> drain)
      : channel_(channel), stop_wanted_(stop_wanted), drain_(std::move(drain)) {}

  /// Answers one request, and sends the events that follow from it. False when the session is over.
  bool Handle(const nlohmann::json& request);

 private:
  using json = nlohmann::json;
  /// The body of the answer. What is to be told afterwards is in `after_`.
  using Answer = isa::Result<json>;
  struct Breakpoint {
    std::uint32_t ip = 0;
    std::int64_t id = 0;
  };

#define TXVM_DAP_REQUEST(command, Function) Answer Function(const json& arguments);
#include "frontends/cli/dap/requests.def"
#undef TXVM_DAP_REQUEST

  isa::Result<void> CheckLaunched() const;
  isa::Result<std::uint32_t> Frame(const json& arguments, std::string_view name) const;
  json SourceOf(std::uint32_t ip) const;
  bool IsOwnSource(const json& source) const;
  json AddBreakpoint(std::vector<Breakpoint>& list, const isa::Result<std::uint32_t>& ip);
  bool IsAtBreakpoint(std::uint32_t ip);
  json HeadVariables() const;

  Timeline::Reason Walk(const Timeline::StopTest& stop, std::uint64_t most);
  Answer GoForward(const std::string& reason, const Timeline::StopTest& stop,
                   std::uint64_t most = isa::kUnlimitedFuel);
  Answer GoBack(const std::string& reason, const Timeline::StopTest& stop);
  void TellWhereItStopped(std::string reason, bool is_at_breakpoint);
  void TellEnd();

  Channel& channel_;
  const std::atomic<bool>& stop_wanted_;
  std::function<void()> drain_;
  RunSettings settings_;
  std::optional<Timeline> timeline_;
  std::optional<SourceText> source_;
  bool stop_on_entry_ = true, stop_at_end_ = false, is_over_ = false;
  std::vector<Breakpoint> by_line_, by_function_, by_instruction_;
  std::vector<Breakpoint> by_listing_;  // lines of the program's listing
  std::int64_t next_id_ = 1;
  std::vector<std::int64_t> hit_;  // breakpoints that stopped the last walk
  std::function<void()> after_;    // what follows the answer
};

}  // namespace txvm::frontends::cli
