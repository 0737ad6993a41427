// What every run of a comparison finds again: the same input, and folders as they were.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontends/c/temp_folder.h"
#include "frontends/wasi/wasi.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// Input that is read once and given to every run from its beginning. A read gets as many bytes as
/// it asks for unless the input ends, however they came, so that all runs get the same pieces.
class ReplayedInput {
 public:
  explicit ReplayedInput(wasi::ReadFunction source);
  /// The input from its beginning. Reads fail with -EFBIG after a gigabyte. It may outlive this.
  wasi::ReadFunction FromStart() const;
  /// What has been read so far, which is all that any run asked for.
  const std::string& Read() const;

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
};

/// What a run printed: equal outputs have equal ones.
struct Printed {
  std::uint64_t bytes = 0, hash = 0;
  friend bool operator==(const Printed&, const Printed&) = default;
};

/// A stream that keeps a Printed of what is written to it and drops the rest. `printed` must
/// outlive it.
wasi::WriteFunction KeepPrinted(Printed& printed);

/// Granted folders for one run: copies of those that it may change, gone with this; the others as
/// they are.
class FolderCopies {
 public:
  /// Links, permissions and regular files are copied, pipes and devices left out. kIo names what
  /// cannot be read; kLimit above a gigabyte.
  static isa::Result<FolderCopies> Make(const std::vector<wasi::Directory>& granted);
  const std::vector<wasi::Directory>& directories() const { return directories_; }

 private:
  FolderCopies() = default;
  std::vector<c::TempFolder> copies_;
  std::vector<wasi::Directory> directories_;
};

}  // namespace txvm::frontends::cli
