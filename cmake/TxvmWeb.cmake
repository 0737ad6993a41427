# What the preset wasm has in place of Debian's libraries: the headers that are whole by themselves (cmake/wasm.cmake).
add_library(fmt INTERFACE)
add_library(fmt::fmt ALIAS fmt)
target_compile_definitions(fmt INTERFACE FMT_HEADER_ONLY)
target_include_directories(fmt SYSTEM INTERFACE "${TXVM_HEADERS}")

add_library(hwy INTERFACE)
add_library(hwy::hwy ALIAS hwy)
target_include_directories(hwy SYSTEM INTERFACE "${TXVM_HEADERS}")
