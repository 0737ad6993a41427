// Declared in vm/folded/folded_engine.h. Some of it is in attached.h.
// WebAssembly makes no machine code, and takes none: the engine runs as native.
#include "vm/folded/attached.h"
#include "vm/folded/folded_engine.h"

namespace txvm::vm {
namespace {

class NativeInstead final : public Engine {
 public:
  explicit NativeInstead(const EngineContext& context) : native_(MakeNativeEngine(context)) {}
  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override {
    return native_->Run(state, fuel, observer);
  }
  Stop RunSome(State& state, std::uint64_t fuel, std::uint64_t enough) override {
    return native_->RunSome(state, fuel, enough);
  }
  bool Forget() override { return native_->Forget(); }
  std::string_view Substitute(bool) const override { return WhyNotFolded(); }

 private:
  std::unique_ptr<Engine> native_;
};

}  // namespace

std::unique_ptr<Engine> MakeFoldedEngine(const EngineContext& context) {
  return std::make_unique<NativeInstead>(context);
}

std::string_view WhyNotFolded() {
  return "engine folded runs as native: WebAssembly makes no machine code";
}

namespace folded {

isa::Result<void> Attach(const Prepared&, const txvm_folded_program&) {
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   "this build of txvm attaches no folded program: run it with another engine");
}

}  // namespace folded
}  // namespace txvm::vm
