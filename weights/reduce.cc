#include "weights/reduce.h"

#include <algorithm>
#include <functional>

namespace txvm::weights {
namespace {

/// Drops the entries for which `gone` holds; whether there were any.
bool EraseEntries(SparseMatrix& matrix, const std::function<bool(const Entry&)>& gone) {
  return std::erase_if(matrix.entries, gone) != 0;
}

bool EraseColumns(SparseMatrix& matrix, const std::vector<bool>& gone) {
  return EraseEntries(matrix, [&](const Entry& e) { return gone[e.column]; });
}
bool EraseRows(SparseMatrix& matrix, const std::vector<bool>& gone) {
  return EraseEntries(matrix, [&](const Entry& e) { return gone[e.row]; });
}

void MarkColumns(std::vector<bool>& marks, const SparseMatrix& matrix) {
  for (const Entry& e : matrix.entries) marks[e.column] = true;
}
void MarkRows(std::vector<bool>& marks, const SparseMatrix& matrix) {
  for (const Entry& e : matrix.entries) marks[e.row] = true;
}

/// New places of what is kept, in order.
std::vector<std::uint32_t> Places(const std::vector<bool>& kept) {
  std::vector<std::uint32_t> places(kept.size(), 0);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) places[i] = next++;
  }
  return places;
}

std::uint32_t CountOf(const std::vector<bool>& kept) {
  return static_cast<std::uint32_t>(std::ranges::count(kept, true));
}

void KeepRows(SparseMatrix& matrix, const std::vector<bool>& kept) {
  const std::vector<std::uint32_t> places = Places(kept);
  EraseEntries(matrix, [&](const Entry& e) { return !kept[e.row]; });
  for (Entry& e : matrix.entries) e.row = places[e.row];
  matrix.rows = CountOf(kept);
}

void KeepColumns(SparseMatrix& matrix, const std::vector<bool>& kept) {
  const std::vector<std::uint32_t> places = Places(kept);
  EraseEntries(matrix, [&](const Entry& e) { return !kept[e.column]; });
  for (Entry& e : matrix.entries) e.column = places[e.column];
  matrix.columns = CountOf(kept);
}

void KeepElements(std::vector<std::int32_t>& vector, const std::vector<bool>& kept) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) vector[next++] = vector[i];
  }
  vector.resize(next);
}

// Every step only takes away, so they may be repeated until none finds anything.
class Reducer {
 public:
  explicit Reducer(Model model) : model_(std::move(model)), width_(model_.lanes.size()) {}

  Model Run() && {
    for (bool changed = true; changed;) {
      changed = DropZeroLanes();
      for (ModelLayer& layer : model_.layers) changed = DropClosedUnits(layer.ffn) || changed;
      changed = DropUnread() || changed;
    }
    Compact();
    return std::move(model_);
  }

 private:
  using Marks = std::vector<bool>;

  bool DropZeroLanes();
  bool DropClosedUnits(FeedForward& ffn);
  bool DropUnread();
  Marks LiveLanes() const;
  void Compact();
  bool KeepUnits(FeedForward& ffn, const Marks& kept);

  Model model_;
  std::size_t width_;
};

bool Reducer::KeepUnits(FeedForward& ffn, const Marks& kept) {
  if (CountOf(kept) == kept.size()) return false;
  KeepRows(ffn.w_gate, kept);
  KeepRows(ffn.w_up, kept);
  KeepColumns(ffn.w_down, kept);
  KeepElements(ffn.b_gate, kept);
  KeepElements(ffn.b_up, kept);
  return true;
}

/// Lanes nobody writes, or declared 0, have no influence and need no writer.
bool Reducer::DropZeroLanes() {
  Marks written(width_, false);
  MarkRows(written, model_.w_embed);
  for (const ModelLayer& layer : model_.layers) {
    for (const ModelHead& head : layer.heads) MarkRows(written, head.w_o);
    MarkRows(written, layer.ffn.w_down);
  }
  Marks zero(width_);
  for (std::size_t i = 0; i < width_; ++i) {
    const LaneInfo& lane = model_.lanes[i];
    zero[i] = !written[i] || (lane.low == 0 && lane.high == 0);
  }
  bool changed = EraseColumns(model_.w_out, zero);
  for (ModelLayer& layer : model_.layers) {
    for (ModelHead& head : layer.heads) {
      changed = EraseColumns(head.w_q, zero) || changed;
      changed = EraseRows(head.w_o, zero) || changed;
    }
    changed = EraseColumns(layer.ffn.w_gate, zero) || changed;
    changed = EraseColumns(layer.ffn.w_up, zero) || changed;
    changed = EraseRows(layer.ffn.w_down, zero) || changed;
  }
  return changed;
}

/// Units whose gate is never positive, or whose factor is 0.
bool Reducer::DropClosedUnits(FeedForward& ffn) {
  std::vector<std::int64_t> largest(ffn.b_gate.begin(), ffn.b_gate.end());
  for (const Entry& e : ffn.w_gate.entries) {
    const LaneInfo& lane = model_.lanes[e.column];
    const std::int64_t weight = e.weight;
    largest[e.row] += std::max(weight * std::min(lane.low, 0), weight * std::max(lane.high, 0));
  }
  Marks factor(ffn.b_up.size(), false);
  MarkRows(factor, ffn.w_up);
  Marks kept(ffn.b_up.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] = largest[i] > 0 && (factor[i] || ffn.b_up[i] != 0);
  }
  return KeepUnits(ffn, kept);
}

/// Lanes something that reaches the output reads.
Reducer::Marks Reducer::LiveLanes() const {
  Marks live(width_, false);
  MarkColumns(live, model_.w_out);
  const auto mark_units = [&](const FeedForward& ffn) {
    Marks units(ffn.b_gate.size(), false);
    for (const Entry& e : ffn.w_down.entries) {
      if (live[e.row]) units[e.column] = true;
    }
    for (const SparseMatrix* matrix : {&ffn.w_gate, &ffn.w_up}) {
      for (const Entry& e : matrix->entries) {
        if (units[e.row]) live[e.column] = true;
      }
    }
  };
  const auto mark_head = [&](const ModelHead& head) {
    const auto reaches = [&](const Entry& e) { return live[e.row]; };
    if (std::ranges::none_of(head.w_o.entries, reaches)) return;
    for (const SparseMatrix* matrix : {&head.w_q, &head.w_k, &head.w_v}) MarkColumns(live, *matrix);
  };
  // A lane is read only by layers after its writers or, for sums, by later writers' readers: one
  // walk from the last layer to the first would do; repeating it makes the order irrelevant.
  for (std::uint32_t before = 0, now = CountOf(live); now != before; now = CountOf(live)) {
    before = now;
    for (auto layer = model_.layers.rbegin(); layer != model_.layers.rend(); ++layer) {
      mark_units(layer->ffn);
      for (const ModelHead& head : layer->heads) mark_head(head);
    }
  }
  return live;
}

/// Writers of lanes nobody reads; units, values and heads that write nothing any more.
bool Reducer::DropUnread() {
  const Marks live = LiveLanes();
  Marks dead(width_);
  for (std::size_t i = 0; i < width_; ++i) dead[i] = !live[i];
  bool changed = false;
  for (ModelLayer& layer : model_.layers) {
    changed = EraseRows(layer.ffn.w_down, dead) || changed;
    Marks writes(layer.ffn.b_gate.size(), false);
    MarkColumns(writes, layer.ffn.w_down);
    changed = KeepUnits(layer.ffn, writes) || changed;
    for (ModelHead& head : layer.heads) {
      changed = EraseRows(head.w_o, dead) || changed;
      Marks values(head.w_v.rows, false);
      MarkColumns(values, head.w_o);
      if (CountOf(values) == values.size()) continue;
      KeepRows(head.w_v, values);
      KeepColumns(head.w_o, values);
      changed = true;
    }
    const auto empty = [](const ModelHead& head) { return head.w_v.rows == 0; };
    changed = std::erase_if(layer.heads, empty) != 0 || changed;
  }
  return changed;
}

/// Renumbers the lanes that are left and removes empty layers.
void Reducer::Compact() {
  const Marks live = LiveLanes();
  KeepRows(model_.w_embed, live);
  KeepColumns(model_.w_out, live);
  for (ModelLayer& layer : model_.layers) {
    for (ModelHead& head : layer.heads) {
      KeepColumns(head.w_q, live);
      KeepColumns(head.w_k, live);
      KeepColumns(head.w_v, live);
      KeepRows(head.w_o, live);
    }
    KeepColumns(layer.ffn.w_gate, live);
    KeepColumns(layer.ffn.w_up, live);
    KeepRows(layer.ffn.w_down, live);
  }
  std::vector<LaneInfo> lanes;
  for (std::size_t i = 0; i < width_; ++i) {
    if (live[i]) lanes.push_back(model_.lanes[i]);
  }
  model_.lanes = std::move(lanes);
  std::erase_if(model_.layers, [](const ModelLayer& layer) {
    return layer.heads.empty() && layer.ffn.b_gate.empty();
  });
}

}  // namespace

Model Reduce(Model model) { return Reducer(std::move(model)).Run(); }

}  // namespace txvm::weights
