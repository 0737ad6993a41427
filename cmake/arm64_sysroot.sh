#!/usr/bin/env bash
# Unpacks Debian's cross compiler for arm64 and the libraries that txvm needs into a folder: cmake/arm64_sysroot.sh FOLDER.
# Nothing is installed and no right is needed: apt keeps what it knows in FOLDER/apt. So it works beside packages that the
# cross compiler conflicts with (gcc-multilib), and beside libraries whose -dev packages are there for one architecture.
# Then: cmake --preset arm64 -DTXVM_ARM64_SYSROOT=FOLDER
set -euo pipefail

(($# == 1)) || { echo "usage: cmake/arm64_sysroot.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)

# The compiler, which runs here, and the C and C++ libraries that it links.
compiler=(g++-12-aarch64-linux-gnu gcc-12-aarch64-linux-gnu cpp-12-aarch64-linux-gnu binutils-aarch64-linux-gnu
  libgcc-12-dev-arm64-cross libstdc++-12-dev-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross libc6-arm64-cross
  libc6-dev-arm64-cross linux-libc-dev-arm64-cross)
# What txvm and its tests include and link, and what their programs load.
libraries=(libhwy-dev:arm64 libhwy1:arm64 libfmt-dev:arm64 libfmt9:arm64 libgtest-dev:arm64 libgmock-dev:arm64
  googletest nlohmann-json3-dev libcli11-dev libdnnl-dev:arm64 libtomlplusplus-dev:arm64 libboost1.74-dev:arm64 wabt:arm64 libssl3:arm64
  libc6:arm64 libstdc++6:arm64 libgcc-s1:arm64)

mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/debs"
touch "$folder/apt/status"
apt=(apt-get -qq -o Dir::State="$folder/apt" -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache"
  -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o APT::Sandbox::User="$(id -un)")
"${apt[@]}" update
cd "$folder/debs"
"${apt[@]}" download "${compiler[@]}" "${libraries[@]}"
for package in *.deb; do dpkg-deb -x "$package" "$folder"; done

# Assembler, linker and their like load a library of their own, which is not where they look for it.
for tool in as ld ld.bfd ar nm ranlib objcopy objdump readelf strip; do
  program="$folder/usr/bin/aarch64-linux-gnu-$tool"
  mv "$program" "$program.real"
  printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s" "$@"\n' "$folder/usr/lib/x86_64-linux-gnu" "$program.real" >"$program"
  chmod +x "$program"
done
echo "$folder holds $(ls -- *.deb | wc -l) packages"
