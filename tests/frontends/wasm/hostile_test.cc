// Modules made to hurt: each ends in a clear error or is read, in bounded time and memory.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "frontends/wasm/load.h"
#include "frontends/wasm/reader.h"
#include "tests/frontends/wasm/module_builder.h"
#include "vm/machine.h"

namespace txvm::tests {
namespace {

using frontends::wasm::ReadModule;
using frontends::wasm::ReadOptions;
using isa::ErrorCode;

/// "CODE: message", or "accepted".
std::string Verdict(const Bytes& bytes, const ReadOptions& options = {}) {
  const auto read = ReadModule(bytes, "h.wasm", options);
  if (read) return "accepted";
  const char* code = read.error().code == ErrorCode::kLimit         ? "limit"
                     : read.error().code == ErrorCode::kSyntax      ? "malformed"
                     : read.error().code == ErrorCode::kInvalid     ? "invalid"
                     : read.error().code == ErrorCode::kUnsupported ? "unsupported"
                                                                    : "?";
  return std::string(code) + ": " + read.error().message;
}

Bytes Nested(std::size_t levels) {
  Bytes code = Repeat({0x02, 0x40}, levels);
  Append(code, Repeat({0x0B}, levels));
  return WithCode(code);
}

TEST(HostileWasm, NestingCostsNoStack) {
  EXPECT_EQ(Verdict(Nested(3'457)), "accepted");
  EXPECT_EQ(Verdict(Nested(1'000'000)), "accepted");
  EXPECT_EQ(Verdict(Nested(1'000'001)),
            "limit: nesting is deeper than 1000000 levels (at byte 2000029 in function 0)");
  EXPECT_EQ(Verdict(Nested(6), {.max_nesting = 5}),
            "limit: nesting is deeper than 5 levels (at byte 33 in function 0)");
}

TEST(HostileWasm, SizeIsALimitOfItsOwn) {
  EXPECT_EQ(Verdict(Nested(10), {.max_module_bytes = 40}),
            "limit: the module has 54 bytes; the limit is 40 (at byte 0)");
}

TEST(HostileWasm, CountsThatTheBytesCannotHold) {
  for (const std::uint8_t id : Bytes{1, 2, 3, 4, 5, 6, 7, 9, 10, 11}) {
    const Bytes module = ModuleBuilder().Section(id, {0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0}).bytes();
    const std::string verdict = Verdict(module);
    EXPECT_TRUE(verdict.starts_with("malformed: unexpected end")) << int{id} << " " << verdict;
  }
  EXPECT_EQ(
      Verdict(WithCode({0x41, 0, 0x0E, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0})),
      "malformed: unexpected end: the number of labels of br_table is 4294967295, and 2 bytes "
      "are left (at byte 26 in function 0)");
  EXPECT_EQ(Verdict(ModuleBuilder().Section(12, {0xFF, 0xFF, 0xFF, 0xFF, 0x0F}).bytes()),
            "limit: the number of data segments is 4294967295; the limit is 1000000 (at byte 10)");
}

TEST(HostileWasm, LimitsAtTheEndOfTheirRange) {
  const Bytes most = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F};
  Bytes table = {1, 0x70, 1};
  Append(table, most);
  Append(table, most);
  EXPECT_EQ(Verdict(ModuleBuilder().Section(4, table).bytes()), "accepted");
  table = {1, 0x70, 1, 1, 0};
  EXPECT_EQ(Verdict(ModuleBuilder().Section(4, table).bytes()),
            "invalid: size minimum must not be greater than maximum: 1 and 0 (at byte 12)");
  Bytes memory = {1, 0};
  Append(memory, most);
  EXPECT_EQ(
      Verdict(ModuleBuilder().Section(5, memory).bytes()),
      "invalid: memory size must be at most 65536 pages (4GiB), here 4294967295 (at byte 11)");
  EXPECT_EQ(Verdict(ModuleBuilder().Section(5, {1, 0, 0x80, 0x80, 0x80, 0x80, 0x10}).bytes()),
            "malformed: integer too large: the minimum of limits (at byte 16)");
}

TEST(HostileWasm, AMillionSegments) {
  const Bytes data = Repeat({1, 0}, 1'000'000);
  EXPECT_EQ(Verdict(ModuleBuilder().Section(11, Counted(1'000'000, data)).bytes()), "accepted");
  const Bytes elements = Repeat({1, 0, 0}, 1'000'001);
  EXPECT_EQ(
      Verdict(ModuleBuilder().Section(9, Counted(1'000'000, Repeat({1, 0, 0}, 1'000'000))).bytes()),
      "accepted");
  EXPECT_EQ(Verdict(ModuleBuilder().Section(9, Counted(1'000'001, elements)).bytes()),
            "limit: the number of element segments is 1000001; the limit is 1000000 (at byte 13)");
}

/// Not only the reader survives: loading does too.
TEST(HostileWasm, LoadingIsBoundedAsWell) {
  using frontends::wat::LoadWasm;
  Bytes table = {1, 0x70, 0};
  Append(table, {0xFF, 0xFF, 0xFF, 0xFF, 0x0F});
  Bytes body = {0, 0x41, 0x7F, 0x11, 0, 0, 0x0B};  // call_indirect of the last element
  const Bytes huge = ModuleBuilder()
                         .Functions(1)
                         .Section(4, table)
                         .Section(7, {1, 1, 'f', 0, 0})
                         .Section(9, {1, 0, 0x41, 0x7E, 0x0B, 1, 0})
                         .Code(1, body)
                         .bytes();
  const auto program = LoadWasm(huge, "h.wasm");
  EXPECT_TRUE(program) << program.error().message;
  const Bytes segment = {0, 0x41, 0, 0x0B, 1, 7};
  ModuleBuilder data;
  data.Functions(1).Section(5, {1, 0, 1}).Section(7, {1, 1, 'f', 0, 0}).Code(1, {0, 0x0B});
  data.Section(11, Counted(1'000'000, Repeat(segment, 1'000'000)));
  const auto segments = LoadWasm(data.bytes(), "h.wasm");
  EXPECT_TRUE(segments || segments.error().code == ErrorCode::kLimit) << segments.error().message;
  const Bytes element = {0, 0x41, 0, 0x0B, 1, 0};
  ModuleBuilder elements;
  elements.Functions(1).Section(4, {1, 0x70, 0, 1}).Section(7, {1, 1, 'f', 0, 0});
  elements.Section(9, Counted(1'000'000, Repeat(element, 1'000'000))).Code(1, {0, 0x0B});
  const auto placed = LoadWasm(elements.bytes(), "h.wasm");
  EXPECT_TRUE(placed) << placed.error().message;
}

/// A table of `initial` elements, the code of function 0, and what it may be called as.
Bytes WithTable(std::uint64_t initial, const Bytes& code) {
  Bytes table = {1, 0x70, 0};
  AppendLeb(table, initial);
  Bytes body = {0};
  Append(body, code);
  body.push_back(0x0B);
  return ModuleBuilder()
      .Functions(1)
      .Section(4, table)
      .Section(7, {1, 1, 'f', 0, 0})
      .Code(1, body)
      .bytes();
}

TEST(HostileWasm, ATableThatChangesHasALimit) {
  using frontends::wat::LoadWasm;
  const Bytes set_first = {0x41, 0, 0xD0, 0x70, 0x26, 0};
  const auto message = [&](std::uint64_t initial, std::uint32_t limit) {
    const auto program = LoadWasm(WithTable(initial, set_first), "h.wasm", {.max_table = limit});
    if (program) return std::string("loaded");
    EXPECT_EQ(program.error().code, ErrorCode::kLimit);
    return program.error().message;
  };
  EXPECT_EQ(message(1'000, 1'000), "loaded");
  EXPECT_EQ(message(1'001, 1'000),
            "table 0 has 1001 elements and code changes it; the limit is 1000 (max_table, "
            "--max-table)");
  EXPECT_EQ(message(65'537, 65'536),
            "table 0 has 65537 elements and code changes it; the limit is 65536 (max_table, "
            "--max-table)");
  EXPECT_EQ(message(0xFFFFFFFF, 16'777'216),
            "table 0 has 4294967295 elements and code changes it; the limit is 16777216 "
            "(max_table, --max-table)");
  EXPECT_EQ(message(200'000, 200'000), "loaded");
}

/// Growing beyond the room says -1, as WebAssembly allows.
TEST(HostileWasm, ATableGrowsWithinItsRoom) {
  using frontends::wat::LoadWasm;
  const Bytes grow = {0xD0, 0x70, 0x41, 0x7F, 0xFC, 15, 0, 0x1A};  // by 2^32 - 1
  const auto program = LoadWasm(WithTable(0, grow), "h.wasm");
  ASSERT_TRUE(program) << program.error().message;
  auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(*program), {}, {});
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->Call(*program->FindExport("f"), {}, {})->outcome, vm::Outcome::kHalted);
}

TEST(HostileWasm, AHundredThousandSegmentsUsedAtRunTime) {
  using frontends::wat::LoadWasm;
  constexpr std::size_t kSegments = 100'000;
  Bytes body = {0};
  for (std::size_t i = 0; i < kSegments; ++i) {
    Append(body, {0xFC, 13});
    AppendLeb(body, i);
  }
  body.push_back(0x0B);
  ModuleBuilder module;
  module.Functions(1).Section(7, {1, 1, 'f', 0, 0});
  module.Section(9, Counted(kSegments, Repeat({1, 0, 1, 0}, kSegments))).Code(1, body);
  const auto program = LoadWasm(module.bytes(), "h.wasm");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_GE(program->globals.size(), kSegments);  // the length of each
}

/// 100 MB of a name are read, and no message repeats them.
TEST(HostileWasm, NamesOfAHundredMegabytes) {
  using frontends::wat::LoadWasm;
  constexpr std::size_t kBytes = 100'000'000;
  constexpr std::size_t kMostMessage = 1'000;
  const Bytes name = Counted(kBytes, Bytes(kBytes, 'n'));
  Bytes exported = {1};
  Append(exported, name);
  Append(exported, {0, 0});
  EXPECT_EQ(Verdict(ModuleBuilder().Functions(1).Section(7, exported).Code(1, {0, 0x0B}).bytes()),
            "accepted");
  Bytes imported = {1, 1, 'm'};
  Append(imported, name);
  Append(imported, {0, 0});
  const auto program =
      LoadWasm(ModuleBuilder().Section(1, {1, 0x60, 0, 0}).Section(2, imported).bytes(), "h.wasm");
  ASSERT_TRUE(program) << program.error().message;
  const auto machine =
      vm::Machine::Load(std::make_shared<const isa::Program>(*std::move(program)), {}, {});
  ASSERT_FALSE(machine);
  EXPECT_LT(machine.error().message.size(), kMostMessage);
  imported.back() = 9;  // no such type
  const std::string verdict =
      Verdict(ModuleBuilder().Section(1, {1, 0x60, 0, 0}).Section(2, imported).bytes());
  EXPECT_LT(verdict.size(), kMostMessage);
  EXPECT_TRUE(verdict.starts_with("invalid: unknown type")) << verdict;
}

/// A module may have several memories, its own and imported ones, and name one that it lacks.
TEST(HostileWasm, SeveralMemories) {
  EXPECT_EQ(Verdict(ModuleBuilder().Section(5, {2, 0, 1, 0, 1}).bytes()), "accepted");
  const Bytes imports = {2, 1, 'm', 1, 'a', 2, 0, 1, 1, 'm', 1, 'b', 2, 0, 1};
  EXPECT_EQ(Verdict(ModuleBuilder().Section(2, imports).bytes()), "accepted");
  const Bytes load = {0, 0x41, 0, 0x28, 0x42, 2, 0, 0x1A, 0x0B};  // i32.load of memory 2
  EXPECT_EQ(Verdict(ModuleBuilder()
                        .Section(1, {1, 0x60, 0, 0})
                        .Section(3, {1, 0})
                        .Section(5, {2, 0, 1, 0, 1})
                        .Code(1, load)
                        .bytes()),
            "invalid: unknown memory 2: the module has 2 (at byte 32 in function 0)");
}

TEST(HostileWasm, AMillionFunctions) {
  EXPECT_EQ(Verdict(ModuleBuilder().Functions(1'000'000).Code(1'000'000, {0, 0x0B}).bytes()),
            "accepted");
  const std::string verdict = Verdict(ModuleBuilder().Functions(1'000'001).bytes());
  EXPECT_EQ(verdict,
            "limit: the number of functions is 1000001; the limit is 1000000 (at byte 18)");
}

TEST(HostileWasm, AMillionTypesThatAreOne) {
  const Bytes types = Repeat({0x60, 0, 0}, 1'000'000);
  EXPECT_EQ(Verdict(ModuleBuilder().Section(1, Counted(1'000'000, types)).bytes()), "accepted");
}

TEST(HostileWasm, ConstantExpressionsOfAMillionInstructions) {
  Bytes element = {0, 0x41, 0};
  Append(element, Repeat({0x41, 1, 0x6A}, 1'000'000));
  Append(element, {0x0B, 0});
  ModuleBuilder module;
  module.Section(4, {1, 0x70, 0, 0}).Section(9, Counted(1, element));
  EXPECT_EQ(Verdict(module.bytes()), "accepted");
  element = {5, 0x70, 1};
  Append(element, Repeat({0xD0, 0x70}, 1'000'000));
  element.push_back(0x0B);
  EXPECT_EQ(Verdict(ModuleBuilder().Section(9, Counted(1, element)).bytes()),
            "invalid: type mismatch: a constant expression leaves 1000000 values, expected one of "
            "funcref (at byte 2000016)");
}

TEST(HostileWasm, LocalsBeyondTheLimits) {
  const auto locals = [](const Bytes& groups) {
    Bytes body = groups;
    body.push_back(0x0B);
    return ModuleBuilder().Functions(1).Code(1, body).bytes();
  };
  EXPECT_EQ(Verdict(locals({1, 0xD0, 0x86, 0x03, 0x7F})), "accepted");
  EXPECT_EQ(
      Verdict(locals({1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x7F})),
      "limit: a function has 4294967295 locals; the limit is 50000 (at byte 22 in function 0)");
  EXPECT_EQ(Verdict(locals({2, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x7F, 1, 0x7E})),
            "malformed: too many locals: 4294967296 (at byte 29 in function 0)");
}

/// Calls of a function with a thousand results, and branches that carry them, are two bytes each.
TEST(HostileWasm, TypesThatMultiply) {
  Bytes type = {0x60, 0};
  Append(type, Counted(1'000, Bytes(1'000, 0x7F)));
  Bytes code = {0};
  Append(code, Repeat({0x10, 0}, 200'000));
  Append(code, {0x00, 0x0B});
  ModuleBuilder calls;
  calls.Section(1, Counted(1, type))
      .Section(3, {1, 0})
      .Section(10, Counted(1, Counted(code.size(), code)));
  EXPECT_TRUE(Verdict(calls.bytes())
                  .starts_with("limit: the types of blocks, branches and calls have too many "
                               "values in all (at byte"))
      << Verdict(calls.bytes());
  code = {0, 0x10, 0, 0x41, 0, 0x0E};
  Append(code, Counted(1'000'000, Bytes(1'000'001)));
  code.push_back(0x0B);
  ModuleBuilder table;
  table.Section(1, Counted(1, type))
      .Section(3, {1, 0})
      .Section(10, Counted(1, Counted(code.size(), code)));
  EXPECT_TRUE(Verdict(table.bytes()).starts_with("limit: the types of blocks"))
      << Verdict(table.bytes());
}

TEST(HostileWasm, NamesThatAreAllTheSame) {
  constexpr std::size_t kFunctions = 200'000;
  Bytes names;
  for (std::size_t i = 0; i < kFunctions; ++i) {
    AppendLeb(names, i);
    Append(names, {1, 'f'});
  }
  names = Counted(kFunctions, names);
  Bytes section = {1};
  Append(section, Counted(names.size(), names));
  ModuleBuilder module;
  module.Functions(kFunctions).Code(kFunctions, {0, 0x0B}).Custom("name", section);
  const auto read = ReadModule(module.bytes(), "h.wasm");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->functions[0].name, "f");
  EXPECT_EQ(read->functions[kFunctions - 1].name, "f.199999");
}

TEST(HostileWasm, EveryTruncationIsRefused) {
  const Bytes module = ModuleBuilder()
                           .Functions(1)
                           .Section(4, {1, 0x70, 1, 1, 2})
                           .Section(5, {1, 1, 1, 2})
                           .Section(7, {1, 1, 'f', 0, 0})
                           .Section(9, {1, 0, 0x41, 0, 0x0B, 1, 0})
                           .Code(1, {1, 1, 0x7F, 0x41, 0xE4, 0, 0x21, 0, 0x0B})
                           .bytes();
  ASSERT_EQ(Verdict(module), "accepted");
  std::size_t accepted = 0;  // those cut in front of a section, without code that is announced
  for (std::size_t size = 0; size < module.size(); ++size) {
    const std::string verdict =
        Verdict(Bytes(module.begin(), module.begin() + static_cast<std::ptrdiff_t>(size)));
    if (verdict == "accepted") ++accepted;
  }
  EXPECT_EQ(accepted, 2u);  // the header alone, and the types
}

}  // namespace
}  // namespace txvm::tests
