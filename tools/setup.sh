#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what shaderqa needs to build and to test itself on Debian 12 and 13, and unpacks under build/deps what is
# not to be installed system-wide (newer headers, lavapipe, validation layer, SPIRV-Tools' source headers).
# Idempotent: a second run with everything in place does nothing and needs no network.
set -euo pipefail
cd "$(dirname "$0")/.."
deps=$PWD/build/deps
stamp=$deps/.done-$(sha256sum tools/setup.sh | cut -c1-16)
if [[ -e $stamp ]]; then exit 0; fi
if [[ -L build/deps ]]; then
  echo "setup: error: build/deps is a link; what is written there holds absolute paths of one tree" >&2
  exit 1
fi

. /etc/os-release
say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }
case ${VERSION_CODENAME:-} in
  bookworm) next=trixie ;;
  trixie) next= ;;
  *) die "this script knows Debian 12 (bookworm) and 13 (trixie), not '${PRETTY_NAME:-unknown}'.
  Install the packages it lists by hand and configure with -DSHADERQA_SPIRV_TOOLS_SOURCE=DIR (docs/internals/building.md)." ;;
esac
root() { if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi; }
export DEBIAN_FRONTEND=noninteractive
# install PACKAGE...: those that are missing. Where none is, neither root nor sudo is needed.
updated=0
install() {
  local package missing=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -ne 0 ]] || return 0
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    die "these packages are missing, and there is no sudo to install them: ${missing[*]}
  As root: apt-get install --no-install-recommends ${missing[*]}"
  fi
  if [[ $updated -eq 0 ]]; then root apt-get update -qq; updated=1; fi
  local room
  room=$(LC_ALL=C root apt-get install --assume-no --no-install-recommends "${missing[@]}" 2>/dev/null |
    sed -n 's/^After this operation, \(.*\) of additional disk space will be used.*/, which take \1/p') || true
  say "installing ${#missing[@]} packages$room: ${missing[*]}"
  root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

say "build/deps will take about 115 MB (200 MB while this runs), beside the packages; $(df -h --output=avail . | tail -n 1 | tr -d ' ') are free here"
install g++ cmake ninja-build ccache pkg-config python3 python3-jsonschema git ca-certificates dpkg-dev file \
  spirv-tools spirv-headers glslang-tools nlohmann-json3-dev libcli11-dev libxxhash-dev libspdlog-dev \
  libgtest-dev libgmock-dev libbenchmark-dev libvkfft-dev glslang-dev libvulkan1 vulkan-tools xvfb xauth x11-apps \
  clang-format clang-tidy

mkdir -p "$deps/apt/lists/partial" "$deps/debs"
# The machine's own mirror and key serve the other suites too.
read -r mirror key < <(apt-get indextargets --format '$(REPO_URI) $(SIGNED_BY)' \
  "Created-By: Packages" "Component: main" "Origin: Debian" "Codename: $VERSION_CODENAME" | sort -u | head -n 1) || true
[[ -n ${mirror:-} ]] || die "no apt source of Debian $VERSION_CODENAME main found; is there one in /etc/apt?"
# Without a key of its own in the source entry, apt falls back to its trusted keys; so do we.
[[ -n ${key:-} && -e $key ]] || key=/usr/share/keyrings/debian-archive-keyring.gpg
suites=$VERSION_CODENAME
[[ -z $next ]] || suites="$suites $VERSION_CODENAME-backports $next"
cat > "$deps/apt/shaderqa.sources" <<EOF
Types: deb deb-src
URIs: $mirror
Suites: $suites
Components: main
Signed-By: $key
EOF
# A private view of the archive: the machine's own sources and lists stay as they are.
apt_private() {
  apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$deps/apt" \
    -o Dir::State::Lists="$deps/apt/lists" -o APT::Sandbox::User="$(id -un)" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Acquire::Languages=none \
    -o DPkg::Post-Invoke= -o APT::Update::Post-Invoke= -o APT::Update::Post-Invoke-Success= "$@"
}
say "reading the archive's lists ($suites)"
apt_private update
fetch() { # fetch DIR PACKAGE/SUITE...: unpacks packages into DIR
  local dir=$1; shift
  rm -rf "$dir" "$deps/debs/tmp"; mkdir -p "$dir" "$deps/debs/tmp"
  (cd "$deps/debs/tmp" && apt_private download "$@" 2>/dev/null)
  for deb in "$deps"/debs/tmp/*.deb; do dpkg -x "$deb" "$dir"; done
  rm -rf "$deps/debs/tmp"
}
from=${next:-$VERSION_CODENAME}
say "unpacking Vulkan headers and volk"
fetch "$deps/vulkan" "libvulkan-dev/$from" "libvulkan-volk-dev/$from"
rm -f "$deps/vulkan/usr/share/vulkan/registry/validusage.json"

lib=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
say "unpacking lavapipe and the Khronos validation layer"
if [[ -n $next ]]; then
  # lavapipe's own libraries come as dependencies of this release's package; its driver file is not used.
  install mesa-vulkan-drivers libllvm15
  fetch "$deps/lavapipe" "mesa-vulkan-drivers/$VERSION_CODENAME-backports"
  # The package has the drivers of GPUs, too.
  find "$deps/lavapipe" -name 'libvulkan_*.so' ! -name libvulkan_lvp.so -delete
  fetch "$deps/validation" "vulkan-validationlayers/$next"
  # The next release's layer wants its C and C++ libraries: tests start programs through this loader.
  fetch "$deps/runtime" "libc6/$next" "libstdc++6/$next" "libgcc-s1/$next"
  # The next release's Vulkan loader: some tests run with this release's and with that one.
  fetch "$deps/loader" "libvulkan1/$next"
  current_loader=$deps/loader$lib
  lvp_lib=$deps/lavapipe$lib/libvulkan_lvp.so
  lvp_json=$(ls "$deps"/lavapipe/usr/share/vulkan/icd.d/lvp_icd*.json | head -n 1)
  vvl_lib=$deps/validation$lib/libVkLayer_khronos_validation.so
  vvl_json=$deps/validation/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
  loader="$deps/runtime$lib/ld-linux-x86-64.so.2;--library-path;$deps/runtime$lib"
else
  install mesa-vulkan-drivers vulkan-validationlayers
  lvp_lib=$lib/libvulkan_lvp.so
  lvp_json=$(ls /usr/share/vulkan/icd.d/lvp_icd*.json | head -n 1)
  vvl_lib=$lib/libVkLayer_khronos_validation.so
  vvl_json=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
  loader=
  current_loader=
fi
mkdir -p "$deps/icd" "$deps/validation_layer"
sed "s#\"library_path\": *\"[^\"]*\"#\"library_path\": \"$lvp_lib\"#" "$lvp_json" > "$deps/icd/lavapipe.json"
sed "s#\"library_path\": *\"[^\"]*\"#\"library_path\": \"$vvl_lib\"#" "$vvl_json" \
  > "$deps/validation_layer/VkLayer_khronos_validation.json"

say "unpacking SPIRV-Tools: libraries, their grammar, and the source's internal headers"
# The next release's understands the SPIR-V of today's compilers; its static libraries link here, too (cmake/spirv_tools.cmake).
fetch "$deps/spirv-tools/package" "spirv-tools/$from" "spirv-headers/$from"
rm -rf "$deps/spirv-tools/package/usr/bin"
# --print-uris names the tarball and its checksum; apt-helper verifies it.
read -r uri file _ sum < <(apt_private --print-uris source --only-source "spirv-tools/$from" 2>/dev/null |
  grep -F .orig.tar | tr -d "'")
[[ -n ${uri:-} ]] || die "the archive has no source of spirv-tools in $from"
/usr/lib/apt/apt-helper -qq -o APT::Sandbox::User="$(id -un)" download-file "$uri" "$deps/debs/$file" "$sum"
rm -rf "$deps/spirv-tools/source"; mkdir -p "$deps/spirv-tools/source"
tar -xf "$deps/debs/$file" -C "$deps/spirv-tools/source" --strip-components=1 --exclude='*/test'
# The lists alone are 81 MB, and are read again if this script changes.
rm -rf "$deps/apt/lists" "$deps/debs"

cat > "$deps/paths.cmake" <<EOF
# Written by tools/setup.sh.
set(SHADERQA_VULKAN_INCLUDE "$deps/vulkan/usr/include")
set(SHADERQA_SPIRV_TOOLS_HEADERS "$deps/spirv-tools/source")
set(SHADERQA_SPIRV_TOOLS_LIBRARIES "$deps/spirv-tools/package$lib")
set(SHADERQA_SPIRV_HEADERS "$deps/spirv-tools/package/usr/include")
set(SHADERQA_LAVAPIPE_ICD "$deps/icd/lavapipe.json")
set(SHADERQA_VALIDATION_LAYER_DIR "$deps/validation_layer")
set(SHADERQA_TEST_LOADER "$loader")
set(SHADERQA_CURRENT_VULKAN_LOADER "$current_loader")
EOF
rm -f "$deps"/.done-*; touch "$stamp"
say "done: build/deps takes $(du -sh "$deps" | cut -f1)"
