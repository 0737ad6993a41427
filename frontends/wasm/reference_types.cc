#include "frontends/wasm/reference_types.h"

#include <cstddef>
#include <set>
#include <utility>

namespace txvm::frontends::wat {
namespace {

bool IsOfSignature(Heap heap) { return heap >= Heap::kFirstSignature; }

/// Whether references to `sub` are references to `super`, where one is no signature.
bool IsAbstractSubheap(Heap sub, Heap super) {
  if (sub == super || sub == Heap::kNoFunc) return IsFunctionHeap(super) || sub == super;
  if (super == Heap::kFunc) return IsFunctionHeap(sub);
  return super == Heap::kExtern && sub == Heap::kNoExtern;
}

/// Compares signatures of two modules. Pairs that are being compared count as equal.
class Comparison {
 public:
  Comparison(const Module& from, const Module& to) : from_(from), to_(to) {}

  bool AreEqual(std::uint32_t left, std::uint32_t right) {
    if (!open_.insert({left, right}).second) return true;
    const Signature &a = from_.signatures[left], &b = to_.signatures[right];
    const auto super_a = from_.supertypes.find(left), super_b = to_.supertypes.find(right);
    const bool has_a = super_a != from_.supertypes.end(), has_b = super_b != to_.supertypes.end();
    if (has_a != has_b || (has_a && !AreEqual(super_a->second, super_b->second))) return false;
    return AreEqual(a.params, b.params) && AreEqual(a.results, b.results);
  }

  bool IsSub(std::uint32_t sub, std::uint32_t super) {
    while (true) {
      open_.clear();
      if (AreEqual(sub, super)) return true;
      const auto next = from_.supertypes.find(sub);
      if (next == from_.supertypes.end()) return false;
      sub = next->second;
    }
  }

 private:
  bool AreEqual(const std::vector<ValueType>& left, const std::vector<ValueType>& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!AreEqual(left[i], right[i])) return false;
    }
    return true;
  }
  bool AreEqual(ValueType left, ValueType right) {
    if (!IsReference(left) || !IsReference(right)) return left == right;
    const Heap a = HeapOf(left), b = HeapOf(right);
    if (!IsOfSignature(a) || !IsOfSignature(b)) return left == right;
    return IsNullable(left) == IsNullable(right) &&
           AreEqual(SignatureOfHeap(a), SignatureOfHeap(b));
  }

  const Module &from_, &to_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> open_;
};

}  // namespace

bool IsSubsignature(const Module& module, std::uint32_t sub, std::uint32_t super) {
  while (sub != super) {
    const auto next = module.supertypes.find(sub);
    if (next == module.supertypes.end()) return false;
    sub = next->second;
  }
  return true;
}

bool IsSubtype(const Module& module, ValueType sub, ValueType super) {
  if (sub == super) return true;
  if (!IsReference(sub) || !IsReference(super)) return false;
  if (IsNullable(sub) && !IsNullable(super)) return false;
  const Heap from = HeapOf(sub), to = HeapOf(super);
  if (!IsOfSignature(from) || !IsOfSignature(to)) return IsAbstractSubheap(from, to);
  return IsSubsignature(module, SignatureOfHeap(from), SignatureOfHeap(to));
}

bool AreSubtypes(const Module& module, const std::vector<ValueType>& sub,
                 const std::vector<ValueType>& super) {
  if (sub.size() != super.size()) return false;
  for (std::size_t i = 0; i < sub.size(); ++i) {
    if (!IsSubtype(module, sub[i], super[i])) return false;
  }
  return true;
}

bool IsSubtypeAcross(const Module& from, ValueType sub, const Module& to, ValueType super) {
  if (!IsReference(sub) || !IsReference(super)) return sub == super;
  if (IsNullable(sub) && !IsNullable(super)) return false;
  const Heap left = HeapOf(sub), right = HeapOf(super);
  if (!IsOfSignature(left) || !IsOfSignature(right)) return IsAbstractSubheap(left, right);
  return Comparison(from, to).IsSub(SignatureOfHeap(left), SignatureOfHeap(right));
}

bool IsSubsignatureAcross(const Module& from, std::uint32_t sub, const Module& to,
                          std::uint32_t super) {
  return Comparison(from, to).IsSub(sub, super);
}

}  // namespace txvm::frontends::wat
