// Hostile text: whatever stands in a file, the assembler answers with a program or an error, soon.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "isa/disassemble.h"
#include "isa/verify.h"

namespace txvm::assembler {
namespace {

// One text of each kind that uses every directive, keyword and operand form.
const std::vector<std::string>& Seeds() {
  static const std::vector<std::string> seeds = {
      "PUSH 3\nagain: PUSH -1\nADD\nDUP\nJNZ again ; loop\nLOCAL.TEE 2\nI32.LOAD 4\n.memory 1 2\n"
      ".data 8 \"a\\00b\\n\" 1 2 255\n.words 0xFFFFFFFF -7\nTRAP Unreachable\nGLOBAL.GET 0\n"
      ".global 7\nHALT\n",
      ".import now \"env\" \"now\" params=1 results=1\n.memory 1\n.global -1\n"
      ".func main results=1 locals=3\nPUSH 5\nCALL fact\nCALL now\n.note \"here\"\nPOP\nPUSH "
      "1\n.end\n"
      ".func fact params=1 results=1\nLOCAL.TEE 0\nif done results=1\nLOCAL.GET 0\nLOCAL.GET 0\n"
      "PUSH 1\nSUB\nCALL fact\nMUL\nelse\nPUSH 1\nend\n.end\n"
      ".func table params=1 results=2\nLOCAL.SET 0\nblock a results=2\nblock b results=2\nPUSH 9\n"
      "PUSH 1\nPUSH 2\nLOCAL.GET 0\nbr_table a b a 2\nend\nloop l params=2 results=2\nPUSH "
      "0\nbr_if l\n"
      "end\nend\n.end\n.func raw\nx: PUSH 1\nJZ x\nRETURN\n.end\n.export \"main\" main\n"
      ".export \"t\" table\n.entry main\n.init raw\n",
      ".flat\n.source \"f.wat\"\n.func \"f\" params=1 results=1 locals=2\n.line 3\nf: LOCAL.SET 0\n"
      "CALL f\n.raw 0x12C8 7\n.line 4\nRETURN\n.end\n.func \"\"\ns: CALL f\n.note "
      "\"n\"\nHALT\n.end\n"
      ".export \"f\" s params=1 results=1\n.entry s\n.init 4\n.data 0\n.bytes 1 2\n.memory 0\n",
      ".import half \"m\" \"n\" params=f64 results=f32\n.func f params=i64,f64 results=f32 "
      "types=i64,f64\nPUSH 1\n.end\n.export \"f\" f\n"};
  return seeds;
}

const std::vector<std::string>& Fragments() {
  static const std::vector<std::string> fragments = {"4294967295",
                                                     "-2147483648",
                                                     "0x",
                                                     "params=4294967295",
                                                     "results=1000",
                                                     "locals=16777215",
                                                     "types=f64,i32",
                                                     "params=i64",
                                                     ",f32",
                                                     "block\n",
                                                     "end\n",
                                                     "if\n",
                                                     "else\n",
                                                     "br_table 0 0 0\n",
                                                     ".func g\n",
                                                     ".end\n",
                                                     ".flat\n",
                                                     "\"",
                                                     "\\",
                                                     ";",
                                                     ":",
                                                     "x:",
                                                     "CALL main\n",
                                                     "RETURN\n",
                                                     "br 0\n",
                                                     "br_if 1\n",
                                                     "\n",
                                                     "\r",
                                                     "\0",
                                                     ".raw 4294967295 4294967295\n",
                                                     "LOCAL.GET 16777214\n",
                                                     ".data 4294967295 \"x\"\n",
                                                     ".memory 4294967295\n",
                                                     "JNZ 4294967295\n",
                                                     ".line 4294967295\n",
                                                     "\xFF",
                                                     "loop params=1\n"};
  return fragments;
}

using Random = std::mt19937_64;

std::size_t Below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

// The line around `at`, its newline included.
std::string LineAround(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = text.find('\n', begin);
  return text.substr(begin, end == std::string::npos ? end : end + 1 - begin);
}

void Edit(std::string& text, Random& random) {
  const std::size_t at = Below(random, text.size() + 1);
  const std::size_t before = text.rfind('\n', at);
  const std::size_t line = before == std::string::npos ? 0 : before + 1;
  switch (Below(random, 8)) {
    case 0:
      text.erase(at, Below(random, 30));
      break;
    case 1:
      text.insert(at, Fragments()[Below(random, Fragments().size())]);
      break;
    case 2:
      text.insert(at, text.substr(Below(random, text.size() + 1), Below(random, 30)));
      break;
    case 3:
      if (at < text.size()) text[at] = static_cast<char>(random());
      break;
    case 4: {
      const std::string& other = Seeds()[Below(random, Seeds().size())];
      text.insert(line, LineAround(other, Below(random, other.size())));
      break;
    }
    case 5:
      text.erase(line, LineAround(text, line).size());
      break;
    case 6:
      text.insert(line, LineAround(text, line));
      break;
    default:
      text.insert(at, " ");
  }
}

std::string Mutant(Random& random) {
  std::string text = Seeds()[Below(random, Seeds().size())];
  const std::size_t edits = 1 + Below(random, 3);
  for (std::size_t i = 0; i < edits; ++i) Edit(text, random);
  return text;
}

// What the assembler says about a text; a program must be equal to its own listing assembled.
void Check(const std::string& text) {
  const auto program = Assemble(text, "hostile.txa");
  if (!program) {
    ASSERT_FALSE(program.error().message.empty());
    ASSERT_NE(program.error().code, isa::ErrorCode::kInternal);
    return;
  }
  const auto listing = isa::Disassemble(*program);
  if (!listing) return;  // tables no valid program has, such as entries outside of the code
  const auto again = Assemble(*listing, "hostile.txa");
  ASSERT_TRUE(again.has_value()) << again.error().ToString() << "\n" << *listing;
  ASSERT_EQ(*again, *program) << *listing;
}

// More of them: TXVM_HOSTILE_TEXTS=1000000 txvm_asm_test --gtest_filter='Hostile.Mutated*'
TEST(Hostile, MutatedTextsAreAnswered) {
  constexpr std::uint64_t kSeed = 20'240'607;
  const char* wanted = std::getenv("TXVM_HOSTILE_TEXTS");
  const long mutants = wanted != nullptr ? std::strtol(wanted, nullptr, 10) : 5'000;
  Random random(kSeed);
  long accepted = 0;
  for (long i = 0; i < mutants; ++i) {
    const std::string text = Mutant(random);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", mutant " << i << ":\n" << text);
    Check(text);
    if (HasFatalFailure()) return;
    accepted += Assemble(text, "hostile.txa").has_value() ? 1 : 0;
  }
  // Both answers must be common, or the mutants test nothing.
  EXPECT_GT(accepted, mutants / 20);
  EXPECT_LT(accepted, mutants * 19 / 20);
}

TEST(Hostile, EveryPrefixIsAnswered) {
  for (const std::string& seed : Seeds()) {
    for (std::size_t length = 0; length < seed.size(); ++length) Check(seed.substr(0, length));
  }
}

std::string Repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

// Texts whose size is in one dimension; each must be answered in a second.
TEST(Hostile, LargeTextsAreAnsweredQuickly) {
  const std::vector<std::string> texts = {
      std::string(1'000'000, 'x'),
      std::string(1'000'000, '"'),
      std::string(1'000'000, '9'),
      std::string(1'000'000, '\\'),
      "PUSH " + std::string(1'000'000, '0'),
      Repeated("x: ", 300'000),
      Repeated("\n", 1'000'000) + "SWPA",
      ".func f\n" + Repeated("block b\n", 10'000) + Repeated("br b\n", 10'000) + ".end",
      ".func f\n" + Repeated("block b\n", 9'999) + "br_table" + Repeated(" b 9998", 100'000) +
          "\n.end",
      ".func f locals=16777215\n" + Repeated("LOCAL.GET 16777214\nPOP\n", 50'000) + ".end",
      ".func f\nblock params=4294967295\nend\n.end",
      ".data 4294967295 " + Repeated("\"\\ff\" ", 200'000),
      "JNZ " + std::string(1'000'000, 'y'),
      "TRAP " + std::string(20'000'000, 'y'),  // causes were once sought by edit distance
      // What is left of a table when its function is too large is not looked at.
      ".import i \"m\" \"n\" results=1000\n.func f results=1000\nblock results=1000\nPUSH 0\nCALL "
      "i\nPUSH 0\nbr_table" +
          Repeated(" 1 0", 1'000'000) + "\nend\n.end",
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto program = Assemble(texts[i], "hostile.txa");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 5.0) << "text " << i;  // a second on an idle machine, with room
    if (!program) {
      EXPECT_LT(program.error().ToString().size(), 1'000u) << "text " << i;
    }
  }
}

}  // namespace
}  // namespace txvm::assembler
