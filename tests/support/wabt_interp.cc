#include "tests/support/wabt_interp.h"

#include <wabt/binary-reader.h>
#include <wabt/binary-writer.h>
#include <wabt/interp/binary-reader-interp.h>
#include <wabt/interp/interp.h>
#include <wabt/ir.h>
#include <wabt/stream.h>
#include <wabt/validator.h>
#include <wabt/wast-lexer.h>
#include <wabt/wast-parser.h>

#include <map>
#include <utility>

namespace txvm::tests {
namespace interp = wabt::interp;

std::vector<std::uint8_t> WabtBinary(const std::string& text) {
  wabt::Errors errors;
  const auto lexer = wabt::WastLexer::CreateBufferLexer("m", text.data(), text.size(), &errors);
  wabt::WastParseOptions options{wabt::Features()};
  std::unique_ptr<wabt::Module> module;
  if (wabt::Failed(wabt::ParseWatModule(lexer.get(), &module, &errors, &options))) return {};
  wabt::MemoryStream stream;
  if (wabt::Failed(wabt::WriteBinaryModule(&stream, module.get(), wabt::WriteBinaryOptions()))) {
    return {};
  }
  return stream.output_buffer().data;
}

struct WabtInstance::Impl {
  interp::Store store;
  interp::Module::Ptr module;
  interp::Instance::Ptr instance;
  std::map<std::string, interp::Ref> exports;
  std::string error;

  interp::Func::Ptr HostFunction(const std::string& name);
};

interp::Func::Ptr WabtInstance::Impl::HostFunction(const std::string& name) {
  const auto i32 = interp::ValueType::I32;
  if (name == "mix") {
    return interp::HostFunc::New(store, interp::FuncType({i32, i32}, {i32}),
                                 [](interp::Thread&, const interp::Values& params,
                                    interp::Values& results, interp::Trap::Ptr*) {
                                   const auto a = params[0].Get<std::uint32_t>(),
                                              b = params[1].Get<std::uint32_t>();
                                   results[0].Set<std::uint32_t>(31 * a + b);
                                   return wabt::Result(wabt::Result::Ok);
                                 });
  }
  return interp::HostFunc::New(store, interp::FuncType({i32}, {i32, i32}),
                               [](interp::Thread&, const interp::Values& params,
                                  interp::Values& results, interp::Trap::Ptr*) {
                                 const auto a = params[0].Get<std::uint32_t>();
                                 results[0].Set<std::uint32_t>(a + 1);
                                 results[1].Set<std::uint32_t>(a ^ 5);
                                 return wabt::Result(wabt::Result::Ok);
                               });
}

WabtInstance::WabtInstance() : impl_(std::make_unique<Impl>()) {}
WabtInstance::~WabtInstance() = default;

std::unique_ptr<WabtInstance> WabtInstance::Load(const std::vector<std::uint8_t>& binary) {
  std::unique_ptr<WabtInstance> out(new WabtInstance);
  Impl& impl = *out->impl_;
  wabt::Errors errors;
  interp::ModuleDesc desc;
  if (wabt::Failed(interp::ReadBinaryInterp("m", binary.data(), binary.size(),
                                            wabt::ReadBinaryOptions(), &errors, &desc))) {
    impl.error = errors.empty() ? "malformed" : errors[0].message;
    return out;
  }
  impl.module = interp::Module::New(impl.store, std::move(desc));
  interp::RefVec imports;
  std::vector<interp::Func::Ptr> keep;  // until the instance holds them
  for (const interp::ImportDesc& import : impl.module->desc().imports) {
    keep.push_back(impl.HostFunction(import.type.name));
    imports.push_back(keep.back()->self());
  }
  interp::Trap::Ptr trap;
  impl.instance = interp::Instance::Instantiate(impl.store, impl.module.ref(), imports, &trap);
  if (!impl.instance) {
    impl.error = trap ? trap->message() : "not instantiated";
    return out;
  }
  const auto& exports = impl.module->desc().exports;
  for (std::size_t i = 0; i < exports.size(); ++i) {
    impl.exports[exports[i].type.name] = impl.instance->exports()[i];
  }
  return out;
}

bool WabtInstance::ok() const { return impl_->error.empty(); }
const std::string& WabtInstance::error() const { return impl_->error; }

WabtOutcome WabtInstance::Call(const std::string& name, const std::vector<std::uint32_t>& args) {
  const auto function = impl_->store.UnsafeGet<interp::Func>(impl_->exports.at(name));
  interp::Values params, results;
  for (const std::uint32_t arg : args) params.push_back(interp::Value::Make(arg));
  interp::Trap::Ptr trap;
  WabtOutcome out;
  if (wabt::Failed(function->Call(impl_->store, params, results, &trap))) {
    out.trapped = true;
    out.message = trap ? trap->message() : "";
    return out;
  }
  for (const interp::Value& value : results) out.results.push_back(value.Get<std::uint32_t>());
  return out;
}

std::uint32_t WabtInstance::Global(const std::string& name) {
  return impl_->store.UnsafeGet<interp::Global>(impl_->exports.at(name))
      ->Get()
      .Get<std::uint32_t>();
}

const std::uint8_t* WabtInstance::MemoryData() {
  const auto found = impl_->exports.find("memory");
  if (found == impl_->exports.end()) return nullptr;
  return impl_->store.UnsafeGet<interp::Memory>(found->second)->UnsafeData();
}

std::size_t WabtInstance::MemorySize() {
  const auto found = impl_->exports.find("memory");
  if (found == impl_->exports.end()) return 0;
  return impl_->store.UnsafeGet<interp::Memory>(found->second)->ByteSize();
}

}  // namespace txvm::tests
