# Build settings shared by every folder, and txvm_library(), the one way a folder declares its code.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

option(TXVM_BUILD_TESTS "Build the tests (needs GoogleTest)" ${PROJECT_IS_TOP_LEVEL})
option(TXVM_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TXVM_WERROR "Treat warnings as errors (on in the presets)" OFF)
option(TXVM_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TXVM_TSAN "Build with ThreadSanitizer" OFF)
option(TXVM_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
option(TXVM_UNITY "Compile the sources of a folder several at a time: a first build is quicker, one after a change slower" OFF)

# The core for a page or another WebAssembly machine: one thread, no exceptions, no system but WASI (docs/JAVASCRIPT.md).
set(TXVM_WEB OFF)
set(TXVM_NATIVE ON)
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  set(TXVM_WEB ON)
  set(TXVM_NATIVE OFF)
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ${TXVM_NATIVE})
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(TXVM_CCACHE ccache)
if(TXVM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TXVM_CCACHE}")
endif()

add_library(txvm_flags INTERFACE)
# Exhaustive switches have no default, so -Wswitch (in -Wall) checks them; a switch over some opcodes has one.
# -iquote, not -I: a folder named asm/ would shadow the kernel's <asm/...> headers.
target_compile_options(txvm_flags INTERFACE
  "SHELL:-iquote ${PROJECT_SOURCE_DIR}"
  -Wall -Wextra -Wpedantic -Wconversion -fvisibility=hidden
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 reports it falsely for "text" + std::to_string(n)
# What one source calls something at its top is nobody's concern in another.
if(NOT TXVM_UNITY)
  target_compile_options(txvm_flags INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(txvm_flags INTERFACE -Wshadow=local)
endif()
# libhwy is needed by debug checks alone, and slow to load (vm/tensor/simd_target.h): no program names it without need.
if(TXVM_NATIVE)
  target_link_options(txvm_flags INTERFACE LINKER:--as-needed)
endif()
if(TXVM_WERROR)
  target_compile_options(txvm_flags INTERFACE -Werror)
endif()
if(TXVM_FUZZ)
  target_compile_options(txvm_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TXVM_SANITIZE)
  target_compile_options(txvm_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(txvm_flags INTERFACE -fsanitize=address,undefined)
  # One SIMD target of Highway beside the baseline: all of them take minutes a unit. The release tests run every target.
  target_compile_definitions(txvm_flags INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_AVX3_DL|HWY_AVX3|HWY_SSE4|HWY_SSSE3)")
endif()
if(TXVM_TSAN)
  # It does not understand fences (libstdc++'s shared_ptr has none that matter here), hence no warning about them.
  target_compile_options(txvm_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  target_link_options(txvm_flags INTERFACE -fsanitize=thread)
endif()

# txvm_unity(target sources...): with TXVM_UNITY, compiles the sources of the target eight at a time, but for those named:
# they and others use one name for different things.
function(txvm_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TXVM_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# txvm_library(name SOURCES ... [ALONE ...] LINKS ...): a static library of one folder, with the project's flags. ALONE: those
# of SOURCES that txvm_unity has to leave apart.
function(txvm_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC txvm_flags ${ARG_LINKS})
  txvm_unity(${name} ${ARG_ALONE})
endfunction()

# txvm_embed(target FILES ... HEADER h NAMESPACE n FUNCTION f): makes the bytes of FILES part of `target`. HEADER declares
# `std::string_view f(std::string_view name);` in NAMESPACE; this defines it: the bytes of one of FILES, empty for other
# names. A file below the current folder goes by its path from there, one given by its full path by its name.
# The assembler takes each file as it is (isa/support/embed_file.h), at a multiple of 64.
function(txvm_embed target)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  set(includes "#include \"${ARG_HEADER}\"\n\n#include \"isa/support/embed_file.h\"\n")
  set(arrays "")
  set(branches "")
  set(depends "")
  set(index 0)
  foreach(file IN LISTS ARG_FILES)
    set(name "${file}")
    if(IS_ABSOLUTE "${file}")
      cmake_path(GET file FILENAME name)
    else()
      set(file "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    endif()
    set(symbol "${target}_embedded_${index}")
    string(APPEND arrays "TXVM_EMBED_FILE(${symbol}, \"${file}\")\n")
    string(APPEND branches "  if (name == \"${name}\") return txvm::isa::EmbeddedBytes(${symbol}, ${symbol}_end);\n")
    list(APPEND depends "${file}")
    math(EXPR index "${index} + 1")
  endforeach()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cc")
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT "// Generated by txvm_embed.
@includes@
@arrays@
namespace @ARG_NAMESPACE@ {

std::string_view @ARG_FUNCTION@(std::string_view name) {
@branches@  return {};
}

}  // namespace @ARG_NAMESPACE@
")
  target_sources(${target} PRIVATE "${output}")
  set_source_files_properties("${output}" PROPERTIES OBJECT_DEPENDS "${depends}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# txvm_embed_bytes(target FILES ... HEADER h NAMESPACE n FUNCTION f): the same for the bytes of FILES (full paths);
# cmake/embed_bytes.cmake says what it defines.
function(txvm_embed_bytes target)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded_bytes.cc")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${ARG_FILES}" "-DOUTPUT=${output}" "-DHEADER=${ARG_HEADER}"
      "-DNAMESPACE=${ARG_NAMESPACE}" "-DFUNCTION=${ARG_FUNCTION}" -P "${PROJECT_SOURCE_DIR}/cmake/embed_bytes.cmake"
    DEPENDS ${ARG_FILES} "${PROJECT_SOURCE_DIR}/cmake/embed_bytes.cmake"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
