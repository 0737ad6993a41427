#!/bin/sh
# Compiles a checkout of doomgeneric for txvm:  examples/doom/build.sh CHECKOUT [OUTPUT]
# CHECKOUT is a clone of https://github.com/ozkl/doomgeneric. OUTPUT is doom.txp unless given; a name that ends
# in .native builds the same with gcc -m32 (gcc-multilib), for comparing frames. TXVM names the program txvm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: build.sh CHECKOUT [OUTPUT]" >&2; exit 2; }
source=$1/doomgeneric
output=${2:-doom.txp}
[ -f "$source/doomgeneric.c" ] || { echo "$1 is no checkout of doomgeneric: it has no doomgeneric/doomgeneric.c" >&2; exit 2; }

# Everything but other platforms and their sound.
set --
for file in "$source"/*.c; do
  case ${file##*/} in
    doomgeneric_*.c | i_allegro*.c | i_sdl*.c | gusconf.c | mus2mid.c | icon.c) ;;
    *) set -- "$@" "$file" ;;
  esac
done

case $output in
  *.native)
    exec gcc -m32 -O2 -fwrapv -fno-strict-aliasing -w -I "$source" -idirafter "$here/../../frontends/c/runtime/include" \
      "$here/platform.c" "$here/native_screen.c" "$@" -lm -o "$output" ;;
esac
parts=
for file; do parts="$parts --with $file"; done
# shellcheck disable=SC2086  # paths of a checkout have no blanks
exec "${TXVM:-txvm}" compile "$here/platform.c" $parts -I "$source" -O 3 -o "$output"
