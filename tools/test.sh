#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that must hold: builds, runs all tests, repeats those that need no GPU under sanitizers, checks the format.
# One of the tests (tests/structure/check_includes.py) checks that every file says its licence.
# Results go to build/test-results/*.xml as JUnit. Tests have labels, the folders of tests/: host, instrument, layer, cli,
# e2e and so on; those that take long also have "long", and those that repeat with the filter what others do with the exact engine.
# usage: tools/test.sh [--no-sanitizers] [--tsan] [--tidy] [--label REGEX]... [--no-long] [--long]
set -euo pipefail
cd "$(dirname "$0")/.."
sanitizers=1 tsan=0 tidy=0 chosen=()
usage() { grep '^# usage' "$0" | cut -c3- >&2; exit 2; }
while [[ $# -gt 0 ]]; do
  case $1 in
    --no-sanitizers) sanitizers=0 ;;
    --tsan) tsan=1 ;;
    --tidy) tidy=1 ;;
    --label) [[ $# -ge 2 ]] || usage; chosen+=(-L "$2"); shift ;;
    --no-long) chosen+=(-LE long) ;;
    --long) chosen+=(-L long) ;;
    *) usage ;;
  esac
  shift
done
say() { printf '\n== %s\n' "$*"; }
failed=()
step() { # step NAME COMMAND...: goes on after a failure, so that one run shows all of them
  local name=$1; shift
  say "$name"
  "$@" || failed+=("$name")
}

sources() { git ls-files '*.cpp' '*.h' | grep -v '^tests/.*/golden/'; }
check_format() {
  local version
  version=$(clang-format --version | sed -E 's/.*version ([0-9]+).*/\1/')
  if [[ $version != 14 ]]; then
    echo "skipped: clang-format is version $version, the format is that of 14"
    return 0
  fi
  sources | xargs clang-format --dry-run --Werror
}
build_and_test() { # build_and_test PRESET DIRECTORY [CTEST ARGUMENTS...]
  local preset=$1 directory=$2; shift 2
  cmake --preset "$preset" >/dev/null && cmake --build "$directory" &&
    ctest --test-dir "$directory" --output-on-failure -j "$(nproc)" --no-tests=error \
      --output-junit "$PWD/build/test-results/$preset.xml" "${chosen[@]}" "$@" | tee "$directory/ctest.log"
}

tools/setup.sh
mkdir -p build/test-results
step "format" check_format
step "release: build and all tests" build_and_test release build
if [[ $sanitizers -eq 1 ]]; then
  export LSAN_OPTIONS=suppressions=$PWD/cmake/lsan.supp:print_suppressions=0
  # End-to-end tests are left out: a sanitizer's run time cannot be brought into any program.
  step "address and undefined behaviour sanitizers" build_and_test asan build/asan -E '^e2e'
fi
# A third build: on request, to keep the rest under half an hour on two cores.
if [[ $tsan -eq 1 ]]; then
  # Programs that exit without destroying their device do not wait for the threads that make pipelines.
  export TSAN_OPTIONS=report_thread_leaks=0
  step "thread sanitizer" build_and_test tsan build/tsan -E '^e2e|[Ff]uzz'
fi
if [[ $tidy -eq 1 ]]; then
  # Clang does not read the precompiled headers of GCC.
  mkdir -p build/tidy
  sed -E 's/ -Winvalid-pch| -fpch-preprocess| -include [^ ]*cmake_pch\.hxx//g' build/compile_commands.json > build/tidy/compile_commands.json
  step "clang-tidy" bash -c 'git ls-files "*.cpp" | grep -v ^tests/ | xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option'
fi

if [[ ${#failed[@]} -ne 0 ]]; then
  printf '\nFAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo
grep -E '^[0-9]+% tests passed' build/ctest.log
