// Where the steps of a run went: by function, by line, by call path.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "isa/program.h"
#include "isa/trace.h"

namespace txvm::frontends::cli {

/// Steps of something: its own, and those until it returned. A step counts once for each thing,
/// however deep a recursion is.
struct ProfileRow {
  std::string name;
  std::uint64_t calls = 0;
  std::uint64_t exclusive = 0, inclusive = 0;
  std::uint64_t heads = 0;  // evaluated in its own steps
};

/// A function on a path of calls. Node 0 is the root, which no step belongs to.
struct PathNode {
  std::uint32_t function = 0;
  std::uint32_t parent = 0;
  std::uint64_t steps = 0;                         // its own
  std::map<std::uint32_t, std::uint32_t> callees;  // node by function
};

/// One call, in steps.
struct CallSpan {
  std::uint32_t function = 0;
  std::uint64_t begin = 0, end = 0;
};

/// Counts the trace of one run. Paths beyond 1,000 calls or 200,000 nodes count for the node they
/// would begin below. Cost O(1) a step.
class CallProfile {
 public:
  /// `most_spans`: calls to be kept for Spans().
  CallProfile(const isa::Program& program, std::size_t most_spans);

  /// Takes the next records of the run.
  void Add(std::span<const isa::TraceRecord> records);
  /// Ends what is still under way. Called once, after the last Add.
  void Finish();

  std::uint64_t steps() const { return steps_; }
  /// What ran, most inclusive steps first.
  std::vector<ProfileRow> Functions() const;
  /// Lines that ran, the same way; named "7".
  std::vector<ProfileRow> Lines() const;
  const std::vector<PathNode>& paths() const { return paths_; }
  /// Calls in the order of their beginning.
  std::vector<CallSpan> Spans() const;
  /// Calls beyond `most_spans`.
  std::uint64_t dropped_spans() const { return dropped_; }
  /// The name of a function; "function 3" where it has none.
  std::string NameOf(std::uint32_t function) const;

 private:
  /// Own steps, and those while it is on the stack of calls.
  struct Activity {
    std::uint64_t calls = 0, exclusive = 0, inclusive = 0, heads = 0;
    std::uint64_t since = 0;
    std::uint32_t active = 0;  // times on the stack
  };
  struct Frame {
    std::uint32_t function = 0, node = 0;
    std::uint32_t line = 0;  // of the CALL
    std::uint64_t begin = 0;
  };
  void Enter(std::uint32_t ip, std::uint32_t line);
  void Leave();
  static void Open(Activity& activity, std::uint64_t now);
  static void Close(Activity& activity, std::uint64_t now);
  std::uint32_t NodeBelow(std::uint32_t parent, std::uint32_t function);
  std::vector<ProfileRow> Rows(std::vector<ProfileRow> rows) const;

  const isa::Program& program_;
  std::size_t most_spans_;
  std::vector<std::uint32_t> line_of_;        // by instruction
  std::vector<std::uint32_t> function_of_;    // by instruction
  std::array<std::uint8_t, 256> heads_of_{};  // by opcode
  std::vector<Activity> functions_, lines_;
  std::vector<Frame> frames_;
  std::vector<PathNode> paths_;
  std::vector<CallSpan> spans_;
  std::uint64_t dropped_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace txvm::frontends::cli
