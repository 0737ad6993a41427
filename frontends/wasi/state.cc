// The state of a program's calls as text, and back.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "frontends/wasi/system.h"
#include "frontends/wasi/wasi.h"
#include "isa/support/json.h"
#include "isa/support/json_writer.h"
#include "isa/support/text.h"

namespace txvm::frontends::wasi {
namespace {

using isa::ErrorCode;
using isa::Json;

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kTimesFields = 5;  // device, node, access, modified, changed

/// Where a file is, in bytes, and which file of the system it is.
struct Identity {
  std::uint64_t device = 0, node = 0, position = 0;
};

Identity IdentityOf(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return {};
  const off_t position = lseek(descriptor, 0, SEEK_CUR);
  return {status.st_dev, status.st_ino, position < 0 ? 0 : static_cast<std::uint64_t>(position)};
}

/// Numbers of 64 bits are texts: JSON's are doubles to many readers.
void Put(isa::JsonWriter& writer, std::string_view key, std::uint64_t value) {
  writer.Key(key).String(std::to_string(value));
}

void PutFile(isa::JsonWriter& writer, std::uint32_t number, const OpenFile& file) {
  writer.BeginObject();
  Put(writer, "number", number);
  Put(writer, "kind", static_cast<std::uint64_t>(file.kind));
  Put(writer, "rights", file.rights);
  Put(writer, "inherited", file.inherited);
  Put(writer, "flags", file.flags);
  if (file.kind == OpenFile::Kind::kFolder || file.kind == OpenFile::Kind::kFile) {
    const Identity identity = IdentityOf(file.system.number());
    writer.Key("grant").String(file.grant);
    writer.Key("path").String(file.path);
    writer.Key("granted").Bool(!file.guest_name.empty());
    Put(writer, "device", identity.device);
    Put(writer, "node", identity.node);
    Put(writer, "position", identity.position);
  }
  writer.EndObject();
}

/// Reads the members of an object; the first that is missing or no number makes it fail.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}

  std::uint64_t Number(std::string_view key) {
    const Json* member = object_.Find(key);
    return member == nullptr ? Fail() : Parse(*member);
  }
  std::string Text(std::string_view key) {
    const Json* member = object_.Find(key);
    if (member != nullptr && member->kind == Json::Kind::kString) return member->text;
    failed_ = true;
    return {};
  }
  std::uint64_t Parse(const Json& text) {
    std::uint64_t value = 0;
    const char* end = text.text.data() + text.text.size();
    const auto parsed = std::from_chars(text.text.data(), end, value);
    const bool is_whole = parsed.ec == std::errc() && parsed.ptr == end;
    return text.kind == Json::Kind::kString && is_whole ? value : Fail();
  }
  bool failed() const { return failed_; }

 private:
  std::uint64_t Fail() {
    failed_ = true;
    return 0;
  }

  const Json& object_;
  bool failed_ = false;
};

/// A file as it was saved.
struct SavedFile {
  std::uint32_t number = 0;
  OpenFile file;
  Identity identity;
  bool is_granted = false;
};

std::optional<SavedFile> ReadFile(const Json& object) {
  Members members(object);
  SavedFile saved;
  saved.number = static_cast<std::uint32_t>(members.Number("number"));
  const std::uint64_t kind = members.Number("kind");
  if (kind > static_cast<std::uint64_t>(OpenFile::Kind::kFile)) return std::nullopt;
  saved.file.kind = static_cast<OpenFile::Kind>(kind);
  saved.file.rights = members.Number("rights");
  saved.file.inherited = members.Number("inherited");
  saved.file.flags = static_cast<std::uint16_t>(members.Number("flags"));
  if (saved.file.kind == OpenFile::Kind::kFolder || saved.file.kind == OpenFile::Kind::kFile) {
    saved.file.grant = members.Text("grant");
    saved.file.path = members.Text("path");
    saved.is_granted = object.Flag("granted");
    saved.identity = {members.Number("device"), members.Number("node"), members.Number("position")};
  }
  if (members.failed()) return std::nullopt;
  return saved;
}

using Table = std::map<std::uint32_t, OpenFile>;

/// The stream or granted folder of a fresh table that the saved file is, or was opened in.
OpenFile* Origin(Table& fresh, const SavedFile& saved) {
  const bool is_stream =
      saved.file.kind != OpenFile::Kind::kFolder && saved.file.kind != OpenFile::Kind::kFile;
  for (auto& [number, file] : fresh) {
    if (is_stream ? file.kind == saved.file.kind
                  : !file.guest_name.empty() && file.guest_name == saved.file.grant) {
      return &file;
    }
  }
  return nullptr;
}

/// Opens a saved file again; a reason where that cannot be.
std::optional<std::string> Reopen(Files& files, Table& fresh, SavedFile& saved) {
  const OpenFile* origin = Origin(fresh, saved);
  OpenFile& file = saved.file;
  if (origin == nullptr) return "its folder is not granted now";
  const bool is_stream = origin->guest_name.empty();
  file.type = is_stream                              ? origin->type
              : file.kind == OpenFile::Kind::kFolder ? FileType::kFolder
                                                     : FileType::kRegular;
  file.read_only = origin->read_only;
  if (file.read_only) {
    file.rights &= ~kChangingRights;
    file.inherited &= ~kChangingRights;
  }
  if (!is_stream) {
    auto opened = OpenAgain(*origin, file);
    if (!opened) {
      return fmt::format("it cannot be opened again: WASI error {}",
                         static_cast<int>(opened.error()));
    }
    const Identity now = IdentityOf(opened->number());
    const bool is_same = now.device == saved.identity.device && now.node == saved.identity.node;
    if (!is_same && !saved.is_granted) return "another file has its name now";
    file.system = *std::move(opened);
    if (saved.is_granted) file.guest_name = file.grant;
    const auto position = static_cast<off_t>(saved.identity.position);
    if (file.kind == OpenFile::Kind::kFile &&
        lseek(file.system.number(), position, SEEK_SET) != position) {
      return fmt::format("it has no place {} now", saved.identity.position);
    }
  }
  files.Put(saved.number, std::move(file));
  return std::nullopt;
}

std::unexpected<isa::Error> Corrupt(std::string_view what) {
  return isa::Fail(ErrorCode::kCorrupt, fmt::format("the state of WASI in the snapshot: {}", what));
}

/// What Save wrote.
struct SavedState {
  std::uint64_t time = 0, random = 0, written = 0;
  decltype(System::times) times;
  std::vector<SavedFile> files;
};

isa::Result<SavedState> Parse(std::string_view text) {
  TXVM_TRY(const Json json, isa::ParseJson(text));
  Members members(json);
  if (members.Number("wasi") != kVersion) return Corrupt("it is of another version");
  const Json* times = json.Find("times");
  const Json* files = json.Find("files");
  if (times == nullptr || files == nullptr) return Corrupt("it has no times or no files");
  SavedState saved;
  saved.time = members.Number("time");
  saved.random = members.Number("random");
  saved.written = members.Number("written");
  for (const Json& row : times->items) {
    if (row.items.size() != kTimesFields)
      return Corrupt("the times of a file are not five numbers");
    std::array<std::uint64_t, kTimesFields> values = {};
    for (std::size_t i = 0; i < kTimesFields; ++i) values[i] = members.Parse(row.items[i]);
    saved.times[{values[0], values[1]}] = {values[2], values[3], values[4]};
  }
  if (members.failed()) return Corrupt("a number is missing or is none");
  for (const Json& object : files->items) {
    auto file = ReadFile(object);
    if (!file) return Corrupt("a file lacks a number or a name");
    saved.files.push_back(*std::move(file));
  }
  return saved;
}

}  // namespace

std::string State::Save() const {
  isa::JsonWriter writer;
  writer.BeginObject();
  Put(writer, "wasi", kVersion);
  Put(writer, "time", system_->virtual_time);
  Put(writer, "random", system_->random.state());
  Put(writer, "written", system_->written);
  writer.Key("times").BeginArray();
  for (const auto& [key, times] : system_->times) {
    writer.BeginArray();
    for (const std::uint64_t value :
         {key.first, key.second, times.access, times.modified, times.changed}) {
      writer.String(std::to_string(value));
    }
    writer.EndArray();
  }
  writer.EndArray();
  writer.Key("files").BeginArray();
  for (const auto& [number, file] : system_->files.all()) PutFile(writer, number, file);
  writer.EndArray();
  writer.EndObject();
  return writer.text();
}

isa::Result<void> State::Check(std::string_view text) {
  TXVM_TRY(const SavedState saved, Parse(text));
  return {};
}

isa::Result<std::vector<std::string>> State::Restore(std::string_view text) const {
  TXVM_TRY(SavedState saved, Parse(text));
  system_->virtual_time = saved.time;
  system_->random = isa::SplitMix64(saved.random);
  system_->written = std::min(saved.written, system_->options.most_written);
  system_->times = std::move(saved.times);
  Table fresh = system_->files.TakeAll();
  std::vector<std::string> notes;
  for (SavedFile& file : saved.files) {
    const std::string name = fmt::format("{}/{}", file.file.grant, file.file.path);
    if (const auto reason = Reopen(system_->files, fresh, file)) {
      notes.push_back(fmt::format("descriptor {} ({}) is closed now: {}", file.number,
                                  isa::Printable(name), *reason));
    }
  }
  return notes;
}

}  // namespace txvm::frontends::wasi
