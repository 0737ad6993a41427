# Installs the build, then uses what is there. Any step that fails stops it with what was said.
set(PREFIX "${WORK}/prefix")
set(CONSUMER "${WORK}/embed")
set(C_CONSUMER "${WORK}/c_only")

include("${CMAKE_CURRENT_LIST_DIR}/expect.cmake")

function(expect_match what text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what} has no '${pattern}':\n${text}")
  endif()
endfunction()

set(MOVED "${WORK}/moved")

file(REMOVE_RECURSE "${PREFIX}" "${MOVED}" "${CONSUMER}" "${C_CONSUMER}")
run(ignored "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}")
file(GLOB_RECURSE core "${PREFIX}/libtxvm_core.so.${VERSION}" "${PREFIX}/*/libtxvm_core.so.${VERSION}")
cmake_path(GET core PARENT_PATH LIBDIR)

# Nothing but txvm_* is visible.
run(symbols "${NM}" -D --defined-only "${core}")
string(REGEX REPLACE "[0-9a-f]+ [A-Z] (txvm_[a-z_]*@@TXVM_1|TXVM_1)\n" "" others "${symbols}")
expect_equal("${NM} -D libtxvm_core.so, beyond txvm_*," "${others}" "")
expect_match("libtxvm_core.so" "${symbols}" "T txvm_call@@TXVM_1")
if(NOT EXISTS "${LIBDIR}/libtxvm_core.so.1")
  message(FATAL_ERROR "libtxvm_core.so.1 is missing in ${LIBDIR}")
endif()

# The program, its manual page and its completions.
run(version "${PREFIX}/bin/txvm" --version)
expect_match("txvm --version" "${version}" "^txvm ${VERSION} ")
file(READ "${PREFIX}/share/man/man1/txvm.1" manual)
expect_match("the manual page" "${manual}" "\n\\.B compare\n")
foreach(file bash-completion/completions/txvm zsh/site-functions/_txvm fish/vendor_completions.d/txvm.fish)
  file(READ "${PREFIX}/share/${file}" completions)
  expect_match("${file}" "${completions}" "disasm")
endforeach()
run(completed bash "${SOURCE}/tests/install/completion.sh" "${PREFIX}")
expect_equal("bash completion" "${completed}" "disasm\n--fuel\n--invoke\n")

# A project that finds the package with CMake.
run(ignored "${CMAKE_COMMAND}" -S "${SOURCE}/examples/embed" -B "${CONSUMER}" "-DCMAKE_PREFIX_PATH=${PREFIX}"
  "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=)
run(ignored "${CMAKE_COMMAND}" --build "${CONSUMER}" --parallel 2)
foreach(name embed numbers embed_wat geometry wasi link sort call_back game_rules formulas plugin scheduler folded)
  run(printed "${CMAKE_COMMAND}" -E chdir "${SOURCE}/examples/embed" "${CONSUMER}/${name}")
  file(READ "${SOURCE}/examples/embed/${name}.expected" expected)
  expect_equal("examples/embed/${name}" "${printed}" "${expected}")
endforeach()

# One without C++, whose compiler does not know of C++'s library.
run(ignored "${CMAKE_COMMAND}" -S "${SOURCE}/tests/install/c_only" -B "${C_CONSUMER}" "-DCMAKE_PREFIX_PATH=${PREFIX}"
  "-DCMAKE_C_COMPILER=${CC}" -DCMAKE_BUILD_TYPE= "-DSOURCE=${SOURCE}")
run(ignored "${CMAKE_COMMAND}" --build "${C_CONSUMER}")
run(printed "${C_CONSUMER}/embed")
file(READ "${SOURCE}/examples/embed/embed.expected" expected)
expect_equal("embed.c with txvm::txvm, without C++," "${printed}" "${expected}")

# The Python module, with the library it finds by itself.
find_program(PYTHON python3)
if(PYTHON)
  set(ENV{PYTHONPATH} "${PREFIX}/lib/python3/dist-packages")
  set(ENV{PYTHONDONTWRITEBYTECODE} 1)
  run(printed "${PYTHON}" "${SOURCE}/tests/install/use_module.py")
  expect_equal("the Python module" "${printed}" "${VERSION}: 2 + 3 = 5\n")
  foreach(name numbers wasi call_back)
    run(printed "${PYTHON}" "${SOURCE}/examples/embed/${name}.py")
    file(READ "${SOURCE}/examples/embed/${name}_py.expected" expected)
    expect_equal("examples/embed/${name}.py" "${printed}" "${expected}")
  endforeach()
else()
  message(STATUS "python3 is not here: the module was not tried")
endif()

# One that finds it with pkg-config, where the installation was moved to.
file(RENAME "${PREFIX}" "${MOVED}")
cmake_path(RELATIVE_PATH LIBDIR BASE_DIRECTORY "${PREFIX}")
set(LIBDIR "${MOVED}/${LIBDIR}")
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} "${LIBDIR}/pkgconfig")
  foreach(package txvm_core txvm)
    run(flags "${PKG_CONFIG}" --cflags --libs ${package})
    string(STRIP "${flags}" flags)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run(ignored "${CC}" -std=c99 "${SOURCE}/examples/embed/embed.c" -o "${WORK}/by_pkg_config" ${flags})
    set(ENV{LD_LIBRARY_PATH} "${LIBDIR}")
    run(printed "${WORK}/by_pkg_config")
    file(READ "${SOURCE}/examples/embed/embed.expected" expected)
    expect_equal("embed.c with ${package}.pc" "${printed}" "${expected}")
  endforeach()
else()
  message(STATUS "pkg-config is not here: txvm.pc and txvm_core.pc were not tried")
endif()
message(STATUS "the package works")
