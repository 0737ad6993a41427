# Tests of txvm_tir, and its fuzzer: txvm_fuzz_tir --cases 100000 --seed 1
txvm_test(txvm_tir_test
  SOURCES corpus_files.cc corpus_reference.cc corpus_test.cc lower_peephole_test.cc lower_tasm_test.cc stack_manager_test.cc tasm_peephole_test.cc
    tir_fuzz.cc tir_interpreter_test.cc tir_text_test.cc tir_validate_test.cc
  LINKS txvm_tir)

add_executable(txvm_fuzz_tir tir_fuzz.cc tir_fuzz_main.cc)
target_link_libraries(txvm_fuzz_tir PRIVATE txvm_tir)
