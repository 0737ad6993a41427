# Assembles the module whose fields are in PARTS, in order, with WAT2WASM, to OUTPUT, a binary module; OUTPUT.wat is
# its text.
set(text "(module\n")
foreach(part IN LISTS PARTS)
  file(READ "${part}" content)
  string(APPEND text "${content}\n")
endforeach()
file(WRITE "${OUTPUT}.wat" "${text})\n")
# Nothing beyond WebAssembly 1.0.
execute_process(COMMAND "${WAT2WASM}" --disable-bulk-memory --disable-multi-value --disable-sign-extension
    --disable-saturating-float-to-int --disable-reference-types "${OUTPUT}.wat" -o "${OUTPUT}"
  COMMAND_ERROR_IS_FATAL ANY)
