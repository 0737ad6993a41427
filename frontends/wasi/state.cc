// The state of a program's calls as text, and back.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "frontends/wasi/system.h"
#include "frontends/wasi/wasi.h"
#include "isa/support/json.h"
#include "isa/support/json_writer.h"
#include "isa/support/text.h"

namespace txvm::frontends::wasi {
namespace {

using isa::ErrorCode;
using isa::Json;

constexpr std::uint64_t kVersion = 2;
constexpr std::size_t kTimesFields = 5;  // device, node, access, modified, changed

/// Where a file is, in bytes, how long it is, and which file of the system it is.
struct Identity {
  std::uint64_t device = 0, node = 0, position = 0, size = 0;
};

Identity IdentityOf(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return {};
  const off_t position = lseek(descriptor, 0, SEEK_CUR);
  return {status.st_dev, status.st_ino, position < 0 ? 0 : static_cast<std::uint64_t>(position),
          static_cast<std::uint64_t>(status.st_size)};
}

/// Bytes as a text that JSON keeps, whatever they are: '%' and all but printable ASCII is %XX.
std::string Escaped(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const bool is_plain = c > ' ' && c <= '~' && c != '%';
    text += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

/// The bytes of a text that Escaped made; nothing for another.
std::optional<std::string> Unescaped(std::string_view text) {
  constexpr int kHex = 16;
  std::string bytes;
  while (!text.empty()) {
    std::uint8_t byte = static_cast<std::uint8_t>(text.front());
    text.remove_prefix(1);
    if (byte == '%') {
      if (text.size() < 2) return std::nullopt;
      const auto parsed = std::from_chars(text.data(), text.data() + 2, byte, kHex);
      if (parsed.ec != std::errc() || parsed.ptr != text.data() + 2) return std::nullopt;
      text.remove_prefix(2);
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

/// What the system calls the file of a descriptor; empty where it does not say.
std::string SystemPath(int descriptor) {
  std::array<char, kMostPathBytes> text;
  const std::string link = fmt::format("/proc/self/fd/{}", descriptor);
  const ssize_t count = readlink(link.c_str(), text.data(), text.size());
  return count <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(count));
}

/// The path of an open file in its granted folder as it is now: it may have been renamed since it
/// was opened. Nothing where it has no name any more.
std::optional<std::string> PathNow(const OpenFile& file, const Files& files) {
  const OpenFile* grant = nullptr;
  for (const auto& [number, other] : files.all()) {
    if (!other.guest_name.empty() && other.guest_name == file.grant) grant = &other;
  }
  if (grant == nullptr || file.path.empty()) return file.path;
  std::string folder = SystemPath(grant->system.number()), path = SystemPath(file.system.number());
  if (folder != "/") folder += '/';
  if (!path.starts_with(folder)) return file.path;
  path.erase(0, folder.size());
  struct stat named = {}, open = {};
  const bool is_named =
      fstatat(grant->system.number(), path.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      fstat(file.system.number(), &open) == 0 && named.st_dev == open.st_dev &&
      named.st_ino == open.st_ino;
  return is_named ? std::optional(path) : std::nullopt;
}

/// Numbers of 64 bits are texts: JSON's are doubles to many readers.
void Put(isa::JsonWriter& writer, std::string_view key, std::uint64_t value) {
  writer.Key(key).String(std::to_string(value));
}

void PutTexts(isa::JsonWriter& writer, std::string_view key,
              const std::vector<std::string>& texts) {
  writer.Key(key).BeginArray();
  for (const std::string& text : texts) writer.String(Escaped(text));
  writer.EndArray();
}

/// The names of a folder that fd_readdir is listing: "type node name".
void PutListing(isa::JsonWriter& writer, const std::vector<FolderEntry>& entries) {
  writer.Key("listing").BeginArray();
  for (const FolderEntry& entry : entries) {
    writer.String(
        fmt::format("{} {} {}", static_cast<int>(entry.type), entry.node, Escaped(entry.name)));
  }
  writer.EndArray();
}

void PutFile(isa::JsonWriter& writer, std::uint32_t number, const OpenFile& file,
             const Files& files) {
  writer.BeginObject();
  Put(writer, "number", number);
  Put(writer, "kind", static_cast<std::uint64_t>(file.kind));
  Put(writer, "rights", file.rights);
  Put(writer, "inherited", file.inherited);
  Put(writer, "flags", file.flags);
  if (file.kind == OpenFile::Kind::kFolder || file.kind == OpenFile::Kind::kFile) {
    const Identity identity = IdentityOf(file.system.number());
    const std::optional<std::string> path = PathNow(file, files);
    writer.Key("grant").String(Escaped(file.grant));
    writer.Key("path").String(Escaped(path.value_or(file.path)));
    writer.Key("removed").Bool(!path);
    writer.Key("granted").Bool(!file.guest_name.empty());
    Put(writer, "device", identity.device);
    Put(writer, "node", identity.node);
    Put(writer, "position", identity.position);
    Put(writer, "size", identity.size);
    if (file.listing) PutListing(writer, *file.listing);
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
    return member == nullptr ? FailText() : ParseText(*member);
  }
  std::vector<std::string> Texts(std::string_view key) {
    const Json* list = object_.Find(key);
    std::vector<std::string> texts;
    if (list == nullptr) Fail();
    if (list == nullptr) return texts;
    for (const Json& item : list->items) texts.push_back(ParseText(item));
    return texts;
  }
  /// Bytes that Escaped made a text of.
  std::string ParseText(const Json& item) {
    const auto bytes = item.kind == Json::Kind::kString ? Unescaped(item.text) : std::nullopt;
    return bytes ? *bytes : FailText();
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
  std::string FailText() {
    failed_ = true;
    return {};
  }

  const Json& object_;
  bool failed_ = false;
};

/// A file as it was saved.
struct SavedFile {
  std::uint32_t number = 0;
  OpenFile file;
  Identity identity;
  bool is_granted = false, is_removed = false;
};

/// An entry that PutListing wrote.
std::optional<FolderEntry> ReadEntry(const Json& item) {
  const std::string_view text = item.text;
  const std::size_t first = text.find(' ');
  const std::size_t second = first == text.npos ? text.npos : text.find(' ', first + 1);
  if (second == text.npos) return std::nullopt;
  FolderEntry entry;
  int type = 0;
  const char* const at = text.data();
  const auto name = Unescaped(text.substr(second + 1));
  const bool is_read = std::from_chars(at, at + first, type).ptr == at + first &&
                       std::from_chars(at + first + 1, at + second, entry.node).ptr == at + second;
  if (!is_read || !name || type < 0 || type > static_cast<int>(FileType::kLink)) {
    return std::nullopt;
  }
  entry.type = static_cast<FileType>(type);
  entry.name = *name;
  return entry;
}

std::optional<SavedFile> ReadFile(const Json& object) {
  Members members(object);
  SavedFile saved;
  const std::uint64_t number = members.Number("number"), kind = members.Number("kind");
  if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  if (kind > static_cast<std::uint64_t>(OpenFile::Kind::kFile)) return std::nullopt;
  saved.number = static_cast<std::uint32_t>(number);
  saved.file.kind = static_cast<OpenFile::Kind>(kind);
  saved.file.rights = members.Number("rights");
  saved.file.inherited = members.Number("inherited");
  saved.file.flags = static_cast<std::uint16_t>(members.Number("flags"));
  if (saved.file.kind == OpenFile::Kind::kFolder || saved.file.kind == OpenFile::Kind::kFile) {
    saved.file.grant = members.Text("grant");
    saved.file.path = members.Text("path");
    saved.is_granted = object.Flag("granted");
    saved.is_removed = object.Flag("removed");
    saved.identity = {members.Number("device"), members.Number("node"), members.Number("position"),
                      members.Number("size")};
    if (const Json* listing = object.Find("listing")) {
      saved.file.listing.emplace();
      for (const Json& item : listing->items) {
        const auto entry = ReadEntry(item);
        if (!entry) return std::nullopt;
        saved.file.listing->push_back(*entry);
      }
    }
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

/// What the system says of an error.
std::string ErrorText(Errno error) {
  switch (error) {
#define WASI_ERROR(code, Name, system) \
  case Errno::k##Name:                 \
    return std::strerror(system);
#include "frontends/wasi/errors.def"
#undef WASI_ERROR
    case Errno::kSuccess:
      break;
  }
  return "no error";
}

/// What became of a saved file: why it cannot be opened again, or what is different about it.
struct Reopened {
  std::string refusal, difference;
};

/// How the length of a file differs from what it was; cuts it when `cuts` and it has grown.
std::string CompareSize(const OpenFile& file, std::uint64_t was, bool cuts) {
  const std::uint64_t is = IdentityOf(file.system.number()).size;
  if (file.kind != OpenFile::Kind::kFile || is == was) return {};
  const bool is_cut = cuts && is > was && (file.rights & kRightFdWrite) != 0 &&
                      ftruncate(file.system.number(), static_cast<off_t>(was)) == 0;
  return fmt::format("{} {}, it had {} at the snapshot", is_cut ? "was cut from" : "has",
                     isa::CountText(is, "byte"), was);
}

/// Opens a saved file again.
Reopened Reopen(Files& files, Table& fresh, SavedFile& saved, bool cuts) {
  const OpenFile* origin = Origin(fresh, saved);
  OpenFile& file = saved.file;
  if (origin == nullptr) return {"its folder is not granted now", {}};
  if (saved.is_removed) return {"it was removed while it was open", {}};
  const bool is_stream = origin->guest_name.empty();
  file.type = is_stream                              ? origin->type
              : file.kind == OpenFile::Kind::kFolder ? FileType::kFolder
                                                     : FileType::kRegular;
  Reopened result;
  file.read_only = origin->read_only;
  if (file.read_only) {
    if ((file.rights & kChangingRights) != 0) result.difference = "can be read alone now";
    file.rights &= ~kChangingRights;
    file.inherited &= ~kChangingRights;
  }
  if (!is_stream) {
    auto opened = OpenAgain(*origin, file);
    if (!opened) return {"it cannot be opened again: " + ErrorText(opened.error()), {}};
    const Identity now = IdentityOf(opened->number());
    const bool is_same = now.device == saved.identity.device && now.node == saved.identity.node;
    if (!is_same && !saved.is_granted) return {"another file has its name now", {}};
    file.system = *std::move(opened);
    if (saved.is_granted) file.guest_name = file.grant;
    const auto position = static_cast<off_t>(saved.identity.position);
    if (file.kind == OpenFile::Kind::kFile &&
        lseek(file.system.number(), position, SEEK_SET) != position) {
      return {fmt::format("it has no place {} now", saved.identity.position), {}};
    }
    const std::string size = CompareSize(file, saved.identity.size, cuts);
    if (!size.empty()) result.difference += (result.difference.empty() ? "" : ", and ") + size;
  }
  files.Put(saved.number, std::move(file));
  return result;
}

std::unexpected<isa::Error> Corrupt(std::string_view what) {
  return isa::Fail(ErrorCode::kCorrupt, fmt::format("the state of WASI in the snapshot: {}", what));
}

/// What Save wrote.
struct SavedState {
  std::uint64_t time = 0, random = 0, written = 0, input = 0;
  bool real_clock = false, real_random = false;
  std::vector<std::string> arguments, environment;  // the former without the program's name
  std::vector<std::string> grants;                  // names of folders
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
  saved.input = members.Number("input");
  saved.real_clock = json.Flag("real_clock");
  saved.real_random = json.Flag("real_random");
  saved.arguments = members.Texts("arguments");
  saved.environment = members.Texts("environment");
  saved.grants = members.Texts("grants");
  for (const Json& row : times->items) {
    if (row.items.size() != kTimesFields)
      return Corrupt("the times of a file are not five numbers");
    std::array<std::uint64_t, kTimesFields> values = {};
    for (std::size_t i = 0; i < kTimesFields; ++i) values[i] = members.Parse(row.items[i]);
    saved.times[{values[0], values[1]}] = {values[2], values[3], values[4]};
  }
  if (members.failed()) return Corrupt("a number or text is missing or is none");
  for (const Json& object : files->items) {
    auto file = ReadFile(object);
    if (!file) return Corrupt("a file lacks a number or a name");
    saved.files.push_back(*std::move(file));
  }
  return saved;
}

/// What is different about all that is no file.
std::vector<std::string> CompareSurroundings(const Options& now, const SavedState& then) {
  std::vector<std::string> notes;
  if (then.real_clock != now.real_clock) {
    notes.emplace_back(now.real_clock
                           ? "the run had the virtual clock, now it has the system's"
                           : "the run had the system's clock, now it has the virtual one");
  }
  if (then.real_random != now.real_random) {
    notes.emplace_back(now.real_random
                           ? "the run had random numbers of a seed, now it has the system's"
                           : "the run had the system's random numbers, now it has those of a seed");
  }
  for (const Directory& directory : now.directories) {
    if (std::ranges::find(then.grants, directory.guest) != then.grants.end()) continue;
    notes.push_back(fmt::format("folder {} is not open: the run was not granted it",
                                isa::Printable(directory.guest)));
  }
  return notes;
}

}  // namespace

std::string State::Save() const {
  isa::JsonWriter writer;
  writer.BeginObject();
  Put(writer, "wasi", kVersion);
  Put(writer, "time", system_->virtual_time);
  Put(writer, "random", system_->random.state());
  Put(writer, "written", system_->written);
  Put(writer, "input", system_->input_read);
  const Options& options = system_->options;
  writer.Key("real_clock").Bool(options.real_clock);
  writer.Key("real_random").Bool(options.real_random);
  // All but the program's name, which is the path of whoever runs it.
  const auto given = std::span(options.arguments).subspan(options.arguments.empty() ? 0 : 1);
  PutTexts(writer, "arguments", {given.begin(), given.end()});
  PutTexts(writer, "environment", options.environment);
  std::vector<std::string> grants;
  for (const Directory& directory : options.directories) grants.push_back(directory.guest);
  PutTexts(writer, "grants", grants);
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
  for (const auto& [number, file] : system_->files.all()) {
    PutFile(writer, number, file, system_->files);
  }
  writer.EndArray();
  writer.EndObject();
  return writer.text();
}

isa::Result<void> State::Check(std::string_view text) {
  TXVM_TRY(const SavedState saved, Parse(text));
  return {};
}

isa::Result<std::vector<std::string>> State::Restore(std::string_view text,
                                                     bool cuts_grown_files) const {
  TXVM_TRY(SavedState saved, Parse(text));
  Options& options = system_->options;
  std::vector<std::string> notes = CompareSurroundings(options, saved);
  system_->virtual_time = saved.time;
  system_->random = isa::SplitMix64(saved.random);
  system_->written = std::min(saved.written, options.most_written);
  system_->input_read = saved.input;
  if (options.arguments.size() <= 1 && !saved.arguments.empty()) {
    options.arguments.resize(1);
    options.arguments.insert(options.arguments.end(), saved.arguments.begin(),
                             saved.arguments.end());
  }
  if (options.environment.empty()) options.environment = std::move(saved.environment);
  system_->times = std::move(saved.times);
  Table fresh = system_->files.TakeAll();
  for (SavedFile& file : saved.files) {
    const std::string name =
        file.file.path.empty() ? file.file.grant : file.file.grant + "/" + file.file.path;
    const std::string shown = fmt::format("descriptor {} ({})", file.number, isa::Printable(name));
    const Reopened result = Reopen(system_->files, fresh, file, cuts_grown_files);
    if (!result.refusal.empty()) {
      notes.push_back(fmt::format("{} is closed now: {}", shown, result.refusal));
    } else if (!result.difference.empty()) {
      notes.push_back(fmt::format("{} {}", shown, result.difference));
    }
  }
  const SeekFunction& seek = system_->options.streams.seek_input;
  if (system_->input_read != 0 && !(seek && seek(system_->input_read))) {
    notes.push_back(
        fmt::format("standard input goes on with what comes now: {} of it were read, "
                    "and it is no file that has a place there",
                    isa::CountText(system_->input_read, "byte")));
  }
  return notes;
}

std::uint64_t State::changes() const { return system_->changes; }

}  // namespace txvm::frontends::wasi
