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

#include <algorithm>
#include <cstring>
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

namespace {

constexpr int kWordBits = 32;

bool IsWide(interp::ValueType type) {
  return type == interp::ValueType::I64 || type == interp::ValueType::F64;
}

template <typename To, typename From>
To Cast(From from) {  // this is C++17
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

bool IsReference(interp::ValueType type) {
  return type == interp::ValueType::FuncRef || type == interp::ValueType::ExternRef;
}

interp::Value NumberOf(interp::ValueType type, std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  if (type == interp::ValueType::I64) return interp::Value::Make(bits);
  if (type == interp::ValueType::F64) return interp::Value::Make(Cast<double>(bits));
  if (type == interp::ValueType::F32) return interp::Value::Make(Cast<float>(low));
  return interp::Value::Make(low);
}

std::uint64_t BitsOfNumber(interp::ValueType type, const interp::Value& value) {
  if (type == interp::ValueType::I64) return value.Get<std::uint64_t>();
  if (type == interp::ValueType::F64) return Cast<std::uint64_t>(value.Get<double>());
  if (type == interp::ValueType::F32) return Cast<std::uint32_t>(value.Get<float>());
  return value.Get<std::uint32_t>();
}

}  // namespace

/// What linked instances have in common.
struct Shared {
  interp::Store store;
  std::map<std::uint32_t, interp::Foreign::Ptr> externs;  // by their words
};

struct WabtInstance::Impl {
  std::shared_ptr<Shared> shared;
  interp::Module::Ptr module;
  interp::Instance::Ptr instance;
  std::map<std::string, interp::Ref> exports;
  std::string error;

  interp::Store& store() const { return shared->store; }
  interp::Func::Ptr HostFunction(const std::string& name);
  interp::Ref RefOf(interp::ValueType type, std::uint32_t word) const;
  std::uint32_t WordOf(interp::ValueType type, interp::Ref ref) const;
  interp::Value ValueOf(interp::ValueType type, std::uint64_t bits) const;
  std::uint64_t BitsOf(interp::ValueType type, const interp::Value& value) const;
  void AppendWords(interp::ValueType type, const interp::Value& value,
                   std::vector<std::uint32_t>& words) const;
};

interp::Ref WabtInstance::Impl::RefOf(interp::ValueType type, std::uint32_t word) const {
  if (word == 0) return interp::Ref::Null;
  if (type == interp::ValueType::FuncRef) return instance->funcs()[word - 1];
  interp::Foreign::Ptr& item = shared->externs[word];
  if (!item) item = interp::Foreign::New(shared->store, nullptr);
  return item->self();
}

std::uint32_t WabtInstance::Impl::WordOf(interp::ValueType type, interp::Ref ref) const {
  if (ref == interp::Ref::Null) return 0;
  if (type == interp::ValueType::FuncRef) {
    const interp::RefVec& functions = instance->funcs();
    const auto found = std::find(functions.begin(), functions.end(), ref);
    if (found == functions.end()) return kOtherFunction;
    return static_cast<std::uint32_t>(found - functions.begin() + 1);
  }
  for (const auto& [word, item] : shared->externs) {
    if (item->self() == ref) return word;
  }
  return kOtherFunction;
}

interp::Value WabtInstance::Impl::ValueOf(interp::ValueType type, std::uint64_t bits) const {
  if (!IsReference(type)) return NumberOf(type, bits);
  return interp::Value::Make(RefOf(type, static_cast<std::uint32_t>(bits)));
}

std::uint64_t WabtInstance::Impl::BitsOf(interp::ValueType type, const interp::Value& value) const {
  return IsReference(type) ? WordOf(type, value.Get<interp::Ref>()) : BitsOfNumber(type, value);
}

void WabtInstance::Impl::AppendWords(interp::ValueType type, const interp::Value& value,
                                     std::vector<std::uint32_t>& words) const {
  if (type == interp::ValueType::V128) {
    const auto vector = value.Get<v128>();
    for (int i = 0; i < 4; ++i) words.push_back(vector.u32(i));
    return;
  }
  const std::uint64_t bits = BitsOf(type, value);
  words.push_back(static_cast<std::uint32_t>(bits));
  if (IsWide(type)) words.push_back(static_cast<std::uint32_t>(bits >> kWordBits));
}

interp::Func::Ptr WabtInstance::Impl::HostFunction(const std::string& name) {
  const auto i32 = interp::ValueType::I32, i64 = interp::ValueType::I64;
  const auto f32 = interp::ValueType::F32, f64 = interp::ValueType::F64;
  if (name == "turn") {
    return interp::HostFunc::New(store(), interp::FuncType({f64, f32, i64}, {i64, f32, f64}),
                                 [](interp::Thread&, const interp::Values& params,
                                    interp::Values& results, interp::Trap::Ptr*) {
                                   results = {params[2], params[1], params[0]};
                                   return wabt::Result(wabt::Result::Ok);
                                 });
  }
  if (name == "mix") {
    return interp::HostFunc::New(store(), interp::FuncType({i32, i32}, {i32}),
                                 [](interp::Thread&, const interp::Values& params,
                                    interp::Values& results, interp::Trap::Ptr*) {
                                   const auto a = params[0].Get<std::uint32_t>(),
                                              b = params[1].Get<std::uint32_t>();
                                   results[0].Set<std::uint32_t>(31 * a + b);
                                   return wabt::Result(wabt::Result::Ok);
                                 });
  }
  return interp::HostFunc::New(store(), interp::FuncType({i32}, {i32, i32}),
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

std::unique_ptr<WabtInstance> WabtInstance::Load(
    const std::vector<std::uint8_t>& binary,
    const std::vector<std::unique_ptr<WabtInstance>>& earlier) {
  std::unique_ptr<WabtInstance> out(new WabtInstance);
  Impl& impl = *out->impl_;
  impl.shared = earlier.empty() ? std::make_shared<Shared>() : earlier[0]->impl_->shared;
  wabt::Errors errors;
  interp::ModuleDesc desc;
  if (wabt::Failed(interp::ReadBinaryInterp("m", binary.data(), binary.size(),
                                            wabt::ReadBinaryOptions(), &errors, &desc))) {
    impl.error = errors.empty() ? "malformed" : errors[0].message;
    return out;
  }
  impl.module = interp::Module::New(impl.store(), std::move(desc));
  interp::RefVec imports;
  std::vector<interp::Func::Ptr> keep;  // until the instance holds them
  for (const interp::ImportDesc& import : impl.module->desc().imports) {
    const std::string& from = import.type.module;
    if (from[0] == 'm') {
      imports.push_back(earlier[std::stoul(from.substr(1))]->impl_->exports.at(import.type.name));
      continue;
    }
    keep.push_back(impl.HostFunction(import.type.name));
    imports.push_back(keep.back()->self());
  }
  interp::Trap::Ptr trap;
  impl.instance = interp::Instance::Instantiate(impl.store(), impl.module.ref(), imports, &trap);
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
  const auto function = impl_->store().UnsafeGet<interp::Func>(impl_->exports.at(name));
  interp::Values params, results;
  std::size_t at = 0;
  for (const interp::ValueType type : function->type().params) {
    if (type == interp::ValueType::V128) {
      params.push_back(
          interp::Value::Make(v128(args[at], args[at + 1], args[at + 2], args[at + 3])));
      at += 4;
      continue;
    }
    std::uint64_t bits = args[at++];
    if (IsWide(type)) bits |= static_cast<std::uint64_t>(args[at++]) << kWordBits;
    params.push_back(impl_->ValueOf(type, bits));
  }
  interp::Trap::Ptr trap;
  WabtOutcome out;
  if (wabt::Failed(function->Call(impl_->store(), params, results, &trap))) {
    out.trapped = true;
    out.message = trap ? trap->message() : "";
    return out;
  }
  const interp::ValueTypes& types = function->type().results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    impl_->AppendWords(types[i], results[i], out.results);
  }
  return out;
}

std::uint64_t WabtInstance::Global(const std::string& name) {
  const auto global = impl_->store().UnsafeGet<interp::Global>(impl_->exports.at(name));
  return impl_->BitsOf(global->type().type, global->Get());
}

std::vector<std::uint32_t> WabtInstance::GlobalWords(const std::string& name) {
  const auto global = impl_->store().UnsafeGet<interp::Global>(impl_->exports.at(name));
  std::vector<std::uint32_t> words;
  impl_->AppendWords(global->type().type, global->Get(), words);
  return words;
}

const std::uint8_t* WabtInstance::MemoryData() {
  const auto found = impl_->exports.find("memory");
  if (found == impl_->exports.end()) return nullptr;
  return impl_->store().UnsafeGet<interp::Memory>(found->second)->UnsafeData();
}

std::size_t WabtInstance::MemorySize() {
  const auto found = impl_->exports.find("memory");
  if (found == impl_->exports.end()) return 0;
  return impl_->store().UnsafeGet<interp::Memory>(found->second)->ByteSize();
}

}  // namespace txvm::tests
