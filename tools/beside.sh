#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs samples and vkcube with the layers of RenderDoc and MangoHud above the layer and below it. They come from Debian's
# packages, which are only unpacked, under build/deps/beside. The loader of Debian 12 takes layers in the order in which it
# finds their manifests, so the order is read from what the loader says, and both are made by the names of folders. Exit code 1: a program behaves differently, or a message or a
# race is missing; 77: a tool cannot be had here.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf 'beside: %s\n' "$*"; }
dir=$PWD/build/deps/beside
build=$PWD/build
left_out=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$dir/usr/lib
libraries=$library/$(dpkg-architecture -qDEB_HOST_MULTIARCH):$library
ours=VK_LAYER_SHADERQA_instrument

get() { # get PACKAGE...: unpacks those that are not yet there
  mkdir -p "$dir/debs"
  local package
  for package in "$@"; do
    [[ ! -e $dir/.has-$package ]] || continue
    (cd "$dir/debs" && apt-get download "$package" >/dev/null 2>&1) || return 1
    dpkg -x "$dir/debs/$package"_*.deb "$dir"
    touch "$dir/.has-$package"
  done
}
# As an explicit layer, wherever its library is: VK_INSTANCE_LAYERS then says the order.
manifest() { # manifest FILE LIBRARY FOLDER
  mkdir -p "$work/$3"
  python3 - "$dir/usr/share/vulkan/implicit_layer.d/$1" "$library/$2" "$work/$3/manifest.json" <<'PYTHON'
import json, sys
source, library, target = sys.argv[1:]
manifest = json.load(open(source, encoding="utf-8"))
layer = manifest["layer"]
layer["library_path"] = library
for member in "enable_environment", "disable_environment":
    layer.pop(member, None)
json.dump(manifest, open(target, "w", encoding="utf-8"))
PYTHON
}

for program in sample_compute sample_sync sample_graphics; do
  if [[ ! -x $build/bin/$program ]]; then
    say "skipped: build/bin/$program is not built"
    exit 77
  fi
done
mkdir -p "$work/$ours"
sed "s#\"library_path\": *\"[^\"]*\"#\"library_path\": \"$build/lib/libVkLayer_shaderqa.so\"#" \
  "$build/share/vulkan/explicit_layer.d/VkLayer_shaderqa_explicit.json" > "$work/$ours/manifest.json"
tools=()
if get renderdoc librenderdoc libxcb-keysyms1 libstb0; then
  manifest renderdoc_capture.json librenderdoc.so VK_LAYER_RENDERDOC_Capture
  tools+=(VK_LAYER_RENDERDOC_Capture)
else
  say "skipped: RenderDoc's package cannot be had here"; left_out=1
fi
if get mangohud; then
  manifest MangoHud.json "$(dpkg-architecture -qDEB_HOST_MULTIARCH)/mangohud/libMangoHud.so" VK_LAYER_MANGOHUD_overlay
  tools+=(VK_LAYER_MANGOHUD_overlay)
else
  say "skipped: MangoHud's package cannot be had here"; left_out=1
fi
say "not here: gamescope's layer, which Debian's package lacks, and Steam's overlay, which only comes with Steam"

if [[ -z ${VK_DRIVER_FILES:-} && -e build/deps/icd/lavapipe.json ]]; then
  export VK_DRIVER_FILES=$PWD/build/deps/icd/lavapipe.json
fi
export VK_ICD_FILENAMES=${VK_DRIVER_FILES:-}
run() { # run LAYERS COMMAND...: its output to $work/out, what layers say to $work/err. LAYERS: the uppermost first
  local layers=$1 folders="" layer; shift
  # What is found first is the uppermost.
  for layer in ${layers//:/ }; do folders+=${folders:+:}$work/$layer; done
  (cd "$work" && env VK_LAYER_PATH="$folders" VK_INSTANCE_LAYERS="$layers" VK_LOADER_DEBUG=layer LD_LIBRARY_PATH="$libraries" SHADERQA_VERDICT=1 \
    SHADERQA_PRINTF=1 SHADERQA_SYNC=exact MANGOHUD_CONFIG=fps timeout 120 "$@" >"$work/out" 2>"$work/err")
}
# The loader's words, in the order of its list, which begins with the program.
check_order() { # check_order LAYERS
  local seen
  seen=$(sed -n '/vkCreateDevice layer callstack/,/<Device>/p' "$work/err" | grep -oE 'VK_LAYER_(SHADERQA_instrument|RENDERDOC_Capture|MANGOHUD_overlay)$' |
    head -n 2 | paste -sd :)
  if [[ $seen != "$1" ]]; then
    say "error: the order is $seen instead of $1"
    exit 1
  fi
}
check() { # check WHAT TEXT
  if ! grep -qF "$2" "$work/err"; then
    say "error: $1: \"$2\" is missing:"; cat "$work/err"
    exit 1
  fi
}
alike() { # alike LAYERS COMMAND...: the output is that without any layer
  local layers=$1; shift
  run "" "$@" && cp "$work/out" "$work/plain"
  run "$layers" "$@" || { say "error: $layers: exit code $?"; cat "$work/err"; exit 1; }
  if ! cmp -s "$work/plain" "$work/out"; then
    say "error: $layers: $1 prints something else"; diff "$work/plain" "$work/out"
    exit 1
  fi
}
for tool in ${tools[@]+"${tools[@]}"}; do
  for layers in "$tool:$ours" "$ours:$tool"; do
    cube=0
    run "$tool" "$build/bin/sample_compute" || { say "skipped: $tool does not run here without us"; cat "$work/err"; left_out=1; continue 2; }
    alike "$layers" "$build/bin/sample_compute"
    check_order "$layers"
    # A layer below may refuse what checks need; then the program runs as it is, and the verdict says so.
    if grep -qF "nothing is checked on the device" "$work/err"; then
      check "$layers" "NOT COMPLETELY CHECKED"
      alike "$layers" "$build/bin/sample_graphics"
      say "$layers: the same results; the layer below refuses what checks need, and the verdict says that nothing is checked"
      continue
    fi
    check "$layers" "1048571 values in 256 bins"
    alike "$layers" "$build/bin/sample_graphics"
    run "$layers" "$build/bin/sample_sync" --bug=neighbour
    check "$layers" "verdict: 1 bug (1 hazard)"
    alike "$layers" "$build/bin/sample_sync"
    check "$layers" "verdict: no bug found"
    if command -v vkcube >/dev/null && command -v xvfb-run >/dev/null && run "$tool" xvfb-run -a vkcube --c 3 --suppress_popups; then
      run "$layers" xvfb-run -a vkcube --c 30 --suppress_popups || { say "error: $layers: vkcube"; cat "$work/err"; exit 1; }
      check "$layers" "loaded in 1 process (vkcube)"
      cube=1
    fi
    say "$layers: the same results, all messages, the race is found$([[ $cube -eq 1 ]] || echo "; vkcube does not run under $tool alone")"
  done
done
[[ $left_out -eq 0 ]] || exit 77
