#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs programs that nobody here wrote without the layer and with all its checks, compares what they do, and prints a
# table (docs/manual/programs.md). `tools/programs.sh [TEXT...]`: only programs with one of these texts in their name.
# Exit code 1: a program behaves differently, or a check finds something where nothing is known to be wrong.
# SHADERQA_PROGRAMS_BUILD names a build tree other than build/, SHADERQA_PROGRAMS_TIMEOUT the seconds for one run (300).
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf '== %s\n' "$*"; }
root() { if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi; }

tools/setup.sh
build=${SHADERQA_PROGRAMS_BUILD:-build}
output=$PWD/build/programs
mkdir -p "$output"

packages=(vulkan-tools xvfb spirv-tools ffmpeg glmark2-x11 piglit mesa-utils mesa-utils-bin libgl1-mesa-dri mpv
  vkd3d-demos gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-bad)
# Node.js may come from elsewhere.
command -v npm >/dev/null || packages+=(nodejs npm)
missing=()
for package in "${packages[@]}"; do
  if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]]; then continue; fi
  # A release may lack one; the table then says that the program does not run.
  if [[ -n $(apt-cache madison "$package") ]]; then missing+=("$package"); fi
done
if ((${#missing[@]})); then
  say "installing ${missing[*]}"
  root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
if [[ ! -d $output/node_modules/webgpu ]]; then
  say "installing Dawn (npm package webgpu)"
  npm install --silent --no-audit --no-fund --prefix "$output" webgpu@0.6.2 || echo "(no WebGPU programs then)"
fi

say "building"
[[ -e $build/CMakeCache.txt && -e $build/build.ninja ]] || cmake --preset release >/dev/null
cmake --build "$build" --target shaderqa VkLayer_shaderqa shaderqa_manifests shaderqa_frame_hash -- --quiet
cc -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC tools/programs/steady_time.c -o "$output/steady_time.so" -ldl
mkdir -p "$output/webgpu"
cp tools/programs/webgpu/*.mjs "$output/webgpu/"
if [[ ! -e $output/test.mkv ]]; then
  ffmpeg -loglevel error -nostdin -f lavfi -i testsrc=size=320x240:rate=10:duration=2 -c:v ffv1 "$output/test.mkv"
fi

if [[ -z ${VK_DRIVER_FILES:-} ]] && ! vulkaninfo --summary 2>/dev/null |
    grep -qE 'deviceType *= *PHYSICAL_DEVICE_TYPE_(DISCRETE|INTEGRATED|VIRTUAL)_GPU'; then
  export VK_DRIVER_FILES=$PWD/build/deps/icd/lavapipe.json
fi
device=$(vulkaninfo --summary 2>/dev/null | sed -n 's/.*deviceName *= //p' | head -n 1)
[[ -n $device ]] || { echo "programs: error: there is no Vulkan device" >&2; exit 1; }
say "on $device"
setting() { sed -n "s/^set($1 \"\(.*\)\")$/\1/p" build/deps/paths.cmake; }

export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$output/runtime}
mkdir -p "$XDG_RUNTIME_DIR"; chmod 700 "$XDG_RUNTIME_DIR"
number=$(mktemp)
trap 'kill "$xvfb" 2>/dev/null || true; rm -f "$number"' EXIT
Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp -noreset 3>"$number" >/dev/null 2>&1 &
xvfb=$!
for _ in $(seq 100); do [[ -s $number ]] && break; sleep 0.1; done
[[ -s $number ]] || { echo "programs: error: Xvfb does not start" >&2; exit 1; }
export DISPLAY=:$(< "$number")
unset WAYLAND_DISPLAY

python3 tools/programs/compare.py --build "$build" --output "$output" --device "$device" \
  --validation "$(setting SHADERQA_VALIDATION_LAYER_DIR)" --loader "$(setting SHADERQA_TEST_LOADER)" \
  --timeout "${SHADERQA_PROGRAMS_TIMEOUT:-300}" "$@"
