// Trace records as tab-separated text.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "isa/support/result.h"
#include "isa/trace.h"

namespace txvm::frontends::cli {

/// One line per step after a header line "step ip op aux arg sp top", tab-separated, numbers in
/// decimal, unsigned.
class TraceWriter {
 public:
  /// Opens `path` for writing; kHost with the system's reason.
  static isa::Result<TraceWriter> Open(const std::string& path);
  void Write(std::span<const isa::TraceRecord> records);
  /// Closes the file; kHost when anything was lost.
  isa::Result<void> Close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::string path_;
};

/// The mnemonic of an instruction, or its code in decimal when it has none.
std::string MnemonicOf(isa::Instruction instruction);

}  // namespace txvm::frontends::cli
