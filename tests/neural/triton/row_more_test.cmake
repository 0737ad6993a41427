# A row more in a table of instructions must not compile until every walker knows what it does. This compiles the sources
# that run, prove, lower and count programs, once as they are and once with copies of the tables that have rows more. The
# first must compile. The second must fail in each switch below, with an error that names the new enumerator.
#
#   cmake -DCOMPILER=g++ -DSOURCE_DIR=... -DSCRATCH=... -P row_more_test.cmake
set(sources tasm/runner.cc tir/interpreter.cc tir/known_heights.cc tir/validate.cc lower/lower.cc prove/induction.cc
  superopt/cost_analyzer.cc)

# file: the rows that its switches must miss.
set(expected
  "tasm/runner.cc: PureMore ControlMore"
  "tir/tasm_step.h: PureMore"             # the steps of running and of proving
  "tir/known_heights.cc: ControlMore"
  "prove/subject.h: ControlMore"          # TasmControl
  "superopt/cost_analyzer.cc: ControlMore"
  "tir/step.h: DirectMore ComposedMore"   # the steps of running and of proving
  "tir/control.h: StructureMore"          # TirControl
  "tir/validate.cc: StructureMore"
  "lower/lower.cc: ComposedMore StructureMore DefinitionMore")

# Compiles the sources together; headers and tables in SCRATCH come before those of the tree.
function(compile result errors)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} -std=c++23 -fsyntax-only -Wall -Werror=switch
      -iquote ${SCRATCH} -iquote ${SOURCE_DIR} ${SCRATCH}/all.cc
    RESULT_VARIABLE code ERROR_VARIABLE text OUTPUT_QUIET)
  set(${result} ${code} PARENT_SCOPE)
  set(${errors} "${text}" PARENT_SCOPE)
endfunction()

function(add_rows table)
  file(READ ${SOURCE_DIR}/${table} text)
  string(JOIN "\n" rows ${ARGN})
  string(REPLACE "// clang-format on" "${rows}\n// clang-format on" text "${text}")
  file(WRITE ${SCRATCH}/${table} "${text}")
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
list(TRANSFORM sources REPLACE "(.+)" "#include \"neural/triton/\\1\"")
string(JOIN "\n" text ${sources})
file(WRITE ${SCRATCH}/all.cc "${text}\n")
compile(code errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the sources do not compile as they are:\n${errors}")
endif()

set(columns "\"more\", kNone, kAll, 0, 0, 1, 0, 0, kNone, 0, 0, 0, kNone, 1, 0, 0, 0, 0, 0, \"\"")
add_rows(neural/triton/tasm/ops.def
  "TXVM_TASM_PURE(98, PureMore, ${columns})" "TXVM_TASM_CONTROL(99, ControlMore, ${columns})")
set(columns "\"more\", 1, kNone, 1, 1, kNone")
add_rows(neural/triton/tir/ops.def
  "TXVM_TIR_COMPOSED(54, ComposedMore, ${columns}, kNone, \"\")" "TXVM_TIR_DIRECT(55, DirectMore, ${columns}, kNop, \"\")"
  "TXVM_TIR_CONTROL(56, StructureMore, ${columns}, kNone, \"\")" "TXVM_TIR_DEFINITION(57, DefinitionMore, ${columns}, kNone, \"\")")
compile(code errors)
file(REMOVE_RECURSE ${SCRATCH})
foreach(line ${expected})
  string(REPLACE ": " ";" parts "${line}")
  list(GET parts 0 file)
  list(GET parts 1 rows)
  string(REPLACE " " ";" rows "${rows}")
  foreach(row ${rows})
    if(NOT errors MATCHES "neural/triton/${file}:[0-9]+:[0-9]+: error: enumeration value 'k${row}' not handled in switch")
      message(SEND_ERROR "neural/triton/${file} has a switch that compiles without a case for a new row, ${row}")
    endif()
  endforeach()
endforeach()
