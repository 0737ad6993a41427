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

/// Compares signatures of two modules: equal ones stand at the same place of equal groups. Pairs
/// that are being compared count as equal.
class Comparison {
 public:
  Comparison(const Module& from, const Module& to) : from_(from), to_(to) {}

  bool AreEqual(std::uint32_t left, std::uint32_t right) {
    if (!open_.insert({left, right}).second) return true;
    const SignatureGroup a = GroupOf(from_, left), b = GroupOf(to_, right);
    if (a.count != b.count || left - a.first != right - b.first) return false;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      open_.insert({a.first + i, b.first + i});
      if (!AreAlike(a, b, i)) return false;
    }
    return true;
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
  static SignatureGroup GroupOf(const Module& module, std::uint32_t signature) {
    const auto found = module.groups.find(signature);
    return found == module.groups.end() ? SignatureGroup{signature, 1, false} : found->second;
  }

  /// Whether member `i` of two groups is declared in the same way.
  bool AreAlike(const SignatureGroup& a, const SignatureGroup& b, std::uint32_t i) {
    const std::uint32_t left = a.first + i, right = b.first + i;
    if (GroupOf(from_, left).is_open != GroupOf(to_, right).is_open) return false;
    const auto super_a = from_.supertypes.find(left), super_b = to_.supertypes.find(right);
    const bool has_a = super_a != from_.supertypes.end(), has_b = super_b != to_.supertypes.end();
    if (has_a != has_b) return false;
    if (has_a && !AreSameMember(a, super_a->second, b, super_b->second)) return false;
    const Signature &mine = from_.signatures[left], &theirs = to_.signatures[right];
    return AreEqual(a, mine.params, b, theirs.params) &&
           AreEqual(a, mine.results, b, theirs.results);
  }

  /// Inside of the groups that are compared, types are equal at the same place only.
  bool AreSameMember(const SignatureGroup& a, std::uint32_t left, const SignatureGroup& b,
                     std::uint32_t right) {
    const bool is_in_a = left - a.first < a.count, is_in_b = right - b.first < b.count;
    if (is_in_a || is_in_b) return is_in_a && is_in_b && left - a.first == right - b.first;
    return AreEqual(left, right);
  }

  bool AreEqual(const SignatureGroup& a, const std::vector<ValueType>& left,
                const SignatureGroup& b, const std::vector<ValueType>& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool are_references = IsReference(left[i]) && IsReference(right[i]);
      if (!are_references || !IsOfSignature(HeapOf(left[i])) || !IsOfSignature(HeapOf(right[i]))) {
        if (left[i] != right[i]) return false;
        continue;
      }
      if (IsNullable(left[i]) != IsNullable(right[i]) ||
          !AreSameMember(a, SignatureOfHeap(HeapOf(left[i])), b,
                         SignatureOfHeap(HeapOf(right[i])))) {
        return false;
      }
    }
    return true;
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

bool AreEqualAcross(const Module& from, std::uint32_t left, const Module& to, std::uint32_t right) {
  return Comparison(from, to).AreEqual(left, right);
}

bool IsSubsignatureAcross(const Module& from, std::uint32_t sub, const Module& to,
                          std::uint32_t super) {
  return Comparison(from, to).IsSub(sub, super);
}

}  // namespace txvm::frontends::wat
