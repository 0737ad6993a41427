#include "tests/vm/capi/api.h"

namespace txvm::testing {

std::string Message(txvm_error* error) {
  if (error == nullptr) return {};
  std::string message = txvm_error_message(error);
  txvm_error_delete(error);
  return message;
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nhas no\n" << part;
}

void Ok(txvm_error* error) {
  if (error != nullptr) ADD_FAILURE() << txvm_error_report(error);
  txvm_error_delete(error);
}

EnginePtr NewEngine(const char* name) {
  txvm_engine_options options{};
  options.size = sizeof(options);
  options.engine = name;
  txvm_engine* engine = nullptr;
  Ok(txvm_engine_new(&options, &engine));
  return EnginePtr(engine);
}

ProgramPtr LoadText(txvm_engine* engine, const std::string& text, const char* name) {
  txvm_program* program = nullptr;
  Ok(txvm_program_load(engine, text.data(), text.size(), name, &program));
  return ProgramPtr(program);
}

LinkerPtr NewLinker(txvm_engine* engine) {
  txvm_linker* linker = nullptr;
  Ok(txvm_linker_new(engine, &linker));
  return LinkerPtr(linker);
}

InstancePtr NewInstance(const txvm_program* program, const txvm_linker* linker,
                        const txvm_instance_options* options) {
  txvm_instance* instance = nullptr;
  Ok(txvm_instance_new(program, linker, options, &instance));
  return InstancePtr(instance);
}

std::uint32_t Find(const txvm_program* program, const char* name) {
  std::uint32_t index = 0;
  Ok(txvm_export_find(program, name, &index));
  return index;
}

txvm_outcome NewOutcome() {
  txvm_outcome outcome{};
  outcome.size = sizeof(outcome);
  return outcome;
}

txvm_outcome Call(txvm_instance* instance, const char* name, const std::vector<std::int32_t>& args,
                  std::vector<std::int32_t>* results) {
  const std::uint32_t function = Find(txvm_instance_program(instance), name);
  txvm_function signature{};
  Ok(txvm_export_get(txvm_instance_program(instance), function, &signature));
  results->assign(signature.results, -1);
  txvm_outcome outcome = NewOutcome();
  Ok(txvm_call(instance, function, args.data(), args.size(), results->data(), results->size(),
               &outcome));
  return outcome;
}

}  // namespace txvm::testing
