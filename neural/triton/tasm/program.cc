#include "neural/triton/tasm/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "vm/tensor/goldilocks.h"

namespace txvm::triton {

using isa::ErrorCode;
using isa::Fail;

std::optional<TasmOp> FindTasmMnemonic(std::string_view text, TasmIsa isa) {
  for (const TasmOpInfo& info : kTasmOps) {
    if (info.text == text && IsInIsa(info.op, isa)) return info.op;
  }
  return std::nullopt;
}

std::optional<TasmOp> FindTasmOpcode(std::uint64_t code, TasmIsa isa) {
  for (const TasmOpInfo& info : kTasmOps) {
    if (info.code == code && IsInIsa(info.op, isa)) return info.op;
  }
  return std::nullopt;
}

bool TasmProgram::HasHalt() const {
  return std::ranges::find(code, TasmOp::kHalt, &TasmInstruction::op) != code.end();
}

std::optional<std::size_t> TasmProgram::FindLabel(std::string_view name) const {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].name == name) return i;
  }
  return std::nullopt;
}

namespace {

isa::Result<void> CheckArgument(TasmOp op, std::uint64_t arg, std::size_t label_count) {
  const TasmOpInfo& info = Info(op);
  auto fail = [&](std::string_view limit) {
    return Fail(ErrorCode::kInvalid,
                fmt::format("the argument {} of {} must be {}", arg, info.text, limit));
  };
  switch (info.arg) {
    case TasmArg::kNone:
      if (arg != 0) return fail("absent");
      break;
    case TasmArg::kElement:
      if (arg >= vm::goldilocks::kPrime) return fail("a field element, below 2^64 - 2^32 + 1");
      break;
    case TasmArg::kCount:
      if (arg < 1 || arg > kTasmMaxCount) return fail("1 .. 5");
      break;
    case TasmArg::kRegister:
      if (arg >= kTasmRegisters) return fail("a stack register, 0 .. 15");
      break;
    case TasmArg::kLabel:
      if (arg >= label_count) return fail(fmt::format("one of {} labels", label_count));
      break;
  }
  return {};
}

}  // namespace

void TasmProgram::AddErrorIds(std::span<const TasmErrorId> ids, std::size_t start) {
  for (const TasmErrorId& error : ids) error_ids.push_back({start + error.index, error.id});
}

isa::Result<void> CheckTasmProgram(const TasmProgram& program) {
  for (const TasmInstruction& instruction : program.code) {
    if (!IsInIsa(instruction.op, program.isa)) {
      return Fail(ErrorCode::kInvalid, fmt::format("{} is not an instruction of the program's set",
                                                   Info(instruction.op).text));
    }
    TXVM_CHECK_OK(CheckArgument(instruction.op, instruction.arg, program.labels.size()));
  }
  std::unordered_set<std::string_view> names;
  for (const TasmLabel& label : program.labels) {
    if (label.index > program.code.size()) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("label {} is at instruction {}, past the end at {}", label.name,
                              label.index, program.code.size()));
    }
    if (!names.insert(label.name).second) {
      return Fail(ErrorCode::kInvalid, fmt::format("two labels are named {}", label.name));
    }
  }
  return {};
}

std::size_t TasmWordCount(std::span<const TasmInstruction> code) {
  std::size_t words = 0;
  for (const TasmInstruction& instruction : code) words += TasmSize(instruction.op);
  return words;
}

std::vector<std::uint64_t> TasmAddresses(const TasmProgram& program) {
  std::vector<std::uint64_t> addresses;
  addresses.reserve(program.code.size() + 1);
  std::uint64_t address = 0;
  for (const TasmInstruction& instruction : program.code) {
    addresses.push_back(address);
    address += TasmSize(instruction.op);
  }
  addresses.push_back(address);
  return addresses;
}

std::vector<std::uint64_t> TasmWords(const TasmProgram& program) {
  const std::vector<std::uint64_t> addresses = TasmAddresses(program);
  std::vector<std::uint64_t> words;
  words.reserve(addresses.back());
  for (const TasmInstruction& instruction : program.code) {
    const TasmOpInfo& info = Info(instruction.op);
    words.push_back(info.code);
    if (info.arg == TasmArg::kLabel) {
      words.push_back(addresses[program.labels[instruction.arg].index]);
    } else if (info.arg != TasmArg::kNone) {
      words.push_back(instruction.arg);
    }
  }
  return words;
}

isa::Result<TasmProgram> TasmFromWords(const std::vector<std::uint64_t>& words, TasmIsa isa) {
  TasmProgram program;
  program.isa = isa;
  std::unordered_map<std::uint64_t, std::size_t> index_of;  // word address -> instruction
  for (std::size_t at = 0; at < words.size();) {
    const std::optional<TasmOp> op = FindTasmOpcode(words[at], isa);
    if (!op) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("word {} at address {} is no opcode", words[at], at));
    }
    if (at + TasmSize(*op) > words.size()) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("{} at address {} lacks its argument", Info(*op).text, at));
    }
    const std::uint64_t arg = TasmSize(*op) == 2 ? words[at + 1] : 0;
    if (*op != TasmOp::kCall) TXVM_CHECK_OK(CheckArgument(*op, arg, 0));
    index_of.emplace(at, program.code.size());
    program.code.push_back({*op, arg});
    at += TasmSize(*op);
  }
  index_of.emplace(words.size(), program.code.size());
  std::unordered_map<std::uint64_t, std::size_t> label_of;
  for (TasmInstruction& instruction : program.code) {
    if (instruction.op != TasmOp::kCall) continue;
    const auto target = index_of.find(instruction.arg);
    if (target == index_of.end()) {
      return Fail(
          ErrorCode::kInvalid,
          fmt::format("call target {} is not the address of an instruction", instruction.arg));
    }
    const auto [label, is_new] = label_of.emplace(instruction.arg, program.labels.size());
    if (is_new) program.labels.push_back({fmt::format("l{}", instruction.arg), target->second});
    instruction.arg = label->second;
  }
  return program;
}

Digest TasmDigest(const TasmProgram& program) { return Tip5HashVarlen(TasmWords(program)); }

}  // namespace txvm::triton
