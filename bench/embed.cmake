# embed.cmake: writes OUTPUT, a source file that defines bench::EmbeddedFile over FILES (a list of paths below FOLDER).
set(text "// Generated from bench/ by embed.cmake.\n#include \"bench/embedded.h\"\n\nnamespace txvm::bench {\n\n")
string(APPEND text "std::string_view EmbeddedFile(std::string_view name) {\n")
foreach(file IN LISTS FILES)
  file(READ "${FOLDER}/${file}" content)
  string(APPEND text "  if (name == \"${file}\") return R\"txvm(${content})txvm\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace txvm::bench\n")
file(WRITE "${OUTPUT}" "${text}")
