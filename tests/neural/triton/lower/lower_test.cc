#include "neural/triton/lower/lower.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "neural/triton/random/programs.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/interpreter.h"
#include "neural/triton/tir/parser.h"
#include "tests/neural/triton/tir/fuzz.h"

namespace txvm::triton {
namespace {

// Every operation that needs no module around it.
constexpr const char* kOperations[] = {"push 5",
                                       "pop 3",
                                       "dup 15",
                                       "swap 15",
                                       "add",
                                       "sub",
                                       "mul",
                                       "neg",
                                       "invert",
                                       "eq",
                                       "lt",
                                       "and",
                                       "or",
                                       "xor",
                                       "pop_count",
                                       "split",
                                       "div_mod",
                                       "shl",
                                       "shr",
                                       "log2",
                                       "pow",
                                       "read_io 3",
                                       "write_io 5",
                                       "read_mem 5",
                                       "write_mem 5",
                                       "assert 1",
                                       "assert 5",
                                       "hash 10",
                                       "reveal R tag=3 fields=7",
                                       "reveal R tag=3 fields=0",
                                       "seal S tag=3 fields=9",
                                       "seal S tag=3 fields=0",
                                       "ram_read 1",
                                       "ram_read 5",
                                       "ram_read 15",
                                       "ram_write 1",
                                       "ram_write 5",
                                       "ram_write 11",
                                       "hint 4",
                                       "sponge_init",
                                       "sponge_init sponge_absorb",
                                       "sponge_absorb",
                                       "sponge_init sponge_squeeze",
                                       "sponge_squeeze",
                                       "sponge_init sponge_load",
                                       "merkle_step",
                                       "merkle_load",
                                       "ext_mul",
                                       "ext_invert",
                                       "fold_ext",
                                       "fold_base",
                                       "proof_block 1 { add }",
                                       "asm effect=0 { pick 3 }",
                                       "// nothing"};

TirInputs Inputs(TirRng& rng) {
  TirInputs inputs;
  for (int i = 0; i < 5; ++i) inputs.input.push_back(rng.Element());
  for (int i = 0; i < 5; ++i) inputs.secret.push_back(rng.Element());
  inputs.digests.push_back({1, 2, 3, rng.Element(), 5});
  for (std::uint64_t i = 0; i < 40; ++i) inputs.ram[i] = rng.Element();
  return inputs;
}

// Runs one fragment both ways on the same stack.
void ExpectSame(const char* text, const std::vector<std::uint64_t>& stack,
                const TirInputs& inputs) {
  const TirModule module = *ParseTir(text);
  const TirRun tir = *RunTir(module, inputs, stack);
  for (const bool peepholes : {false, true}) {
    const auto machine = TasmMachine::Load(*LowerTir(module, {peepholes}));
    ASSERT_TRUE(machine.has_value());
    TasmOptions options;
    options.initial_stack.emplace(16, 0);
    options.initial_stack->insert(options.initial_stack->end(), stack.begin(), stack.end());
    options.end_is_halt = true;
    const auto tasm = machine->Run(
        {inputs.input, inputs.secret, inputs.digests, {inputs.ram.begin(), inputs.ram.end()}},
        options);
    ASSERT_TRUE(tasm.has_value()) << tasm.error().ToString();
    ASSERT_EQ(tir.fault == Fault::kNone, !tasm->crash.has_value())
        << text << ": " << FaultText(tir.fault);
    EXPECT_EQ(tir.output, tasm->output) << text;
    if (tasm->crash) continue;
    EXPECT_EQ(tir.stack, std::vector<std::uint64_t>(tasm->stack.begin() + 16, tasm->stack.end()))
        << text;
  }
}

TEST(LowerTasm, EveryOperationMeansWhatTheInterpreterSays) {
  TirRng rng(11);
  for (const char* text : kOperations) {
    for (int round = 0; round < 200; ++round) {
      const TirInputs inputs = Inputs(rng);
      std::vector<std::uint64_t> stack;
      for (int i = 0; i < 16; ++i) stack.push_back(rng.Element());
      if (rng.OneIn(2)) stack.back() = rng.Below(36);
      if (rng.OneIn(3)) stack[stack.size() - 2] = rng.Below(36);
      ExpectSame(text, stack, inputs);
    }
  }
}

TEST(LowerTasm, OperandOrderIsThatOfTheSource) {
  const auto text = [](const char* tir) {
    return DisassembleTasm(*LowerTir(*ParseTir(tir), {.peepholes = false}));
  };
  EXPECT_EQ(text("lt"), "    swap 1\n    lt\n");
  EXPECT_EQ(text("div_mod"), "    swap 1\n    div_mod\n");
  EXPECT_EQ(text("ram_write 2"), "    pick 2\n    write_mem 2\n    pop 1\n");
  EXPECT_EQ(text("ram_read 2"), "    addi 1\n    read_mem 2\n    pop 1\n");
}

TEST(LowerTasm, LoopsBecomeSubroutinesAfterTheirFunction) {
  const auto program = LowerTir(*ParseTir("entry main fn main { push 3 call l pop 1 loop l { } }"),
                                {.peepholes = false});
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(DisassembleTasm(*program),
            "    call __main\n    halt\n__main:\n    push 3\n    call __l\n    pop 1\n    return\n"
            "__l:\n    dup 0\n    push 0\n    eq\n    skiz\n    return\n    push -1\n    add\n"
            "    recurse\n");
}

TEST(LowerTasm, PrintedProgramsAssembleToThemselves) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    TirRng rng(seed);
    TasmProgram program = *LowerTir(RandomTir(rng).module);
    auto again = AssembleTasm(DisassembleTasm(program));
    ASSERT_TRUE(again.has_value()) << again.error().ToString();
    again->lines.clear();
    EXPECT_EQ(again->code, program.code) << DisassembleTasm(program);
    EXPECT_EQ(again->labels, program.labels) << DisassembleTasm(program);
  }
}

TEST(LowerTasm, AgreesWithTheInterpreterOnRandomPrograms) {
  // 100,000 and more by hand: txvm_fuzz_tir --cases 100000 --seed 1
  for (std::uint64_t seed = 1'000'000; seed < 1'000'600; ++seed) {
    TirRng rng(seed);
    const std::string difference = CheckLowering(RandomTir(rng));
    ASSERT_EQ(difference, "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace txvm::triton
