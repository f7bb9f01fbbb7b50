#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a clean clone to shaders that print and check themselves: installs what is needed, builds, runs the samples under
# the layer on this machine's Vulkan device (lavapipe where there is none), and shows that vkcube draws the same with and
# without it.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

tools/setup.sh
say "building: minutes the first time, nothing the next"
[[ -e build/CMakeCache.txt && -e build/build.ninja ]] || cmake --preset release >/dev/null
cmake --build build --target shaderqa VkLayer_shaderqa shaderqa_manifests sample_compute sample_graphics sample_sync \
  shaderqa_frame_hash
echo "On disk: build $(du -sh --exclude=deps build | cut -f1), build/deps $(du -sh build/deps | cut -f1)."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z ${VK_DRIVER_FILES:-} ]] && ! vulkaninfo --summary 2>/dev/null |
    grep -qE 'deviceType *= *PHYSICAL_DEVICE_TYPE_(DISCRETE|INTEGRATED|VIRTUAL)_GPU'; then
  echo "No Vulkan GPU here: lavapipe, a driver that runs on the CPU, takes its place."
  export VK_DRIVER_FILES=$PWD/build/deps/icd/lavapipe.json
fi

say "sample_compute: a sort whose shaders print what is odd in its input"
build/bin/shaderqa run --printf -- build/bin/sample_compute
say "sample_graphics: a picture whose fragment shader explains one pixel"
build/bin/shaderqa run --printf -- build/bin/sample_graphics --pixel 330,270 --output "$work/boxes.ppm"
say "sample_graphics without the layer: the same picture, no messages"
build/bin/sample_graphics --pixel 330,270 --output "$work/plain.ppm"
cmp "$work/boxes.ppm" "$work/plain.ppm"
echo "The pictures are equal."

say "sample_sync: particles, first right, then with a race: --sync finds it, and nothing where there is none"
build/bin/shaderqa run --sync --assume --fail-on hazard -- build/bin/sample_sync
code=0
build/bin/shaderqa run --sync --assume --fail-on hazard -- build/bin/sample_sync --bug=neighbour || code=$?
if [[ $code -ne 99 ]]; then
  echo "the race was not found (exit code $code)"
  exit 1
fi

say "vkcube: 100 frames with and without the layer"
cube() { # cube NAME [COMMAND...]: hashes of 100 frames go to $work/NAME
  local name=$1; shift
  rm -f "$work/$name"
  SHADERQA_FRAME_HASHES=$work/$name VK_INSTANCE_LAYERS=VK_LAYER_SHADERQATEST_frame_hash \
    VK_LAYER_PATH=$PWD/build/lib/test_layers \
    xvfb-run -a -s '-screen 0 1024x768x24' "$@" vkcube --c 100 --suppress_popups >"$work/$name.log" 2>&1
}
# Not every GPU's driver can present to a virtual display.
if ! cube plain; then
  echo "(this device cannot present to Xvfb: lavapipe draws the cube)"
  export VK_DRIVER_FILES=$PWD/build/deps/icd/lavapipe.json
  cube plain || { cat "$work/plain.log"; exit 1; }
fi
cube layered build/bin/shaderqa run --printf -- || { cat "$work/layered.log"; exit 1; }
frames=$(wc -l < "$work/plain")
if [[ $frames -ne 100 ]] || ! cmp "$work/plain" "$work/layered"; then
  echo "vkcube drew $frames frames without the layer and $(wc -l < "$work/layered") with it: they differ"
  exit 1
fi
echo "All $frames frames are equal, $(sort -u "$work/plain" | wc -l) of them different from each other."
say "done"
