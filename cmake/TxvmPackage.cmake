# What `cpack` makes of an installation (build-release/*.deb): four packages, as Debian divides such software.
#   txvm            the program with its manual page, completions and the question data
#   libtxvm-core    the shared library
#   libtxvm-dev     headers, the static library, the files for CMake and pkg-config
#   python3-txvm    the Python module
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME txvm)
set(CPACK_PACKAGE_CONTACT "txvm developers <txvm@localhost>")  # dpkg wants an address
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development python)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION interpreters)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/frontends/capi")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME txvm)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "wabt, libdnnl2")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "clang, lld, binaryen")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtxvm-core)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtxvm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libtxvm-core (= ${PROJECT_VERSION}), libfmt-dev, libasmjit-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-txvm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, libtxvm-core (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, txvm")
include(CPack)

# What `pip install .` puts into a wheel (pyproject.toml): a wheel holds no links, so the library goes by the name that
# the module opens.
if(SKBUILD)
  install(FILES "$<TARGET_FILE:txvm_core>" RENAME libtxvm_core.so.1 DESTINATION txvm COMPONENT wheel)
  install(PROGRAMS "$<TARGET_FILE:txvm>" DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT wheel)
  install(DIRECTORY neural/questions/sentences/ DESTINATION "${SKBUILD_DATA_DIR}/share/txvm/questions"
    COMPONENT wheel FILES_MATCHING PATTERN "*.txt")
  install(DIRECTORY models/ DESTINATION "${SKBUILD_DATA_DIR}/share/txvm/models" COMPONENT wheel)
endif()
