#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for another processor and runs the tests that need no GPU in an emulator: aarch64, or i686, the 32-bit layer
# that 32-bit programs load. Installs the cross compiler and the emulator on Debian 12 and 13; libraries of the other
# architecture are only unpacked, under build/deps/cross.
# usage: tools/cross.sh aarch64|i686 [--no-tests]
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  aarch64) debian=arm64 triplet=aarch64-linux-gnu compiler=g++-aarch64-linux-gnu emulator=qemu-aarch64 ;;
  i686) debian=i386 triplet=i686-linux-gnu compiler=g++-i686-linux-gnu emulator=qemu-i386 ;;
  *) echo "usage: tools/cross.sh aarch64|i686 [--no-tests]" >&2; exit 2 ;;
esac
cpu=$1
tests=1
[[ ${2:-} != --no-tests ]] || tests=0
say() { printf 'cross: %s\n' "$*"; }
root() { if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi; }

tools/setup.sh
. /etc/os-release
deps=$PWD/build/deps
dir=$deps/cross/$cpu
if ! command -v "$triplet-g++" >/dev/null || ! command -v "$emulator" >/dev/null; then
  say "installing $compiler and qemu-user"
  root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$compiler" qemu-user >/dev/null
fi
stamp=$dir/.done-$(cat tools/cross.sh tools/setup.sh | sha256sum | cut -c1-16)
if [[ ! -e $stamp ]]; then
  say "unpacking libraries of $debian (about 150 MB)"
  rm -rf "$dir"; mkdir -p "$dir/apt/lists/partial" "$dir/debs"
  apt_of() {
    apt-get -qq -o APT::Architecture="$debian" -o APT::Architectures::="$debian" \
      -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$deps/apt" -o Dir::State::Lists="$dir/apt/lists" \
      -o Dir::State::status=/dev/null -o APT::Sandbox::User="$(id -un)" -o Dir::Cache::pkgcache= \
      -o Dir::Cache::srcpkgcache= -o Acquire::Languages=none -o DPkg::Post-Invoke= -o APT::Update::Post-Invoke= \
      -o APT::Update::Post-Invoke-Success= "$@"
  }
  # The lists of both suites; sources were read by setup.sh.
  apt_of -o APT::Get::List-Cleanup=false update
  libraries=(libspdlog-dev libfmt-dev libgtest-dev libgmock-dev libbenchmark-dev libvulkan1)
  libraries+=($(apt-cache depends libspdlog-dev libfmt-dev libbenchmark-dev | sed -n 's/^ *Depends: \(lib\(spdlog1\|fmt\|benchmark1\).*\)/\1/p' |
    grep -v -e -dev | sort -u))
  next=$VERSION_CODENAME
  [[ $next != bookworm ]] || next=trixie
  wanted=("spirv-tools/$next")
  for library in "${libraries[@]}"; do wanted+=("$library/$VERSION_CODENAME"); done
  (cd "$dir/debs" && apt_of download "${wanted[@]}")
  for deb in "$dir"/debs/*.deb; do dpkg -x "$deb" "$dir"; done
  # Programs are taken from this machine.
  rm -rf "$dir/debs" "$dir/apt" "$dir/usr/bin"
  touch "$stamp"
fi

say "building"
cmake --preset "cross-$cpu" >/dev/null
targets=(VkLayer_shaderqa shaderqa)
[[ $tests -eq 0 ]] || targets+=(host_tests instrument_tests)
cmake --build "build/cross-$cpu" --target "${targets[@]}"
[[ $tests -eq 1 ]] || exit 0
say "tests of host/ and instrument/ in the emulator"
for program in host_tests instrument_tests; do
  "$emulator" -L "/usr/$triplet" "build/cross-$cpu/bin/$program" --gtest_brief=1
done
