// Function bodies: decodes, validates and builds the flat list of instructions in one walk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/cursor.h"
#include "frontends/wasm/declarations.h"
#include "frontends/wasm/module.h"
#include "frontends/wasm/opcodes.h"
#include "frontends/wasm/reader.h"
#include "frontends/wasm/signatures.h"

namespace txvm::frontends::wasm {

/// The validator of the specification's appendix, and a builder of wat::Function beside it.
/// INVARIANT: frames_ holds the open constructs, outermost first, and operands_ the types of the
/// values on the stack; kUnknown stands for a value that only code after a branch can have.
class BodyReader {
 public:
  /// `helper` gives the index of the function that does the work of memory.copy or memory.fill.
  BodyReader(wat::Module& module, const Declarations& declarations, SignatureTable& signatures,
             std::function<std::uint32_t(std::string_view)> helper, const ReadOptions& options,
             std::uint64_t max_type_values)
      : module_(module),
        declarations_(declarations),
        signatures_(signatures),
        helper_(std::move(helper)),
        options_(options),
        type_values_left_(max_type_values) {}

  /// Reads the locals and instructions that `cursor` spans into `out`. The first fault is the
  /// cursor's. No recursion; what it keeps between calls is memory alone.
  void Read(Cursor& cursor, wat::Function& out);

  /// Receives instructions that nobody keeps, some at a time.
  using Sink = std::function<void(std::span<const wat::Instr>)>;
  /// The same, but hands the instructions to `sink` as they come; `out` gets no body, locals and
  /// labels.
  void Pass(Cursor& cursor, wat::Function& out, const Sink& sink);

 private:
  enum class FrameKind : std::uint8_t {
    kFunction,
    kBlock,
    kLoop,
    kIf,
    kElse,
    kTry,
    kCatch,
    kCatchAll
  };
  /// An open construct.
  struct Frame {
    FrameKind kind = FrameKind::kFunction;
    bool is_unreachable = false;
    std::uint32_t signature = 0;
    std::uint32_t height = 0;  // operands below it
    std::uint32_t inits = 0;   // initialised_ when it was opened
  };
  using Types = std::vector<ValueType>;
  static constexpr ValueType kUnknown = ValueType::kOther;
  static constexpr std::size_t kVectorBytes = 16;

  // Locals and the walk.
  void Walk(Cursor& cursor, wat::Function& out, const Sink* sink);
  void ReadLocals();
  void Step();
  Op NextOp();
  void Refuse(Op op);
  void Execute(Op op);
  void ExecuteControl(Op op);
  void ExecuteReference(Op op);
  void ExecuteTable(Op op);
  void ExecuteMemory(Op op);
  std::uint32_t MemoryIndex();
  void ExecuteConst(Op op);
  void ExecuteSingle(Op op);
  void ExecutePlain(Op op, std::uint32_t offset = 0, std::uint32_t lane = 0,
                    bool has_long_address = false);
  void ExecuteAccess(Op op);

  // Control.
  std::uint32_t BlockType();
  void Open(FrameKind kind, std::uint32_t signature);
  void Else();
  void End();
  Frame Close();
  const Types& LabelTypes(std::uint32_t label) const;
  bool CheckLabel(std::uint32_t label);
  void Branch(Op op);
  void BranchTable();
  void BranchOnNull(Op op);
  void AsNonNull();
  void Call(Op op);
  void CallReference(Op op);
  void CallIndirect(Op op);
  void CallSignature(Op op, std::uint32_t signature);
  void Return();

  // Exceptions: body_exceptions.cc.
  void ExecuteException(Op op);
  void TryTable();
  wat::CatchClause Clause();
  void Catch(Op op);
  void Delegate();
  void Rethrow();
  const Types* TagTypes(std::uint32_t tag);

  // Single instructions.
  void Select(Op op);
  void Local(Op op);
  void Global(Op op);
  /// What follows the code of a load or store.
  struct MemoryImmediate {
    std::uint64_t offset = 0;
    std::uint32_t lane = 0, memory = 0;
  };
  MemoryImmediate Access(const OpInfo& info);
  std::array<std::uint8_t, kVectorBytes> Lanes(const OpInfo& info);
  void Shuffle();
  void CheckMemory(std::uint32_t index);
  void ZeroByte();
  void CheckData(std::uint32_t index);
  bool IsOnlyMemory() const;
  ValueType AddressType(std::uint32_t memory) const;
  ValueType IndexType(std::uint32_t table) const;
  ValueType CountType(ValueType left, ValueType right) const;

  // Which instruction pushed what, where it is asked for: trace.cc.
  void TraceBefore();
  void TraceAfter();
  void TraceFault();

  // Operands.
  void Push(ValueType type) { operands_.push_back(type); }
  void PushAll(const Types& types);
  ValueType PopAny();
  ValueType PopReference();
  bool Matches(ValueType type, ValueType expected) const;
  void Uninitialise(const Frame& frame);
  void Pop(ValueType expected);
  void PopAll(const Types& types);
  void CheckTop(const Types& types);
  void SetUnreachable();
  void Spend(std::size_t values);

  // Output.
  void Emit(wat::InstrKind kind, std::uint32_t a = 0, std::uint32_t b = 0,
            isa::Opcode op = isa::Opcode::kNop) {
    code_.push_back({kind, op, a, b, static_cast<std::uint32_t>(start_)});
  }
  void EmitUnsupported(std::string_view name);

  /// The text of the current instruction.
  std::string_view Text() const { return InfoOf(op_).text; }

  void Fail(isa::ErrorCode code, std::string message) {
    cursor_->Fail(code, std::move(message), start_);
  }
  void Invalid(std::string message) { Fail(isa::ErrorCode::kInvalid, std::move(message)); }

  wat::Module& module_;
  const Declarations& declarations_;
  SignatureTable& signatures_;
  std::function<std::uint32_t(std::string_view)> helper_;
  const ReadOptions& options_;
  std::uint64_t type_values_left_;
  std::uint64_t module_locals_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> unsupported_;

  // Of the function being read.
  Cursor* cursor_ = nullptr;
  wat::Function* out_ = nullptr;
  std::size_t start_ = 0;                   // of the current instruction
  Op op_ = Op::kEnd;                        // it
  Types locals_;                            // parameters first
  std::vector<bool> is_initialised_;        // (locals_,) only those are read
  std::vector<std::uint32_t> initialised_;  // locals that became so, in order
  Types operands_;
  std::vector<Frame> frames_;
  std::size_t low_ = 0;  // operands left where the instruction popped most; 0 without a trace
  std::vector<std::size_t> origins_;  // (operands,) of a trace
  std::vector<FaultOperand> top_;     // of a trace, in front of the instruction
  std::vector<wat::Instr> code_;
};

}  // namespace txvm::frontends::wasm
