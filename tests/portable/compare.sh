#!/usr/bin/env bash
# Do two builds of txvm_portable_sample agree, on the same random programs? Each runs them, and each goes on from the
# snapshots of the other; lines and snapshots must be equal, byte for byte.
# Usage: tests/portable/compare.sh "COMMAND" "COMMAND" CASES [SEED]      a COMMAND may have a prefix: "qemu-aarch64 PROGRAM"
set -euo pipefail

(($# >= 3)) || { echo "usage: tests/portable/compare.sh \"COMMAND\" \"COMMAND\" CASES [SEED]" >&2; exit 2; }
read -ra first <<<"$1"
read -ra second <<<"$2"
cases=$3 seed=${4:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/first" "$work/second"
"${first[@]}" run "$work/first" "$cases" "$seed" >"$work/first.txt"
"${second[@]}" run "$work/second" "$cases" "$seed" >"$work/second.txt"
"${first[@]}" resume "$work/second" "$cases" "$seed" >"$work/first_on.txt"
"${second[@]}" resume "$work/first" "$cases" "$seed" >"$work/second_on.txt"
diff -r "$work/first" "$work/second"
for other in second first_on second_on; do diff "$work/first.txt" "$work/$other.txt"; done
echo "$cases programs, $(find "$work/first" -name '*.txs' | wc -l) snapshots: no difference"
