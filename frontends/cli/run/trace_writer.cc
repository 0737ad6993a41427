// Trace records as tab-separated text.
#include "frontends/cli/run/trace_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace txvm::frontends::cli {
namespace {

std::unexpected<isa::Error> FailWrite(const std::string& path, int reason) {
  return std::unexpected<isa::Error>(
      isa::Error{isa::ErrorCode::kHost,
                 fmt::format("cannot write the trace: {}", std::strerror(reason)),
                 {path, 0, 0},
                 {}});
}

}  // namespace

std::string MnemonicOf(isa::Instruction instruction) {
  const isa::OpcodeInfo* info = isa::FindInfo(instruction.code());
  return info == nullptr ? fmt::format("{}", instruction.code()) : std::string(info->text);
}

isa::Result<TraceWriter> TraceWriter::Open(const std::string& path) {
  TraceWriter writer;
  writer.path_ = path;
  writer.file_.reset(std::fopen(path.c_str(), "wb"));
  if (!writer.file_) return FailWrite(path, errno);
  std::fputs("step\tip\top\taux\targ\tsp\ttop\n", writer.file_.get());
  return writer;
}

void TraceWriter::Write(std::span<const isa::TraceRecord> records) {
  fmt::memory_buffer text;
  for (const isa::TraceRecord& record : records) {
    fmt::format_to(fmt::appender(text), "{}\t{}\t{}\t{}\t{}\t{}\t{}\n", record.step, record.ip,
                   MnemonicOf(record.instruction), record.instruction.aux(), record.instruction.arg,
                   record.sp, record.top);
  }
  std::fwrite(text.data(), 1, text.size(), file_.get());
}

isa::Result<void> TraceWriter::Close() {
  const bool failed = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || failed) return FailWrite(path_, errno);
  return {};
}

}  // namespace txvm::frontends::cli
