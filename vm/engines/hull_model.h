// The weights held sparse: one forward pass over integers, work skipped only where it is an exact
// zero.
//
// FACTS  (1) units whose gates differ in the bias alone share one dot product. (2) a gate that can
//        be positive only when some lane L is not 0 is 0 otherwise; when everything that writes L
//        is itself such, the requirement passes to the lane L depends on. Units are therefore kept
//        by the lane they require, and a lane that is 0 skips all of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isa/support/result.h"
#include "weights/model.h"

namespace txvm::vm {

/// A memory token as the history keeps it: the record's bytes, without what follows from them.
struct HullToken {
  std::array<std::uint8_t, 4> key;    // digits of the address
  std::array<std::uint8_t, 8> value;  // the record's values
  std::uint8_t space = 0;             // weights::Space
  std::uint8_t one = 1;               // the flag of its space
  std::uint8_t unused[2] = {0, 0};
};
static_assert(sizeof(HullToken) == 16);

/// The model laid out for HullPass. Immutable; may be shared by engines on any thread.
class HullModel {
 public:
  /// kInvalid, naming head and weight: CheckModel or CheckFloat32Exact refuses, a head is not of
  /// the digit form of model.h, or reads a field that tokens do not keep. `trusted`: the declared
  /// lane ranges hold (the model is CompileModel's), so that fact (2) may be used.
  static isa::Result<std::shared_ptr<const HullModel>> Create(const weights::Model& model,
                                                              bool trusted);

  std::size_t lanes() const { return lanes_; }
  /// The heads of all layers, in order. A folded model has no fetch head and needs no code tokens.
  std::vector<weights::HeadId> heads() const;
  /// Units that no lane's value can skip, and all units; for reports.
  std::size_t units() const { return units_.size(); }

 private:
  friend class HullPass;
  struct Term {
    std::uint32_t lane;
    std::int32_t weight;
  };
  struct Range {
    std::uint32_t begin, end;
  };
  struct WideTerm {
    std::uint32_t lane;
    std::int64_t weight;
  };
  struct Unit {
    std::int32_t gate_bias, up_bias;
    Range up, down;  // terms_
  };
  struct Family {  // units with one gate row, descending by bias
    Range gate;    // terms_
    Range units;
  };
  struct Group {  // families that are 0 where `lane` is
    std::uint32_t lane;
    Range families;
  };
  struct Value {
    std::uint32_t lane;
    std::uint32_t byte;  // of a HullToken
    std::int32_t weight;
  };
  struct Head {
    weights::HeadId id;
    weights::Space space;
    std::vector<WideTerm> query;  // the address: digits weighted by powers of 256
    std::int64_t query_bias;
    std::vector<Value> values;
  };
  struct Layer {
    std::vector<Head> heads;
    Range groups;
    bool reads_what_it_writes = false;
  };
  struct Row {
    Range terms;
    std::int32_t bias;
  };

  isa::Result<void> AddHead(const weights::Model& model, const weights::ModelHead& source,
                            Layer& layer);
  void AddFeedForward(const weights::Model& model, const weights::FeedForward& source, bool trusted,
                      Layer& layer);
  std::uint32_t RequiredLane(const weights::Model& model, std::span<const weights::Entry> gate,
                             std::int64_t largest_bias) const;
  void NoteWriters(std::span<const std::uint32_t> required, const weights::FeedForward& source);

  std::size_t lanes_ = 0;
  std::vector<Term> terms_;
  std::vector<Unit> units_;
  std::vector<Family> families_;
  std::vector<Group> groups_;
  std::vector<Layer> layers_;
  std::vector<Term> embed_;          // lane, and in `weight` the state field: weight 1 each
  std::vector<Row> outputs_;         // (kOutputFields,)
  std::vector<std::uint32_t> root_;  // by lane: the lane that must not be 0 for it to be, or itself
  std::vector<bool> has_writer_;     // by lane: units of an earlier layer write it
};

/// One forward pass after the other, on one model. Not thread-safe.
class HullPass {
 public:
  explicit HullPass(std::shared_ptr<const HullModel> model);

  /// attend(head id, space, address) gives the winning token, or nullptr when the space is empty.
  template <typename Attend>
  void Run(const weights::StateRecord& state, Attend attend) {
    Embed(state);
    for (const HullModel::Layer& layer : model_->layers_) {
      for (const HullModel::Head& head : layer.heads) {
        const HullToken* token = attend(head.id, head.space, Query(head));
        if (token != nullptr) AddValue(head, *token);
      }
      FeedForward(layer);
    }
  }

  /// The FFNs of layers `first` and later on a residual that holds `lanes` (lane, value) and is 0
  /// elsewhere: how single circuits are checked. Heads are not run.
  void RunLayersFrom(std::size_t first,
                     std::span<const std::pair<std::uint32_t, std::int32_t>> lanes);

  /// Field `field` of the state the pass produced.
  std::int32_t Output(std::size_t field) const;
  weights::StateRecord State() const;
  /// Write token `slot`; nullopt when it has no space. ok: set to false when its fields are no
  /// token (an edited model can produce such).
  struct Write {
    bool present = false, valid = true;
    HullToken token{};
  };
  Write WriteToken(std::size_t slot) const;

  std::span<const std::int32_t> lanes() const { return x_; }

 private:
  void Embed(const weights::StateRecord& state);
  std::int64_t Query(const HullModel::Head& head) const;
  void AddValue(const HullModel::Head& head, const HullToken& token);
  void FeedForward(const HullModel::Layer& layer);
  template <typename X>
  void RunFamily(const HullModel::Family& family, const X* x);

  std::shared_ptr<const HullModel> model_;
  std::vector<std::int32_t> x_;     // (lanes,) residual
  std::vector<std::int32_t> copy_;  // (lanes,) for layers that read what they write
};

}  // namespace txvm::vm
