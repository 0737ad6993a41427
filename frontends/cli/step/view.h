// What a debugger shows of a stopped machine, as text. Every text ends its last line.
#pragma once

#include <cstdint>
#include <string>

#include "frontends/cli/run/source_place.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// Step, place, next instruction and the top of the stack, in one line.
std::string NextText(const vm::Machine& machine);
/// The operand stack, top first, `most` rows of it: words, but for the arguments of a function that
/// is about to begin and the results of one that has ended, which are values where types are known.
/// A value of two slots has the number of the deeper one, its low word.
std::string StackText(const vm::Machine& machine, std::size_t most);
/// The locals of frame `frame`, 0 being the innermost: values where types are known, by the number
/// of the first slot, else words. REQUIRES: frame <= depth.
std::string LocalsText(const vm::Machine& machine, std::uint32_t frame);
std::string GlobalsText(const vm::Machine& machine);
/// `count` bytes of memory from `address` on, 16 a line, cut at the end of the memory.
std::string MemoryText(const vm::Machine& machine, std::uint64_t address, std::uint64_t count);
/// The frames, innermost first, `most` of them.
std::string BacktraceText(const vm::Machine& machine, std::size_t most);
/// The source around line `line`, that line marked.
std::string SourceListing(const SourceText& source, std::uint32_t line);
/// The instructions around the next one, that one marked.
std::string CodeListing(const vm::Machine& machine);
/// What every head of the weights asks for, finds and by which margin, in the pass that comes next;
/// then what the layers make of it. The tokens are the live cells of the state.
isa::Result<std::string> AttentionText(const vm::Machine& machine, const isa::Limits& limits);

}  // namespace txvm::frontends::cli
