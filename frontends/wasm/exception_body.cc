#include "frontends/wasm/exception_body.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/wasm/zeros.h"

namespace txvm::frontends::wat {
namespace {

using isa::Opcode;

bool IsOfExceptions(InstrKind kind) {
  return kind >= InstrKind::kTry && kind <= InstrKind::kExnIsNull;
}

/// Walks one body. A try becomes two blocks: `br` to the outer one is its end, `br` to the inner
/// one, which has no values, is where its handlers are told apart.
/// INVARIANT: open_ counts the blocks open in out_, the function among them.
class BodyLowerer {
 public:
  BodyLowerer(Function& function, const Throwers& throwers, ExceptionValues& values,
              const Module& module)
      : function_(function),
        throwers_(throwers),
        values_(values),
        module_(module),
        tries_(FindTries(function)),
        params_(CountOf(module.SignatureOf(function).params)),
        nothing_(values.SignatureOf({})) {}

  bool Run(std::size_t most) &&;

 private:
  enum class Kind : std::uint8_t { kPlain, kTryTable, kTry, kCatch, kCatchAll };
  /// A construct of the source. `depth`: open_ inside its block, which its label is. `handler`:
  /// open_ inside the block that code directly in it branches to with an exception; none: it leaves
  /// the function.
  struct Frame {
    Kind kind = Kind::kPlain;
    std::uint32_t depth = 0;
    std::optional<std::uint32_t> handler = {};
    std::uint32_t clauses = 0;                 // kTryTable: in Function::catches
    std::uint32_t number = 0;                  // kTry and after: in tries_
    std::optional<std::uint32_t> level = {};   // of saved values, in a catch that is rethrown
    std::uint32_t levels = 0;                  // taken around it and by it
    std::optional<std::uint32_t> caught = {};  // kCatch: the tag
  };
  /// Locals that keep the exception of a catch for its rethrow: catches inside each other have
  /// levels of their own.
  struct Saved {
    std::uint32_t pending = 0;
    std::vector<std::optional<std::uint32_t>> first;  // (tags,) the local of the first value
  };

  void Visit(const Instr& instr);
  void OpenPlain(const Instr& instr);
  void OpenTry(const Instr& instr, Kind kind, bool has_handlers);
  void TryBegin(const Instr& instr);
  void CatchBegin(const Instr& instr);
  void LeaveBody(Frame& frame);
  void End(const Instr& instr);
  void Clauses(const Frame& frame);
  void CheckTag(std::uint32_t tag);
  void Leave(std::optional<std::uint32_t> handler);
  void Check();
  void BranchTable(const Instr& instr);
  void Rethrow(const Frame& frame);
  void Save(Frame& frame);
  Saved& LevelOf(std::uint32_t level);
  std::uint32_t FirstSaved(Saved& saved, std::uint32_t tag);
  std::uint32_t NewLocal(ValueType type) {
    function_.locals.push_back(type);
    return params_ + CountOf(function_.locals) - 1;
  }

  std::uint32_t Label(std::uint32_t source) const {
    return open_ - frames_[frames_.size() - 1 - source].depth;
  }
  void Add(InstrKind kind, std::uint32_t a = 0, std::uint32_t b = 0, Opcode op = Opcode::kNop) {
    out_.push_back({kind, op, a, b, place_});
  }
  void OpenBlock(InstrKind kind, std::uint32_t signature) {
    Add(kind, signature);
    ++open_;
  }
  void CloseBlock() {
    Add(InstrKind::kEnd);
    --open_;
  }
  void BranchTo(std::uint32_t depth) { Add(InstrKind::kBr, open_ - depth); }

  Function& function_;
  const Throwers& throwers_;
  ExceptionValues& values_;
  const Module& module_;
  std::vector<TryShape> tries_;
  std::uint32_t next_try_ = 0;
  std::uint32_t params_;
  std::uint32_t nothing_;  // the signature without values
  std::vector<Frame> frames_;
  std::vector<Saved> levels_;
  std::vector<Instr> out_;
  std::uint32_t open_ = 1;
  decltype(Instr::place) place_ = 0;
};

void BodyLowerer::OpenPlain(const Instr& instr) {
  out_.push_back(instr);
  const Frame& outer = frames_.back();
  frames_.push_back({.depth = ++open_, .handler = outer.handler, .levels = outer.levels});
}

void BodyLowerer::OpenTry(const Instr& instr, Kind kind, bool has_handlers) {
  OpenBlock(InstrKind::kBlock, instr.a);
  const Frame& outer = frames_.back();
  Frame frame{.kind = kind, .depth = open_, .handler = outer.handler, .levels = outer.levels};
  if (has_handlers) {
    OpenBlock(InstrKind::kBlock, values_.SignatureOf({module_.signatures[instr.a].params, {}}));
    frame.handler = open_;
  }
  frames_.push_back(frame);
}

void BodyLowerer::TryBegin(const Instr& instr) {
  const std::uint32_t number = next_try_++;
  const TryShape& shape = tries_[number];
  std::optional<std::uint32_t> target;
  if (shape.delegate) target = frames_[frames_.size() - 1 - *shape.delegate].handler;
  OpenTry(instr, Kind::kTry, shape.has_catch);
  frames_.back().number = number;
  if (shape.delegate) frames_.back().handler = target;
}

/// Ends the body of a try, or its catch before.
void BodyLowerer::LeaveBody(Frame& frame) {
  BranchTo(frame.depth);
  CloseBlock();
  frame.handler = frames_[frames_.size() - 2].handler;
}

void BodyLowerer::CatchBegin(const Instr& instr) {
  Frame& frame = frames_.back();
  LeaveBody(frame);
  if (instr.kind == InstrKind::kCatch) {
    frame.kind = Kind::kCatch;
    frame.caught = instr.a;
    CheckTag(instr.a);
  } else {
    frame.kind = Kind::kCatchAll;
    frame.caught.reset();
  }
  if (tries_[frame.number].is_rethrown) Save(frame);
  if (frame.caught) values_.AppendLoad(*frame.caught, place_, out_);
  values_.AppendPending(std::nullopt, place_, out_);
}

/// Opens an if for the exception of a tag.
void BodyLowerer::CheckTag(std::uint32_t tag) {
  Add(InstrKind::kGlobalGet, values_.cells().pending);
  Add(InstrKind::kConst, tag + 1);
  Add(InstrKind::kOp, 0, 0, Opcode::kEq);
  OpenBlock(InstrKind::kIf, nothing_);
}

/// Goes where a pending exception goes.
void BodyLowerer::Leave(std::optional<std::uint32_t> handler) {
  if (handler) return BranchTo(*handler);
  AppendZeros(module_.SignatureOf(function_).results, place_, out_);
  Add(InstrKind::kReturn);
}

/// After a call.
void BodyLowerer::Check() {
  const std::optional<std::uint32_t> handler = frames_.back().handler;
  Add(InstrKind::kGlobalGet, values_.cells().pending);
  if (handler) return Add(InstrKind::kBrIf, open_ - *handler);
  OpenBlock(InstrKind::kIf, nothing_);
  Leave(handler);
  CloseBlock();
}

void BodyLowerer::Clauses(const Frame& frame) {
  for (const CatchClause& clause : function_.catches[frame.clauses]) {
    const std::uint32_t target = frames_[frames_.size() - 1 - clause.label].depth;
    if (clause.tag) {
      CheckTag(*clause.tag);
      values_.AppendLoad(*clause.tag, place_, out_);
    }
    if (clause.has_reference) values_.AppendCapture(clause.tag, place_, out_);
    values_.AppendPending(std::nullopt, place_, out_);
    BranchTo(target);
    if (!clause.tag) return;
    CloseBlock();
  }
  Leave(frames_.back().handler);
}

void BodyLowerer::End(const Instr& instr) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  const bool has_handlers = frame.kind == Kind::kTryTable;
  if (has_handlers) {
    BranchTo(frame.depth);
    CloseBlock();
    Clauses(frame);
  } else if (frame.kind == Kind::kCatch) {
    BranchTo(frame.depth);
    CloseBlock();
    Leave(frames_.back().handler);
  }
  --open_;
  Add(InstrKind::kEnd);
  static_cast<void>(instr);
}

void BodyLowerer::BranchTable(const Instr& instr) {
  const auto first = function_.labels.begin() + static_cast<std::ptrdiff_t>(instr.a);
  for (auto label = first; label != first + static_cast<std::ptrdiff_t>(instr.b); ++label) {
    *label = Label(*label);
  }
  out_.push_back(instr);
}

BodyLowerer::Saved& BodyLowerer::LevelOf(std::uint32_t level) {
  while (levels_.size() <= level) {
    levels_.push_back({NewLocal(ValueType::kI32), {}});
    levels_.back().first.resize(module_.tags.size());
  }
  return levels_[level];
}

std::uint32_t BodyLowerer::FirstSaved(Saved& saved, std::uint32_t tag) {
  if (!saved.first[tag]) {
    saved.first[tag] = params_ + CountOf(function_.locals);
    for (const ValueType type : values_.TypesOf(tag)) (void)NewLocal(type);
  }
  return *saved.first[tag];
}

/// Keeps the exception of a catch in locals.
void BodyLowerer::Save(Frame& frame) {
  frame.level = frames_[frames_.size() - 2].levels;
  frame.levels = *frame.level + 1;
  Saved& saved = LevelOf(*frame.level);
  Add(InstrKind::kGlobalGet, values_.cells().pending);
  Add(InstrKind::kLocal, saved.pending, 0, Opcode::kLocalSet);
  for (std::uint32_t tag = 0; tag < module_.tags.size(); ++tag) {
    if (frame.caught && *frame.caught != tag) continue;
    const std::uint32_t first = FirstSaved(saved, tag);
    values_.AppendLoad(tag, place_, out_);
    for (std::uint32_t i = CountOf(values_.TypesOf(tag)); i-- > 0;) {
      Add(InstrKind::kLocal, first + i, 0, Opcode::kLocalSet);
    }
  }
}

/// Puts back what Save has kept: of all tags where it is not known which it is, since the cells of
/// the others mean nothing while this one is pending.
void BodyLowerer::Rethrow(const Frame& frame) {
  Saved& saved = LevelOf(*frame.level);
  for (std::uint32_t tag = 0; tag < module_.tags.size(); ++tag) {
    if (frame.caught && *frame.caught != tag) continue;
    const std::uint32_t first = FirstSaved(saved, tag);
    for (std::uint32_t i = 0; i < values_.TypesOf(tag).size(); ++i) {
      Add(InstrKind::kLocal, first + i, 0, Opcode::kLocalGet);
    }
    values_.AppendStore(tag, place_, out_);
  }
  Add(InstrKind::kLocal, saved.pending, 0, Opcode::kLocalGet);
  Add(InstrKind::kGlobalSet, values_.cells().pending);
  Leave(frames_.back().handler);
}

void BodyLowerer::Visit(const Instr& instr) {
  place_ = instr.place;
  switch (instr.kind) {
    case InstrKind::kBlock:
    case InstrKind::kLoop:
    case InstrKind::kIf:
      return OpenPlain(instr);
    case InstrKind::kTryTable: {
      const bool has_handlers = !function_.catches[instr.b].empty();
      OpenTry(instr, has_handlers ? Kind::kTryTable : Kind::kPlain, has_handlers);
      frames_.back().clauses = instr.b;
      return;
    }
    case InstrKind::kTry:
      return TryBegin(instr);
    case InstrKind::kCatch:
    case InstrKind::kCatchAll:
      return CatchBegin(instr);
    case InstrKind::kEnd:
    case InstrKind::kDelegate:
      return End(instr);
    case InstrKind::kBr:
    case InstrKind::kBrIf:
    case InstrKind::kBrOnNull:
    case InstrKind::kBrOnNonNull:
      return Add(instr.kind, Label(instr.a));
    case InstrKind::kBrTable:
      return BranchTable(instr);
    case InstrKind::kThrow:
      values_.AppendStore(instr.a, place_, out_);
      values_.AppendPending(instr.a, place_, out_);
      return Leave(frames_.back().handler);
    case InstrKind::kThrowRef:
      values_.AppendRelease(place_, out_);
      return Leave(frames_.back().handler);
    case InstrKind::kRethrow:
      return Rethrow(frames_[frames_.size() - 1 - instr.a]);
    case InstrKind::kExnNull:
      return values_.AppendNull(place_, out_);
    case InstrKind::kExnIsNull:
      return values_.AppendIsNull(place_, out_);
    default:
      out_.push_back(instr);
      if (throwers_.FromCall(instr)) Check();
  }
}

bool BodyLowerer::Run(std::size_t most) && {
  frames_.push_back({.depth = open_});
  for (const Instr& instr : function_.body) {
    Visit(instr);
    if (out_.size() > most) return false;
  }
  function_.body.assign(out_.begin(), out_.end());
  function_.catches.clear();
  return true;
}

}  // namespace

bool NeedsExceptionBody(const Function& function, const Throwers& throwers) {
  return std::ranges::any_of(function.body, [&throwers](const Instr& instr) {
    return IsOfExceptions(instr.kind) || throwers.FromCall(instr);
  });
}

bool LowerExceptionBody(Function& function, const Throwers& throwers, ExceptionValues& values,
                        const Module& module, std::size_t most) {
  return BodyLowerer(function, throwers, values, module).Run(most);
}

}  // namespace txvm::frontends::wat
