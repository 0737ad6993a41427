# What `cmake --install` gives: the program with its manual page and completions, the two libraries with their headers,
# and the files by which CMake (txvm::txvm, txvm::core) and pkg-config (txvm, txvm_core) find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/txvm")
install(TARGETS txvm RUNTIME COMPONENT program)
install(FILES vm/txvm.h vm/txvm.hpp vm/txvm_folded.h vm/txvm_wasi.h vm/txvm_wasi.hpp TYPE INCLUDE COMPONENT development)
# Apart, so that a user of the shared library needs none of what the static one is linked with.
install(TARGETS txvm_core EXPORT txvmCoreTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS txvm_static EXPORT txvmStaticTargets ARCHIVE COMPONENT development)
foreach(set Core Static)
  install(EXPORT txvm${set}Targets NAMESPACE txvm:: DESTINATION "${package_dir}" COMPONENT development)
endforeach()

configure_package_config_file(cmake/txvmConfig.cmake.in "${PROJECT_BINARY_DIR}/txvmConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/txvmConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/txvmConfig.cmake" "${PROJECT_BINARY_DIR}/txvmConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT development)
if(TARGET asmjit::asmjit)
  set(TXVM_ASMJIT_LINK " -lasmjit")
endif()
# pkg-config knows the folder of its file, so a prefix that was moved, or named to `cmake --install`, is found too.
file(RELATIVE_PATH TXVM_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(name txvm txvm_core)
  configure_file(cmake/${name}.pc.in "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT development)
endforeach()

# Python finds it where Debian's does; it finds the library four folders above itself, in lib/.
install(DIRECTORY frontends/python/txvm DESTINATION lib/python3/dist-packages COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed")

# The program writes its own manual page and completions, so they say what it does.
set(generated "${PROJECT_BINARY_DIR}/generated")
file(MAKE_DIRECTORY "${generated}")
set(texts)
function(txvm_generate file destination)
  add_custom_command(OUTPUT "${generated}/${file}" COMMAND txvm ${ARGN} > "${generated}/${file}" DEPENDS txvm VERBATIM)
  install(FILES "${generated}/${file}" DESTINATION "${destination}" COMPONENT program)
  set(texts ${texts} "${generated}/${file}" PARENT_SCOPE)
endfunction()
txvm_generate(txvm.1 "${CMAKE_INSTALL_MANDIR}/man1" manual)
txvm_generate(txvm "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" completions bash)
txvm_generate(_txvm "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" completions zsh)
txvm_generate(txvm.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" completions fish)
add_custom_target(txvm_texts ALL DEPENDS ${texts})
