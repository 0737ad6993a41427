#!/usr/bin/env bash
# Does the core compile for systems that are not here? isa/, asm/, weights/ and vm/, each source by itself, for 64-bit ARM
# under macOS and for Windows (MinGW), by the clang and the libc++ that zig brings. Nothing is linked or run.
# Usage: tests/portable/check.sh [TARGET ...]     TARGET: aarch64-macos, x86_64-windows-gnu, or another one of zig's
#   TXVM_ZIG=PATH   zig, if it is neither on the PATH nor a package of python3 (pip install ziglang)
#   JOBS=N          sources at a time (default: the processors)
# Headers of fmt, Highway and oneDNN are Debian's (libfmt-dev, libhwy-dev, libdnnl-dev): they are the same everywhere.
set -euo pipefail
cd "$(dirname "$0")/../.."

find_zig() {
  if [[ -n ${TXVM_ZIG:-} ]]; then
    echo "$TXVM_ZIG"
  elif ! command -v zig; then
    python3 -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))' 2>/dev/null || true
  fi
}

zig=$(find_zig)
[[ -n $zig && -x $zig ]] || { echo "skipped: there is no zig (pip install ziglang, or TXVM_ZIG=PATH)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
for header in fmt hwy oneapi dnnl.h dnnl_config.h dnnl_debug.h dnnl_types.h dnnl_version.h; do
  [[ ! -e /usr/include/$header ]] || ln -s "/usr/include/$header" "$work/include/$header"
done

# Machine code is made on x86-64 under Linux alone; the rest of folded is part of every build. Sources for POSIX are not
# Windows': a port there has them to write.
sources() {
  find isa asm weights vm -name '*.cc' ! -path '*/wasi/*' ! -name '*_main.cc' ! -path vm/folded/machine_code.cc \
    ! -path vm/folded/processor.cc ! -path vm/folded/code_room.cc | sort |
    if [[ $1 == *windows* ]]; then grep -v -f "$work/posix"; else cat; fi
}
grep -rlE '#include <(sys/|unistd|dlfcn|spawn|poll|fcntl)' --include=*.cc isa asm weights vm | sort >"$work/posix" || true

compile_one() {
  local target=$1 source=$2
  "$zig" c++ -target "$target" -std=c++23 -O0 -c -o "$work/$target.$$.o" -iquote . -isystem "$work/include" \
    -DFMT_HEADER_ONLY -DTXVM_VERSION='"check"' -Wall -Wextra -Werror -fvisibility=hidden "$source" >"$work/$$.log" 2>&1 || {
    echo "$source does not compile for $target:"
    grep -m 3 -A 6 'error:' "$work/$$.log" || head -20 "$work/$$.log"
    return 1
  }
}
export -f compile_one
export zig work

(($#)) || set -- aarch64-macos x86_64-windows-gnu
failed=0
for target in "$@"; do
  begin=$SECONDS
  sources "$target" | xargs -P "${JOBS:-$(nproc)}" -I {} bash -c 'compile_one "$@"' _ "$target" {} || failed=1
  echo "$target: $(sources "$target" | wc -l) sources in $((SECONDS - begin)) s"
  [[ $target != *windows* ]] || echo "left out there, POSIX's own: $(tr '\n' ' ' <"$work/posix")"
done
exit "$failed"
