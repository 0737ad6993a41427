# Tests of txvm_tir, and its fuzzer: txvm_fuzz_tir --cases 100000 --seed 1
txvm_test(txvm_tir_test
  SOURCES block_encoding_test.cc cost_analyzer_test.cc corpus_files.cc corpus_reference.cc corpus_test.cc equivalence_mutate.cc
    equivalence_test.cc lower_peephole_test.cc lower_tasm_test.cc stack_manager_test.cc superopt_test.cc tasm_peephole_test.cc
    tir_fuzz.cc tir_interpreter_test.cc tir_text_test.cc tir_validate_test.cc
  LINKS txvm_tir)

add_executable(txvm_fuzz_tir tir_fuzz.cc tir_fuzz_main.cc)
target_link_libraries(txvm_fuzz_tir PRIVATE txvm_tir)

# The verifier against its adversary: txvm_check_equivalence --cases 10000 --seed 77
add_executable(txvm_check_equivalence equivalence_main.cc equivalence_mutate.cc)
target_link_libraries(txvm_check_equivalence PRIVATE txvm_tir)

# The superoptimizer over the corpus: txvm_optimize_corpus
add_executable(txvm_optimize_corpus corpus_files.cc superopt_main.cc)
target_link_libraries(txvm_optimize_corpus PRIVATE txvm_optimizer_network txvm_optimizer txvm_tir)
target_compile_definitions(txvm_optimize_corpus PRIVATE TXVM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
