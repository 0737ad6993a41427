// The peephole passes over TIR, after those of Trident. Two of Trident's passes changed what
// programs mean; here they are the nearest rewrites that do not.
#pragma once

#include <vector>

#include "neural/triton/tir/op.h"

namespace txvm::triton {

// Every pass rewrites one body in place and keeps its meaning: outputs, crashes, RAM and stack.
// Comments and every operation that is not part of a pattern end the pattern.

/// hint a; hint b -> batches of at most 5.
void MergeHints(std::vector<TirOp>& ops);
/// pop a; pop b -> batches of at most 5.
void MergePops(std::vector<TirOp>& ops);
/// swap 0 -> nothing.
void EliminateNops(std::vector<TirOp>& ops);
/// With store(A) = push A; write_mem 1; pop 1 and load(A) = push A; read_mem 1; pop 1:
/// store(A); load(A) -> dup 0; store(A), and a store(A) that a later store(A) overwrites before
/// anything can read it -> pop 1.
void EliminateDeadSpills(std::vector<TirOp>& ops);
/// dup 0; swap 1; pop 1 -> nothing, and dup 0; pop 1 -> nothing.
void EliminateDupPopNops(std::vector<TirOp>& ops);
/// swap n; swap n -> nothing.
void EliminateDoubleSwaps(std::vector<TirOp>& ops);
/// n times dup n-1; swap n; pops of n words in all -> nothing, n >= 2.
void CollapseSwapPopChains(std::vector<TirOp>& ops);
/// Runs of `swap d; pop 1`:
///   c times d = 1            -> swap c; pop c
///   c times d > 1            -> the kept words put in their rotated order below; pop c
///   d, d-1, .., d-c+1        -> pop c-1; swap d-c+1; pop 1
void CollapseEpilogues(std::vector<TirOp>& ops);
/// The eight passes above over a body and its nested bodies until none changes anything.
void OptimizeBody(std::vector<TirOp>& ops);

/// OptimizeBody over the functions of a module. REQUIRES a valid module; it stays valid.
void OptimizeTir(TirModule& module);

}  // namespace txvm::triton
