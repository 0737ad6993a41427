# Toolchain of the preset `wasm`: wasm32-wasi with the clang and the libc++ that zig brings (docs/JAVASCRIPT.md). Debian's own
# clang 14 has no <expected>. Looked for in this order: -DTXVM_ZIG=PATH, the environment variable TXVM_ZIG, the PATH, the
# Python package ziglang.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")  # Platform/WASI.cmake

if(NOT TXVM_ZIG)
  if(DEFINED ENV{TXVM_ZIG})
    set(TXVM_ZIG "$ENV{TXVM_ZIG}")
  else()
    find_program(txvm_zig_program zig)
    if(txvm_zig_program)
      set(TXVM_ZIG "${txvm_zig_program}")
    else()
      execute_process(
        COMMAND python3 -c "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'), end='')"
        OUTPUT_VARIABLE TXVM_ZIG ERROR_QUIET)
    endif()
  endif()
endif()
if(NOT TXVM_ZIG OR NOT EXISTS "${TXVM_ZIG}")
  message(FATAL_ERROR "txvm: the preset wasm needs zig for its clang: install it (pip install ziglang), or name it with -DTXVM_ZIG=PATH")
endif()
set(TXVM_ZIG "${TXVM_ZIG}" CACHE FILEPATH "zig, whose clang compiles the preset wasm" FORCE)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TXVM_ZIG TXVM_WASM_SIMD)

# CMake wants a file for each of these; a compiler cache, one whose name is no argument.
set(TXVM_ZIG_TOOLS "${CMAKE_BINARY_DIR}/zig-tools")
foreach(tool cc c++ ar ranlib)
  set(txvm_zig_tool "${TXVM_ZIG_TOOLS}/zig-${tool}")
  if(NOT EXISTS "${txvm_zig_tool}")
    file(WRITE "${txvm_zig_tool}" "#!/bin/sh\nexec '${TXVM_ZIG}' ${tool} \"$@\"\n")
    file(CHMOD "${txvm_zig_tool}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE)
  endif()
endforeach()
set(CMAKE_C_COMPILER "${TXVM_ZIG_TOOLS}/zig-cc")
set(CMAKE_CXX_COMPILER "${TXVM_ZIG_TOOLS}/zig-c++")
set(CMAKE_AR "${TXVM_ZIG_TOOLS}/zig-ar" CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB "${TXVM_ZIG_TOOLS}/zig-ranlib" CACHE FILEPATH "" FORCE)

option(TXVM_WASM_SIMD "The vectors of WebAssembly (-msimd128); without them every kernel is scalar" ON)
set(txvm_wasm_flags "-target wasm32-wasi -fno-exceptions -mcpu=generic+bulk_memory+sign_ext+nontrapping_fptoint+mutable_globals+multivalue")
if(TXVM_WASM_SIMD)
  string(APPEND txvm_wasm_flags "+simd128")
endif()
set(CMAKE_C_FLAGS_INIT "${txvm_wasm_flags}")
set(CMAKE_CXX_FLAGS_INIT "${txvm_wasm_flags}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${txvm_wasm_flags}")

# Programs made on the way (txvm_assemble_routines) run under Node.
find_program(TXVM_NODE node REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR "${TXVM_NODE};--no-warnings;${CMAKE_CURRENT_LIST_DIR}/run_wasi.mjs")

# Of Debian's headers, those that are whole without a library, away from the headers of its C library.
set(TXVM_HEADERS "${CMAKE_BINARY_DIR}/debian-headers")
foreach(folder fmt hwy)
  find_path(txvm_${folder}_at "${folder}" PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH NO_DEFAULT_PATH REQUIRED)
  file(MAKE_DIRECTORY "${TXVM_HEADERS}")
  file(CREATE_LINK "${txvm_${folder}_at}/${folder}" "${TXVM_HEADERS}/${folder}" SYMBOLIC)
endforeach()
