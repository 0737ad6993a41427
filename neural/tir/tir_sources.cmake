# TIR: text, interpreter, lowering, cost, equivalence, search. Included by CMakeLists.txt of this folder.
txvm_library(txvm_tir
  SOURCES
    block_encoding.cc cost_analyzer.cc cost_inputs.cc equivalence.cc equivalence_compare.cc equivalence_evaluate.cc equivalence_identity.cc equivalence_induction.cc equivalence_search.cc
    equivalence_skeleton.cc equivalence_subject.cc equivalence_terms.cc equivalence_world.cc lower_blocks.cc lower_heights.cc lower_peephole.cc lower_tasm.cc superopt_estimate.cc superopt_model.cc superopt_program.cc superopt_search.cc
    stack_manager.cc tasm_peephole.cc
    tir_asm.cc tir_interpreter.cc tir_lexer.cc tir_op.cc tir_parser.cc tir_printer.cc tir_random.cc tir_rng.cc
    tir_validate.cc tir_world.cc
  ALONE equivalence_induction.cc equivalence_world.cc superopt_search.cc tasm_peephole.cc tir_asm.cc tir_random.cc tir_rng.cc
  LINKS txvm_tasm fmt::fmt)
