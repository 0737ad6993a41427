// Runs the program txvm as a user does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/support/system/child_process.h"

namespace txvm::frontends::cli {

/// What `txvm arguments...` did, started in the project's root, killed after a minute.
isa::ChildResult RunTxvm(const std::vector<std::string>& arguments, std::string_view input = {});

/// The words of a command line, separated by blanks.
std::vector<std::string> Words(std::string_view line);

/// A file for a test, removed with it: a program text under a name that ends in `extension`.
class ScratchFile {
 public:
  ScratchFile(std::string_view extension, std::string_view bytes);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }
  std::string Read() const;

 private:
  std::string path_;
};

}  // namespace txvm::frontends::cli
