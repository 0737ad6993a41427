// The subroutines of emitted programs, written in TIR.
#include "frontends/provable/helpers.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "isa/support/text.h"
#include "neural/triton/tir/parser.h"

namespace txvm::frontends::provable {
namespace {

using triton::TirCode;
using triton::TirOp;

constexpr std::string_view kText = R"tir(
// What i32 code needs as subroutines. Words are elements < 2^32; linear memory is RAM from address 0 on,
// a word of four bytes an address, least significant byte first. LIMIT, PAGES, .. stand for operations
// that the lowering puts in; CHECK_UNDER and CHECK_TOP check the word under the top, and that on top. All functions crash where the instruction traps.

// _ a -- _ clz(a): 31 - log2(a + [a = 0]) + [a = 0]
fn i32_clz {
  dup 0 push 0 eq dup 0 swap 2 add log2 push -1 mul push 31 add add
}

// _ a -- _ ctz(a): ones of not(a) and (a - 1)
fn i32_ctz {
  dup 0 push -1 mul push 4294967295 add
  swap 1 push 4294967295 add split swap 1 pop 1
  and pop_count
}

// _ a n -- _ a << (n mod 32)
fn i32_shl {
  push 31 and push 2 pow mul split swap 1 pop 1
}

// _ a n -- _ a >> (n mod 32), zero filled
fn i32_shr_u {
  push 31 and push 2 pow div_mod pop 1
}

// _ a n -- _ a >> (n mod 32), sign filled: ((a xor 2^31) >> n) - (2^31 >> n)
fn i32_shr_s {
  push 31 and push 2 pow
  swap 1 push 2147483648 xor dup 1 div_mod pop 1
  swap 1 invert push 2147483648 mul sub
  push 4294967296 add split swap 1 pop 1
}

// _ a n -- _ a rotated left by n mod 32
fn i32_rotl {
  push 31 and push 2 pow mul split add
}

// _ a n -- _ a rotated right by n mod 32
fn i32_rotr {
  push 31 and push -1 mul push 32 add push 2 pow mul split add
}

// _ a -- _ s m   s = sign bit, m = |a|: a + s (2^32 - 2a)
fn i32_magnitude {
  dup 0 push 2 mul split pop 1
  swap 1 dup 0 push -2 mul push 4294967296 add dup 2 mul add
}

// _ a b -- _ a / b toward zero, signed
fn i32_div_s {
  call i32_magnitude swap 2 call i32_magnitude   // _ |b| sb sa |a|
  swap 2 eq                                      // _ |b| |a| e   e = same sign
  swap 2                                         // _ e |a| |b|
  div_mod pop 1                                  // _ e q
  dup 1 dup 1 add push 2147483649 lt assert 1    // q = 2^31 has no positive word
  dup 0 push 2 mul push 4294967296 sub           // _ e q 2q-2^32
  swap 1 swap 2 mul                              // _ q e(2q-2^32)
  swap 1 sub push 4294967296 add                 // _ e(2q-2^32) - q + 2^32
  split swap 1 pop 1
}

// _ a b -- _ a mod b with the sign of a
fn i32_rem_s {
  call i32_magnitude swap 1 pop 1
  swap 1 call i32_magnitude                      // _ |b| sa |a|
  swap 1 swap 2                                  // _ sa |a| |b|
  div_mod swap 1 pop 1                           // _ sa r
  dup 0 push -2 mul push 4294967296 add          // _ sa r 2^32-2r
  swap 1 swap 2 mul add                          // _ r + sa (2^32-2r)
  split swap 1 pop 1
}

// _ a -- _ w r   w = a / 4, below the limit, r = a mod 4
fn mem_locate {
  push 4 div_mod
  CHECK_UNDER
}

// _ w -- _ RAM[w+1]
fn mem_next {
  push 1 add
  CHECK_TOP
  ram_read 1
}

// _ w -- _   clears rounds of memory until w is one of the words
fn mem_clear {
  dup 0 LIMIT lt assert 1
  LAST push 1 add swap 1 dup 1 sub               // _ p w-p   p = the first word that is not clear
  push ROUND div_mod pop 1 push 1 add            // _ p n
  call mem_clear_rounds pop 1                    // _ p'
  dup 0 LIMIT swap 1 lt if_only { pop 1 LIMIT }  // what is above the limit stays out of bounds
  push 1 sub SET_LAST
  loop mem_clear_rounds {
    CLEAR_ROUND
  }
}

// _ a -- _ the word at a
fn mem_load32 {
  call mem_locate
  dup 1 ram_read 1
  dup 1 if_only { call mem_join32 }
  swap 2 pop 2
}

// _ w r v -- _ w r v'   v' = v / f + (next mod f) 2^32 / f, f = 256^r, r = 1 .. 3
fn mem_join32 {
  dup 1 push 256 pow swap 1                      // _ w r f v
  dup 1 div_mod pop 1                            // _ w r f q
  dup 3 call mem_next dup 2 div_mod swap 1 pop 1 // _ w r f q m
  push 4294967296 dup 3 invert mul mul add       // _ w r f v'
  swap 1 pop 1
}

// _ a -- _ the byte at a
fn mem_load8 {
  call mem_locate
  swap 1 ram_read 1 swap 1 push 256 pow div_mod pop 1
  push 255 and
}

// _ a -- _ the two bytes at a
fn mem_load16 {
  call mem_locate
  dup 1 ram_read 1
  dup 1 push 256 pow div_mod pop 1               // _ w r x
  dup 1 push 3 eq if_only {
    dup 2 call mem_next push 255 and push 256 mul add
  }
  push 65535 and
  swap 2 pop 2
}

// _ a v -- _
fn mem_store32 {
  swap 1 call mem_locate                         // _ v w r
  dup 0 if_only { call mem_split32 }
  pop 1 write_mem 1 pop 1
}

// _ v w r -- _ v' w r   writes the high part of v to RAM[w+1]; v' is the new RAM[w]
fn mem_split32 {
  dup 0 push 256 pow                             // _ v w r f
  dup 2 call mem_next                            // _ v w r f u
  dup 1 div_mod pop 1 dup 1 mul                  // _ v w r f u-(u mod f)
  dup 4 push 4294967296 dup 3 invert mul div_mod // _ v w r f t h l   v = h 2^32/f + l
  swap 2 add                                     // _ v w r f l h+t
  dup 4 push 1 add write_mem 1 pop 1             // _ v w r f l
  dup 1 mul                                      // _ v w r f lf
  dup 3 ram_read 1 dup 2 div_mod swap 1 pop 1 add
  swap 4 pop 2                                   // _ v' w r
}

// _ v w r m -- _   v replaces the digit of RAM[w] at place f = 256^r; m + 1 is its range
fn mem_replace {
  dup 1 push 256 pow                             // _ v w r m f
  dup 3 ram_read 1                               // _ v w r m f o
  dup 0 dup 2 div_mod pop 1 dup 3 and            // _ v w r m f o d
  dup 6 swap 1 sub dup 2 mul add                 // _ v w r m f o+(v-d)f
  dup 4 write_mem 1 pop 5 pop 1
}

// _ a v -- _
fn mem_store8 {
  push 255 and swap 1 call mem_locate
  push 255 call mem_replace
}

// _ a v -- _
fn mem_store16 {
  push 65535 and swap 1 call mem_locate          // _ v w r
  dup 0 push 3 eq if_else {
    pop 1 push 4 mul push 3 add                  // _ v a
    dup 0 dup 2 call mem_store8
    push 1 add swap 1 push 256 div_mod pop 1 call mem_store8
  } else {
    push 65535 call mem_replace
  }
}

// _ delta -- _ old pages, or 2^32 - 1
fn mem_grow {
  PAGES
  push MOST dup 1 sub                            // _ d old room   room = most - old + 1
  dup 2 swap 1 lt if_else {
    swap 1 dup 1 add dup 0                       // _ old new new
    SET_PAGES
    push 16384 mul SET_LIMIT
  } else {
    pop 2 push 4294967295
  }
}

// _ delta -- _ pages when delta = 0, else 2^32 - 1
fn mem_grow_by_none {
  if_else { push 4294967295 } else { PAGES }
}
)tir";

std::string ZeroRoundText() {
  std::string text;
  for (const TirOp& op : ZeroRound().Take()) {
    text += fmt::format("{} {} ", triton::Info(op.code).text, op.value);
  }
  return text;
}

/// The text for a layout.
std::string TextFor(const Layout& layout) {
  const auto load = [](std::uint64_t cell) { return fmt::format("push {} ram_read 1", cell); };
  const auto store = [](std::uint64_t cell) {
    return fmt::format("push {} write_mem 1 pop 1", cell);
  };
  const bool lazy = layout.ready_cell != 0;
  std::string text(kText);
  const std::size_t code = text.find("\nfn ");  // the words are explained before it
  const std::pair<std::string_view, std::string> words[] = {
      {"CHECK_UNDER",
       lazy ? "LAST dup 2 lt if_only { dup 1 call mem_clear }" : "LIMIT dup 2 swap 1 lt assert 1"},
      {"CHECK_TOP",
       lazy ? "LAST dup 1 lt if_only { dup 0 call mem_clear }" : "LIMIT dup 1 swap 1 lt assert 1"},
      {"CLEAR_ROUND", ZeroRoundText()},
      {"SET_LAST", store(layout.ready_cell)},
      {"LAST", load(layout.ready_cell)},
      {"ROUND", fmt::format("{}", kRoundWords)},
      {"SET_PAGES", store(layout.pages_cell)},
      {"SET_LIMIT", store(layout.limit_cell)},
      {"LIMIT",
       layout.memory_grows ? load(layout.limit_cell) : fmt::format("push {}", layout.memory_words)},
      {"PAGES",
       layout.memory_grows ? load(layout.pages_cell) : fmt::format("push {}", layout.pages)},
      {"MOST", fmt::format("{}", layout.most_pages + 1)}};
  std::string functions = text.substr(code);
  for (const auto& [word, with] : words) functions = isa::Replaced(functions, word, with);
  return functions;
}

void CollectCalls(const std::vector<TirOp>& ops, std::set<std::string, std::less<>>& names) {
  for (const TirOp& op : ops) {
    if (op.code == TirCode::kCall) names.insert(op.name);
    CollectCalls(op.body, names);
    CollectCalls(op.other, names);
  }
}

}  // namespace

isa::Result<std::vector<TirOp>> HelperFunctions(const Layout& layout,
                                                std::set<std::string, std::less<>> names) {
  TXVM_TRY(const triton::TirModule module, triton::ParseTir(TextFor(layout), "helpers"));
  std::vector<std::vector<TirOp>> functions;  // with the comments before each
  functions.emplace_back();
  for (const TirOp& op : module.ops) {
    functions.back().push_back(op);
    if (op.code == TirCode::kFnEnd) functions.emplace_back();
  }
  const auto name_of = [](const std::vector<TirOp>& ops) -> std::string_view {
    for (const TirOp& op : ops) {
      if (op.code == TirCode::kFnStart) return op.name;
    }
    return {};
  };
  for (std::size_t before = 0; before != names.size();) {  // until no call asks for another one
    before = names.size();
    for (const auto& function : functions) {
      if (names.contains(name_of(function))) CollectCalls(function, names);
    }
  }
  std::vector<TirOp> chosen;
  for (const auto& function : functions) {
    if (names.contains(name_of(function))) {
      chosen.insert(chosen.end(), function.begin(), function.end());
    }
  }
  return chosen;
}

}  // namespace txvm::frontends::provable
