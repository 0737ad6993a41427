# Goldilocks kernels against scalar loops, and the Triton machine: ./txvm_field_bench [--target AVX2]
add_executable(txvm_field_bench field_bench.cc)
target_link_libraries(txvm_field_bench PRIVATE txvm_flags txvm_tasm txvm_tensor fmt::fmt)
