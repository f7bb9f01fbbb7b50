#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks whose tables are in docs/internals/benchmarks.md, one after the other, and writes each table, below the command
# that made it, to OUT/NAME.md. On a GPU: 15 to 20 minutes.
#   bench/all.sh OUT [BUILD [DRIVER]]      BUILD: folder with bin, lib and share; DRIVER: driver file (VK_DRIVER_FILES)
#   ONLY="programs draws" bench/all.sh OUT      some of them, by name
# The results of one that fails or takes longer than LIMIT seconds (300) are left out, and the exit code is 1.
set -u
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1" && out=$(cd "$1" && pwd) || exit 2
build=$(cd "${2:-$here/../build}" && pwd) || exit 2
driver=(${3:+--driver "$3"})
failed=0

# NAME COMMAND ...: a table.
table() {
  local name=$1
  shift
  [ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $name "* ]] || return
  local started=$SECONDS
  if { echo "    bench/$*"; echo; timeout "${LIMIT:-300}" "$here/$1" "${@:2}" "${where[@]}" "${driver[@]}"; } > "$out/$name.md" 2> "$out/$name.log"; then
    echo "$name: $((SECONDS - started)) s"
  else
    echo "$name: failed or stopped after $((SECONDS - started)) s, see $out/$name.log"
    failed=1
  fi
}

where=(--bin "$build/bin")
table programs run_sync_bench.py programs --engines exact --log2 26 --rounds 2
SHADERQA_SYNC_SHARED=false table programs_no_shared run_sync_bench.py programs --engines exact --log2 26 --rounds 1
for log2 in 20 22 24; do table "programs_$log2" run_sync_bench.py programs --engines exact --log2 "$log2" --rounds 1; done
SHADERQA_SYNC_OWN_ELEMENTS=false table programs_no_own run_sync_bench.py programs --engines exact --log2 26 --rounds 1
SHADERQA_SYNC_UNWATCHED_VERSION=false table programs_one_version run_sync_bench.py programs --engines exact --log2 26 --rounds 1
table fft run_sync_bench.py fft --engines exact --log2 24 --rounds 1
table images run_sync_bench.py images --engines images --log2 24 --rounds 2
table buffered run_sync_bench.py buffered --engines exact --log2 26 --rounds 1
table frames run_sync_bench.py frames --engines off budget --log2 26 --rounds 1 --seconds 10
table draws run_sync_bench.py draws --engines exact --rounds 3
table host run_sync_bench.py host --engines images --rounds 3
table filter run_sync_bench.py programs --engines bloom --log2 26 --rounds 1
table filter_sort run_sync_bench.py programs --engines bloom --log2 22 --rounds 1
table false_reports run_sync_bench.py false-reports

where=(--build "$build")
table pipelines run_pipeline_bench.py --calls auto --checks "--sync --start=creation"
table pipelines_nan run_pipeline_bench.py --calls auto --checks=--nan=full --shaders softmax normalisation sort quantised
table small_pipelines run_cache_bench.py --rounds 1 --checks "--sync --start=creation"
table draw_pipelines run_cache_bench.py --rounds 1 --draws --checks "--sync --start=creation"
table draw_pipelines_images run_cache_bench.py --rounds 1 --draws --checks "--sync --sync-images --start=creation"
table draw_pipelines_buffered run_cache_bench.py --rounds 1 --draws buffered --checks "--sync --start=creation"
table printf_pipelines run_cache_bench.py --rounds 1 --checks=--printf
table start run_start_bench.py --start first_use background --runs 2
khronos=$build/deps/validation_layer
[ -d "$khronos" ] || khronos=
table layer run_layer_bench.py --rounds 3 ${khronos:+--khronos "$khronos"}
table trace run_trace_bench.py programs --log2 26 --rounds 1
table trace_pipelines run_trace_bench.py pipelines --rounds 1 --shaders copy matrix sites50 quantised softmax lighting attention
exit $failed
