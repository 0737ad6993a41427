#include "frontends/cli/compare/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "isa/support/random.h"
#include "isa/support/shown_text.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = UINT64_C(1) << 30;  // of kept input; of copied files

std::unexpected<isa::Error> CannotCopy(const fs::path& path, const std::error_code& error) {
  return isa::Fail(isa::ErrorCode::kIo,
                   fmt::format("cannot copy {} for a run: {}", path.string(), error.message()));
}

/// Copies one entry of a folder; the bytes that took.
isa::Result<std::uint64_t> CopyEntry(const fs::directory_entry& entry, const fs::path& target) {
  std::error_code error;
  std::uint64_t bytes = 0;
  if (entry.is_symlink(error)) {
    fs::copy_symlink(entry.path(), target, error);
  } else if (entry.is_directory(error)) {
    fs::create_directory(target, entry.path(), error);
  } else if (entry.is_regular_file(error)) {
    bytes = entry.file_size(error);
    if (!error) fs::copy_file(entry.path(), target, error);
  }
  if (error) return CannotCopy(entry.path(), error);
  return bytes;
}

isa::Result<void> CopyFolder(const fs::path& from, const fs::path& to, std::uint64_t& bytes) {
  std::error_code error;
  fs::create_directory(to, from, error);
  if (error) return CannotCopy(from, error);
  fs::recursive_directory_iterator entry(from, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    TXVM_TRY(const std::uint64_t more,
             CopyEntry(*entry, to / entry->path().lexically_relative(from)));
    bytes += more;
    if (bytes <= kMostBytes) continue;
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("{} holds more than {}, which every run would copy: grant it to "
                                 "be read alone, with :ro",
                                 from.string(), isa::Grouped(kMostBytes, "byte")));
  }
  if (error) return CannotCopy(from, error);
  return {};
}

}  // namespace

struct ReplayedInput::Kept {
  wasi::ReadFunction source;
  std::string bytes;
  bool has_ended = false;

  /// Reads on until there are so many bytes; 0, or the negative errno of a read.
  std::int64_t Fill(std::size_t count) {
    constexpr std::size_t kPiece = 65'536;
    while (bytes.size() < count && !has_ended) {
      if (bytes.size() >= kMostBytes) return -EFBIG;
      std::array<std::uint8_t, kPiece> piece;
      const std::int64_t read = source(piece);
      if (read < 0) return read;
      has_ended = read == 0;
      bytes.append(piece.begin(), piece.begin() + read);
    }
    return 0;
  }
};

ReplayedInput::ReplayedInput(wasi::ReadFunction source)
    : kept_(std::make_shared<Kept>(std::move(source), std::string(), false)) {}

const std::string& ReplayedInput::Read() const { return kept_->bytes; }

wasi::ReadFunction ReplayedInput::FromStart() const {
  return [kept = kept_, place = std::size_t{0}](std::span<std::uint8_t> bytes) mutable {
    if (const std::int64_t error = kept->Fill(place + bytes.size()); error != 0) return error;
    const auto rest = std::string_view(kept->bytes).substr(place, bytes.size());
    std::ranges::copy(rest, bytes.begin());
    place += rest.size();
    return static_cast<std::int64_t>(rest.size());
  };
}

wasi::WriteFunction KeepPrinted(Printed& printed) {
  return [&printed](std::span<const std::uint8_t> bytes) {
    printed.bytes += bytes.size();
    printed.hash =
        isa::HashText({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, printed.hash);
    return static_cast<std::int64_t>(bytes.size());
  };
}

isa::Result<FolderCopies> FolderCopies::Make(const std::vector<wasi::Directory>& granted) {
  FolderCopies made;
  std::uint64_t bytes = 0;
  for (const wasi::Directory& directory : granted) {
    made.directories_.push_back(directory);
    if (directory.read_only) continue;
    TXVM_TRY(c::TempFolder folder, c::TempFolder::Create());
    made.directories_.back().host = folder.PathOf("copy");
    TXVM_CHECK_OK(CopyFolder(directory.host, made.directories_.back().host, bytes));
    made.copies_.push_back(std::move(folder));
  }
  return made;
}

}  // namespace txvm::frontends::cli
