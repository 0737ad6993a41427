#include "tests/frontends/wasm/suite_modules.h"

#include <wabt/binary-writer.h>
#include <wabt/cast.h>
#include <wabt/ir.h>
#include <wabt/stream.h>
#include <wabt/wast-lexer.h>
#include <wabt/wast-parser.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

namespace txvm::tests {
namespace {

using wabt::CommandType;

std::vector<std::uint8_t> Binary(const wabt::Module& module, const wabt::Features& features) {
  wabt::MemoryStream stream;
  wabt::WriteBinaryOptions options;
  options.features = features;
  if (wabt::Failed(wabt::WriteBinaryModule(&stream, &module, options))) return {};
  return stream.output_buffer().data;
}

/// Collects the modules of one script.
class Collector {
 public:
  Collector(std::string file, const wabt::Features& features, std::vector<SuiteModule>& out)
      : file_(std::move(file)), features_(features), out_(out) {}

  void Add(const wabt::Command& command) {
    switch (command.type) {
      case CommandType::Module:
        return AddText(wabt::cast<wabt::ModuleCommand>(&command)->module, SuiteVerdict::kValid, {});
      case CommandType::ScriptModule:
        return AddScript(*wabt::cast<wabt::ScriptModuleCommand>(&command)->script_module,
                         SuiteVerdict::kValid, {});
      case CommandType::AssertInvalid: {
        const auto* assertion = wabt::cast<wabt::AssertInvalidCommand>(&command);
        return AddScript(*assertion->module, SuiteVerdict::kInvalid, assertion->text);
      }
      case CommandType::AssertMalformed: {
        const auto* assertion = wabt::cast<wabt::AssertMalformedCommand>(&command);
        return AddScript(*assertion->module, SuiteVerdict::kMalformed, assertion->text);
      }
      case CommandType::AssertUnlinkable:
        return AddScript(*wabt::cast<wabt::AssertUnlinkableCommand>(&command)->module,
                         SuiteVerdict::kValid, {});
      case CommandType::AssertUninstantiable:
        return AddScript(*wabt::cast<wabt::AssertUninstantiableCommand>(&command)->module,
                         SuiteVerdict::kValid, {});
      case CommandType::Register:
      case CommandType::Action:
      case CommandType::AssertReturn:
      case CommandType::AssertTrap:
      case CommandType::AssertExhaustion:
      case CommandType::AssertException:
        return;
    }
  }

 private:
  void AddText(const wabt::Module& module, SuiteVerdict verdict, const std::string& text) {
    Keep(Binary(module, features_), module.loc, verdict, text, true);
  }
  void AddScript(const wabt::ScriptModule& module, SuiteVerdict verdict, const std::string& text) {
    if (const auto* source = wabt::dyn_cast<wabt::TextScriptModule>(&module)) {
      return AddText(source->module, verdict, text);
    }
    if (const auto* source = wabt::dyn_cast<wabt::BinaryScriptModule>(&module)) {
      Keep(source->data, module.location(), verdict, text, false);
    }
  }
  void Keep(std::vector<std::uint8_t> bytes, const wabt::Location& loc, SuiteVerdict verdict,
            const std::string& text, bool was_text) {
    if (was_text && bytes.empty()) return;
    out_.push_back(
        {file_ + ":" + std::to_string(loc.line), verdict, text, was_text, std::move(bytes)});
  }

  std::string file_;
  const wabt::Features& features_;
  std::vector<SuiteModule>& out_;
};

void AddFile(const std::filesystem::path& path, bool proposals, std::vector<SuiteModule>& out) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  wabt::Features features;
  if (proposals) {
    features.enable_tail_call();
    features.enable_extended_const();
  }
  wabt::Errors errors;
  std::unique_ptr<wabt::Script> script;
  const std::string folder = proposals ? path.parent_path().filename().string() + "/" : "";
  const std::string name = folder + path.filename().string();
  const auto lexer = wabt::WastLexer::CreateBufferLexer(name, text.data(), text.size(), &errors);
  wabt::WastParseOptions options(features);
  if (wabt::Failed(wabt::ParseWastScript(lexer.get(), &script, &errors, &options))) return;
  Collector collector(name, features, out);
  for (const wabt::CommandPtr& command : script->commands) collector.Add(*command);
}

void AddFolder(const std::filesystem::path& folder, bool proposals, std::vector<SuiteModule>& out) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".wast") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  for (const auto& path : paths) AddFile(path, proposals, out);
}

}  // namespace

std::vector<SuiteModule> SuiteModules(bool proposals) {
  const char* shared = std::getenv("TXVM_SHARED");
  const std::filesystem::path root =
      (shared != nullptr ? std::filesystem::path(shared)
                         : std::filesystem::path(TXVM_SOURCE_DIR).parent_path() / "shared") /
      "data/wasm-testsuite";
  std::vector<SuiteModule> modules;
  AddFolder(root, false, modules);
  if (!proposals) return modules;
  AddFolder(root / "proposals/tail-call", true, modules);
  AddFolder(root / "proposals/extended-const", true, modules);
  return modules;
}

}  // namespace txvm::tests
