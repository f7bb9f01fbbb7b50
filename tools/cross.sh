#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for another processor and runs the tests that need no GPU: aarch64 in an emulator, or i686, the 32-bit layer that
# 32-bit programs load, on this processor, where two samples also run under the layer on a 32-bit lavapipe. Installs the
# cross compiler and the emulator on Debian 12 and 13; libraries of the other architecture are only unpacked, under
# build/deps/cross.
# usage: tools/cross.sh aarch64|i686 [--no-tests]
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  aarch64) debian=arm64 triplet=aarch64-linux-gnu compiler=g++-aarch64-linux-gnu emulator=qemu-aarch64 ;;
  i686) debian=i386 triplet=i686-linux-gnu compiler=g++-i686-linux-gnu emulator= ;;
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
packages=()
command -v "$triplet-g++" >/dev/null || packages+=("$compiler")
[[ -z $emulator ]] || command -v "$emulator" >/dev/null || packages+=(qemu-user)
if ((${#packages[@]})); then
  say "installing ${packages[*]}"
  root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
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
  if [[ $cpu == i686 ]]; then
    say "unpacking a 32-bit lavapipe and all that it needs (about 240 MB)"
    suite=$VERSION_CODENAME
    [[ $suite != bookworm ]] || suite=bookworm-backports
    mkdir -p "$dir/archives/partial" "$dir/run"
    apt_of -o Dir::Cache::archives="$dir/archives" -o Debug::NoLocking=1 install -y --download-only \
      --no-install-recommends -t "$suite" mesa-vulkan-drivers libvulkan1 libstdc++6
    for deb in "$dir"/archives/*.deb; do dpkg -x "$deb" "$dir/run"; done
    rm -rf "$dir/archives"
  fi
  # Programs are taken from this machine.
  rm -rf "$dir/debs" "$dir/apt" "$dir/usr/bin"
  touch "$stamp"
fi

say "building"
cmake --preset "cross-$cpu" >/dev/null
targets=(VkLayer_shaderqa shaderqa shaderqa_manifests)
[[ $tests -eq 0 ]] || targets+=(host_tests instrument_tests)
[[ $cpu != i686 ]] || targets+=(sample_compute sample_sync)
cmake --build "build/cross-$cpu" --target "${targets[@]}"
[[ $tests -eq 1 ]] || exit 0
build=$PWD/build/cross-$cpu
if [[ $cpu != i686 ]]; then
  say "tests of host/ and instrument/ in the emulator"
  for program in host_tests instrument_tests; do
    "$emulator" -L "/usr/$triplet" "$build/bin/$program" --gtest_brief=1
  done
  exit 0
fi

libraries=$dir/run/usr/lib/i386-linux-gnu
on_libraries=("$libraries/ld-linux.so.2" --library-path "$libraries")
say "tests of host/ and instrument/"
for program in host_tests instrument_tests; do "${on_libraries[@]}" "$build/bin/$program" --gtest_brief=1; done

say "samples under the 32-bit layer"
driver=$dir/run/lavapipe.json
sed "s#\"library_path\": *\"[^\"]*\"#\"library_path\": \"$libraries/libvulkan_lvp.so\"#" \
  "$dir"/run/usr/share/vulkan/icd.d/lvp_icd*.json > "$driver"
layered() { # layered SETTING=VALUE... PROGRAM [ARGUMENT...]: what it prints
  env VK_DRIVER_FILES="$driver" VK_ICD_FILENAMES="$driver" VK_LAYER_PATH="$build/share/vulkan/explicit_layer.d" \
    VK_INSTANCE_LAYERS=VK_LAYER_SHADERQA_instrument SHADERQA_VERDICT=1 "$@" 2>&1
}
expect() { # expect TEXT OUTPUT
  if ! grep -qF "$1" <<< "$2"; then
    printf 'cross: error: "%s" is missing in:\n%s\n' "$1" "$2" >&2
    exit 1
  fi
  printf '  %s\n' "$1"
}
printed=$(layered SHADERQA_PRINTF=1 "${on_libraries[@]}" "$build/bin/sample_compute")
expect "1048571 values in 256 bins" "$printed"
racy=$(layered SHADERQA_SYNC=exact "${on_libraries[@]}" "$build/bin/sample_sync" --bug=neighbour)
expect "data race on Particles.particles.position" "$racy"
correct=$(layered SHADERQA_SYNC=exact "${on_libraries[@]}" "$build/bin/sample_sync")
expect "verdict: no bug found" "$correct"
