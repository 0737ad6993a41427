#include "frontends/screen/wasm4/cartridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "frontends/screen/wasm4/canvas.h"

namespace txvm::frontends::screen::wasm4 {
namespace {

using Args = std::span<const vm::Word>;
using Results = std::span<vm::Word>;
using vm::HostStatus;
using vm::Word;

constexpr std::string_view kEnv = "env";

constexpr auto kFirstColors =
    std::to_array<std::uint32_t>({0xE0F8CF, 0x86C06C, 0x306850, 0x071821});
constexpr std::uint16_t kFirstDrawColors = 0x1203;

enum Button : std::uint8_t {
  kButton1 = 1,
  kButton2 = 2,
  kPadLeft = 16,
  kPadRight = 32,
  kPadUp = 64,
  kPadDown = 128,
};

struct PadKey {
  std::uint8_t key, player, button;
};

constexpr auto kPadKeys = std::to_array<PadKey>({
    {'x', 0, kButton1},
    {'v', 0, kButton1},
    {' ', 0, kButton1},
    {'z', 0, kButton2},
    {'c', 0, kButton2},
    {'n', 0, kButton2},
    {kLeft, 0, kPadLeft},
    {kRight, 0, kPadRight},
    {kUp, 0, kPadUp},
    {kDown, 0, kPadDown},
    {'a', 1, kButton1},
    {kTab, 1, kButton1},
    {'q', 1, kButton2},
    {'1', 1, kButton2},
    {'s', 1, kPadLeft},
    {'f', 1, kPadRight},
    {'e', 1, kPadUp},
    {'d', 1, kPadDown},
});

void Store16(std::span<std::uint8_t> memory, std::uint32_t address, std::int32_t value) {
  const auto bits = static_cast<std::uint16_t>(std::clamp(value, INT16_MIN, INT16_MAX));
  std::memcpy(memory.data() + address, &bits, sizeof bits);
}

std::int32_t Signed(Word word) { return static_cast<std::int32_t>(word); }

/// The cartridge's memory: what lies beyond 64 KiB is no part of the console, but may hold texts.
using Bytes = std::span<const std::uint8_t>;

HostStatus OutOfBounds(std::string_view function, Word address) {
  return HostStatus::Trap(fmt::format("env.{} at {}", function, address), isa::Trap::kOutOfBounds);
}

/// `count` bytes at `address`; nullopt outside the memory.
std::optional<Bytes> Find(const vm::HostContext& context, Word address, Word count) {
  if (!context.memory.Contains(address, count)) return std::nullopt;
  return Bytes(context.memory.data() + address, count);
}

/// A text that ends in 0; nullopt where it has no end.
std::optional<Bytes> FindText(const vm::HostContext& context, Word address) {
  const Bytes memory = std::as_const(context.memory).bytes();
  if (address >= memory.size()) return std::nullopt;
  const Bytes rest = memory.subspan(address);
  const auto end = std::ranges::find(rest, 0);
  if (end == rest.end()) return std::nullopt;
  return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

/// Units of 16 bits as Latin-1; what is outside it is blank.
std::vector<std::uint8_t> Narrow(Bytes wide) {
  std::vector<std::uint8_t> text;
  for (std::size_t i = 0; i + 1 < wide.size(); i += 2) {
    text.push_back(wide[i + 1] == 0 ? wide[i] : std::uint8_t{' '});
  }
  return text;
}

std::string_view AsText(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

using Draw = void (*)(Canvas& canvas, Args args);

void DefineDrawing(vm::Linker& linker, std::string_view name, std::uint32_t params, Draw draw) {
  linker.Define(kEnv, name, params, 0, [draw](vm::HostContext& context, Args args, Results) {
    Canvas canvas(context.memory.bytes());
    draw(canvas, args);
    return HostStatus::Continue();
  });
}

void DefineShapes(vm::Linker& linker) {
  DefineDrawing(linker, "blit", 6, [](Canvas& canvas, Args args) {
    canvas.Blit(args[0], Signed(args[1]), Signed(args[2]), Signed(args[3]), Signed(args[4]),
                args[5]);
  });
  DefineDrawing(linker, "blitSub", 9, [](Canvas& canvas, Args args) {
    canvas.BlitPart(args[0], Signed(args[1]), Signed(args[2]), Signed(args[3]), Signed(args[4]),
                    Signed(args[5]), Signed(args[6]), Signed(args[7]), args[8]);
  });
  DefineDrawing(linker, "line", 4, [](Canvas& canvas, Args args) {
    canvas.Line(Signed(args[0]), Signed(args[1]), Signed(args[2]), Signed(args[3]));
  });
  DefineDrawing(linker, "hline", 3, [](Canvas& canvas, Args args) {
    canvas.HorizontalLine(Signed(args[0]), Signed(args[1]), Signed(args[2]));
  });
  DefineDrawing(linker, "vline", 3, [](Canvas& canvas, Args args) {
    canvas.VerticalLine(Signed(args[0]), Signed(args[1]), Signed(args[2]));
  });
  DefineDrawing(linker, "oval", 4, [](Canvas& canvas, Args args) {
    canvas.Oval(Signed(args[0]), Signed(args[1]), Signed(args[2]), Signed(args[3]));
  });
  DefineDrawing(linker, "rect", 4, [](Canvas& canvas, Args args) {
    canvas.Rect(Signed(args[0]), Signed(args[1]), Signed(args[2]), Signed(args[3]));
  });
}

/// Texts: those that end in 0, and those with a length in bytes.
void DefineTexts(vm::Linker& linker) {
  linker.Define(kEnv, "text", 3, 0, [](vm::HostContext& context, Args args, Results) {
    const std::optional<Bytes> text = FindText(context, args[0]);
    if (!text) return OutOfBounds("text", args[0]);
    Canvas(context.memory.bytes()).Text(*text, Signed(args[1]), Signed(args[2]));
    return HostStatus::Continue();
  });
  linker.Define(kEnv, "textUtf8", 4, 0, [](vm::HostContext& context, Args args, Results) {
    const std::optional<Bytes> text = Find(context, args[0], args[1]);
    if (!text) return OutOfBounds("textUtf8", args[0]);
    Canvas(context.memory.bytes()).Text(*text, Signed(args[2]), Signed(args[3]));
    return HostStatus::Continue();
  });
  linker.Define(kEnv, "textUtf16", 4, 0, [](vm::HostContext& context, Args args, Results) {
    const std::optional<Bytes> text = Find(context, args[0], args[1]);
    if (!text) return OutOfBounds("textUtf16", args[0]);
    Canvas(context.memory.bytes()).Text(Narrow(*text), Signed(args[2]), Signed(args[3]));
    return HostStatus::Continue();
  });
}

/// What tracef prints: %c, %d, %x, %s and %f, with its arguments one after another in memory.
std::optional<std::string> Format(const vm::HostContext& context, Word format, Word arguments) {
  const std::optional<Bytes> found = FindText(context, format);
  if (!found) return std::nullopt;
  const std::string_view text = AsText(*found);
  std::string line;
  const auto take = [&]<typename Value>(Value& value) {
    const std::optional<Bytes> bytes = Find(context, arguments, sizeof value);
    if (!bytes) return false;
    std::memcpy(&value, bytes->data(), sizeof value);
    arguments += sizeof value;
    return true;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || i + 1 == text.size()) {
      line += text[i];
      continue;
    }
    const char kind = text[++i];
    Word word = 0;
    double number = 0;
    if (kind == 'f' ? !take(number) : std::string_view("cdxs").contains(kind) && !take(word)) {
      return std::nullopt;
    }
    if (kind == 'c') {
      line += static_cast<char>(word);
    } else if (kind == 'd') {
      line += std::to_string(Signed(word));
    } else if (kind == 'x') {
      line += fmt::format("{:x}", word);
    } else if (kind == 'f') {
      line += fmt::format("{:g}", number);
    } else if (kind == 's') {
      const std::optional<Bytes> string = FindText(context, word);
      if (!string) return std::nullopt;
      line += AsText(*string);
    } else {
      line += kind == '%' ? std::string("%") : std::string{'%', kind};
    }
  }
  return line;
}

HostStatus Trace(const Surroundings& surroundings, std::string_view line) {
  if (surroundings.trace) surroundings.trace(line);
  return HostStatus::Continue();
}

void DefineTraces(vm::Linker& linker, const std::shared_ptr<Surroundings>& around) {
  linker.Define(kEnv, "trace", 1, 0, [around](vm::HostContext& context, Args args, Results) {
    const std::optional<Bytes> text = FindText(context, args[0]);
    return text ? Trace(*around, AsText(*text)) : OutOfBounds("trace", args[0]);
  });
  linker.Define(kEnv, "traceUtf8", 2, 0, [around](vm::HostContext& context, Args args, Results) {
    const std::optional<Bytes> text = Find(context, args[0], args[1]);
    return text ? Trace(*around, AsText(*text)) : OutOfBounds("traceUtf8", args[0]);
  });
  linker.Define(kEnv, "traceUtf16", 2, 0, [around](vm::HostContext& context, Args args, Results) {
    const std::optional<Bytes> text = Find(context, args[0], args[1]);
    return text ? Trace(*around, AsText(Narrow(*text))) : OutOfBounds("traceUtf16", args[0]);
  });
  linker.Define(kEnv, "tracef", 2, 0, [around](vm::HostContext& context, Args args, Results) {
    const std::optional<std::string> line = Format(context, args[0], args[1]);
    return line ? Trace(*around, *line) : OutOfBounds("tracef", args[0]);
  });
}

void DefineDisk(vm::Linker& linker, const std::shared_ptr<Surroundings>& around) {
  linker.Define(kEnv, "diskr", 2, 1, [around](vm::HostContext& context, Args args, Results out) {
    const auto count = static_cast<Word>(std::min<std::size_t>(args[1], around->disk.size()));
    if (!context.memory.Contains(args[0], count)) return OutOfBounds("diskr", args[0]);
    std::ranges::copy_n(around->disk.begin(), count, context.memory.data() + args[0]);
    out[0] = count;
    return HostStatus::Continue();
  });
  linker.Define(kEnv, "diskw", 2, 1, [around](vm::HostContext& context, Args args, Results out) {
    const auto count = std::min<Word>(args[1], kDiskBytes);
    const std::optional<Bytes> bytes = Find(context, args[0], count);
    if (!bytes) return OutOfBounds("diskw", args[0]);
    around->disk.assign(bytes->begin(), bytes->end());
    out[0] = count;
    return HostStatus::Continue();
  });
}

/// The same function for an import with another number of parameters or results, as JavaScript
/// calls it: what is missing is 0, what is too much is dropped.
vm::HostFunction Adapt(const vm::HostBinding& binding) {
  return [function = binding.function, params = binding.params, results = binding.results](
             vm::HostContext& context, Args args, Results out) {
    std::vector<Word> given(args.begin(), args.end()), taken(results);
    given.resize(params);
    HostStatus status = function(context, given, taken);
    std::ranges::copy_n(taken.begin(),
                        static_cast<std::ptrdiff_t>(std::min(taken.size(), out.size())),
                        out.begin());
    return status;
  };
}

bool IsPlain(const isa::Export& entry) { return entry.params == 0 && entry.results == 0; }

const isa::Export* FindPlain(const isa::Program& program, std::string_view name) {
  const auto found = std::ranges::find_if(program.exports, [&](const isa::Export& entry) {
    return entry.name == name && IsPlain(entry);
  });
  return found == program.exports.end() ? nullptr : &*found;
}

}  // namespace

void OwnMemory(wat::Module& module) {
  for (wat::Memory& memory : module.memories) {
    if (memory.import && memory.import->module == kEnv && memory.import->name == "memory") {
      memory.import.reset();
      memory.extent.initial = std::max<std::uint64_t>(memory.extent.initial, 1);
    }
  }
}

bool IsCartridge(const isa::Program& program) { return FindPlain(program, "update") != nullptr; }

void Define(vm::Linker& linker, const isa::Program& program,
            const std::shared_ptr<Surroundings>& surroundings) {
  DefineShapes(linker);
  DefineTexts(linker);
  DefineTraces(linker, surroundings);
  DefineDisk(linker, surroundings);
  linker.Define(kEnv, "tone", 4, 0, [surroundings](vm::HostContext&, Args, Results) {
    ++surroundings->tones;
    return HostStatus::Continue();
  });
  for (const isa::Import& import : program.imports) {
    const vm::HostBinding* const binding =
        import.module == kEnv ? linker.Find(kEnv, import.name) : nullptr;
    if (binding == nullptr) continue;
    if (binding->params == import.params && binding->results == import.results) continue;
    linker.Define(kEnv, import.name, import.params, import.results, Adapt(*binding));
  }
}

isa::Result<Console> Console::Begin(vm::Machine& machine) {
  if (machine.memory().size_bytes() < kMemoryBytes) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("a cartridge has {} bytes of memory at least; this one has {}",
                                 kMemoryBytes, machine.memory().size_bytes()));
  }
  Console console(machine);
  const std::span<std::uint8_t> memory = console.Memory();
  std::memcpy(memory.data() + kPalette, kFirstColors.data(), sizeof kFirstColors);
  std::memcpy(memory.data() + kDrawColors, &kFirstDrawColors, sizeof kFirstDrawColors);
  Store16(memory, kMouseX, console.mouse_.x);
  Store16(memory, kMouseY, console.mouse_.y);
  return console;
}

std::span<std::uint8_t> Console::Memory() const { return machine_.memory().bytes(); }

void Console::Press(const KeyEvent& event) {
  for (const PadKey& key : kPadKeys) {
    if (key.key != event.key) continue;
    std::uint8_t& pad = gamepads_[key.player];
    pad = static_cast<std::uint8_t>(event.is_down ? pad | key.button : pad & ~key.button);
  }
}

void Console::SetMouse(const Mouse& mouse) { mouse_ = mouse; }

vm::RunResult Console::Start(const vm::RunOptions& options) {
  const isa::Export* const start = FindPlain(machine_.program(), "start");
  return start == nullptr ? vm::RunResult() : machine_.CallStub(start->start, {}, options);
}

vm::RunResult Console::Update(const vm::RunOptions& options) {
  constexpr std::uint8_t kKeepsFramebuffer = 1, kRight = 2, kMiddle = 4;
  const std::span<std::uint8_t> memory = Memory();
  std::ranges::copy(gamepads_, memory.begin() + kGamepads);
  Store16(memory, kMouseX, mouse_.x);
  Store16(memory, kMouseY, mouse_.y);
  memory[kMouseButtons] = static_cast<std::uint8_t>(
      (mouse_.left ? 1 : 0) | (mouse_.right ? kRight : 0) | (mouse_.middle ? kMiddle : 0));
  // What start has drawn stays for the first frame.
  const bool keeps = (memory[kSystemFlags] & kKeepsFramebuffer) != 0;
  if (!std::exchange(is_first_, false) && !keeps) Canvas(memory).Clear();
  const isa::Export* const update = FindPlain(machine_.program(), "update");
  return machine_.CallStub(update->start, {}, options);
}

Picture Console::Show() const { return Canvas(Memory()).Show(); }

}  // namespace txvm::frontends::screen::wasm4
