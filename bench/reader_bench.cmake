# txvm_bench_reader: reading WebAssembly, beside WABT.
find_package(wabt CONFIG REQUIRED)
txvm_library(txvm_large_module SOURCES large_module.cc LINKS txvm_flags)
add_executable(txvm_bench_reader reader_bench.cc)
target_link_libraries(txvm_bench_reader PRIVATE txvm_flags txvm_large_module txvm_wat txvm_wasm fmt::fmt wabt::wabt)
