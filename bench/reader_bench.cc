// How fast and in how much memory WebAssembly modules are read: txvm's reader beside WABT's, which
// reads and validates; the same of its text, as WABT writes it; and what loading a module as a
// program takes. Usage: txvm_bench_reader
// [MEGABYTES | FILE.wasm] [REPEATS]
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wabt/apply-names.h>
#include <wabt/binary-reader-ir.h>
#include <wabt/binary-reader.h>
#include <wabt/generate-names.h>
#include <wabt/ir.h>
#include <wabt/stream.h>
#include <wabt/validator.h>
#include <wabt/wast-lexer.h>
#include <wabt/wast-parser.h>
#include <wabt/wat-writer.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "bench/large_module.h"
#include "frontends/wasm/load.h"
#include "frontends/wasm/on_demand.h"
#include "frontends/wasm/reader.h"
#include "frontends/wat/reader.h"

namespace {

using namespace txvm;
using Bytes = std::vector<std::uint8_t>;

/// What a run in a process of its own reports.
struct Measure {
  bool is_read = false;
  double seconds = 0;
  std::uint64_t peak_bytes = 0;  // more than before
};

bool ReadOwn(const Bytes& bytes) {
  return frontends::wasm::ReadModule(bytes, "bench.wasm").has_value();
}

/// With everything up to the program that runs.
bool LoadOwn(const Bytes& bytes) {
  return frontends::wat::LoadWasm(bytes, "bench.wasm", {.lower_i64 = true}).has_value();
}

/// Up to a program whose functions are lowered when they are called.
bool OpenOwn(const Bytes& bytes) {
  return frontends::wat::LoadWasmOnDemand(bytes, nullptr, "bench.wasm", {.lower_i64 = true})
      .has_value();
}

bool ReadWabt(const Bytes& bytes) {
  wabt::Module module;
  wabt::Errors errors;
  wabt::ReadBinaryOptions options;
  options.read_debug_names = true;
  return wabt::Succeeded(wabt::ReadBinaryIr("bench.wasm", bytes.data(), bytes.size(), options,
                                            &errors, &module)) &&
         wabt::Succeeded(wabt::ValidateModule(&module, &errors, wabt::ValidateOptions()));
}

std::string_view TextOf(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The text of a binary module, with folded expressions or plain; empty when WABT refuses it.
Bytes MakeText(const Bytes& bytes, bool is_folded) {
  wabt::Module module;
  wabt::Errors errors;
  wabt::ReadBinaryOptions options;
  options.read_debug_names = true;
  if (wabt::Failed(wabt::ReadBinaryIr("bench.wasm", bytes.data(), bytes.size(), options, &errors,
                                      &module)) ||
      wabt::Failed(wabt::GenerateNames(&module)) || wabt::Failed(wabt::ApplyNames(&module))) {
    return {};
  }
  wabt::WriteWatOptions written;
  written.fold_exprs = is_folded;
  wabt::MemoryStream stream;
  if (wabt::Failed(wabt::WriteWat(&stream, &module, written))) return {};
  return stream.output_buffer().data;
}

/// The same without most of the indentation, which would be nine tenths of the bytes; made in a
/// child process, so that its memory is not this one's.
Bytes MakeTextApart(const Bytes& bytes, bool is_folded) {
  constexpr std::size_t kMost = std::size_t{1} << 28, kIndent = 8;
  void* shared = mmap(nullptr, kMost, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED) std::abort();
  auto* size = static_cast<std::size_t*>(shared);
  auto* text = reinterpret_cast<std::uint8_t*>(size + 1);
  const pid_t child = fork();
  if (child == 0) {
    std::size_t at = 0, spaces = 0;
    for (const std::uint8_t byte : MakeText(bytes, is_folded)) {
      spaces = byte == ' ' ? spaces + 1 : 0;
      if (spaces <= kIndent && at + sizeof *size < kMost) text[at++] = byte;
    }
    *size = at;
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) std::abort();
  Bytes out(text, text + *size);
  munmap(shared, kMost);
  return out;
}

bool ReadOwnText(const Bytes& text) {
  return frontends::wat::ReadText(TextOf(text), "bench.wat").has_value();
}

bool ReadWabtText(const Bytes& text) {
  wabt::Errors errors;
  std::unique_ptr<wabt::Module> module;
  const auto lexer =
      wabt::WastLexer::CreateBufferLexer("bench.wat", TextOf(text).data(), text.size(), &errors);
  wabt::WastParseOptions options{wabt::Features()};
  return wabt::Succeeded(wabt::ParseWatModule(lexer.get(), &module, &errors, &options)) &&
         wabt::Succeeded(wabt::ValidateModule(module.get(), &errors, wabt::ValidateOptions()));
}

/// Of this process: what else the machine does is not in it.
double ProcessorSeconds() {
  constexpr double kNano = 1e-9;
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * kNano;
}

std::uint64_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr std::uint64_t kKibi = 1024;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kKibi;
}

/// Runs one reader in a child process, so that its peak is its own.
Measure Run(bool (*read)(const Bytes&), const Bytes& bytes) {
  void* shared =
      mmap(nullptr, sizeof(Measure), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) std::abort();
  auto& measure = *new (shared) Measure;
  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t before = PeakBytes();
    const double start = ProcessorSeconds();
    measure.is_read = read(bytes);
    measure.seconds = ProcessorSeconds() - start;
    measure.peak_bytes = PeakBytes() - before;
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) std::abort();
  const Measure result = measure;
  munmap(shared, sizeof(Measure));
  return result;
}

/// The run in the middle of `repeats`, by time.
Measure Median(bool (*read)(const Bytes&), const Bytes& bytes, int repeats) {
  std::vector<Measure> runs;
  for (int i = 0; i < repeats; ++i) runs.push_back(Run(read, bytes));
  std::ranges::sort(runs, {}, &Measure::seconds);
  return runs[runs.size() / 2];
}

void Print(const char* name, const Measure& measure, std::size_t size) {
  constexpr double kMega = 1e6;
  fmt::print("{:6} {} {:8.1f} ms {:8.1f} MB/s {:6.1f} bytes of memory a byte\n", name,
             measure.is_read ? "read   " : "refused", measure.seconds * 1e3,
             static_cast<double>(size) / kMega / measure.seconds,
             static_cast<double>(measure.peak_bytes) / static_cast<double>(size));
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kRepeats = 9;
  constexpr std::size_t kMegabyte = 1'000'000, kMegabytes = 10;
  const std::string what = argc > 1 ? argv[1] : std::to_string(kMegabytes);
  const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : kRepeats;
  Bytes bytes;
  if (what.ends_with(".wasm")) {
    std::ifstream in(what, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  } else {
    bytes = bench::MakeLargeModule(std::strtoull(what.c_str(), nullptr, 10) * kMegabyte, 1);
  }
  fmt::print("{} bytes, median of {}\n", bytes.size(), repeats);
  const Measure own = Median(ReadOwn, bytes, repeats), wabt = Median(ReadWabt, bytes, repeats);
  const Measure opened = Median(OpenOwn, bytes, repeats);
  const Measure loaded = Median(LoadOwn, bytes, repeats);
  Print("txvm", own, bytes.size());
  Print("WABT", wabt, bytes.size());
  Print("opened", opened, bytes.size());
  Print("loaded", loaded, bytes.size());
  fmt::print("txvm is {:.1f} times as fast\n", wabt.seconds / own.seconds);
  for (const bool is_folded : {false, true}) {
    const Bytes text = MakeTextApart(bytes, is_folded);
    fmt::print("{} bytes of {} text\n", text.size(), is_folded ? "folded" : "plain");
    const Measure own_text = Median(ReadOwnText, text, repeats);
    const Measure wabt_text = Median(ReadWabtText, text, repeats);
    Print("txvm", own_text, text.size());
    Print("WABT", wabt_text, text.size());
    fmt::print("txvm is {:.1f} times as fast\n", wabt_text.seconds / own_text.seconds);
  }
  return own.is_read ? 0 : 1;
}
