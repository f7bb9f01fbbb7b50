#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What traces and live debugging cost a program in which no invocation is chosen (armed but unmatched), or one is (--at), and what they cost the
making of pipelines. `programs` runs sync_bench without the layer, under `shaderqa trace` and under `shaderqa debug`, in turns, and prints the fastest
times and ratios. `pipelines` runs pipeline_bench for each shader in new processes with empty caches, in the same ways."""
import argparse
import math
import os
import pathlib
import signal
import subprocess
import tempfile

from processes import clean_environment
from times import read_times, warm_up_text

HERE = pathlib.Path(__file__).resolve().parent
# No dispatch of the benchmarks has it.
NOBODY = "compute:GlobalInvocationID=4294967295,0,0"
WAYS = ("no layer", "trace", "debug")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["programs", "pipelines"])
    parser.add_argument("--build", default=HERE.parent / "build", type=pathlib.Path, help="folder with bin, lib, share")
    parser.add_argument("--loader", default="", help="command that starts the programs, where the system's dynamic loader cannot")
    parser.add_argument("--driver", help="driver file (VK_DRIVER_FILES); without it the machine's drivers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--log2", type=int, default=20, help="words of the compute programs")
    parser.add_argument("--shaders", nargs="+", help="only these (`pipeline_bench list`)")
    parser.add_argument("--at", default=NOBODY, help="the invocations that are chosen; without it none")
    parser.add_argument("--code", help="trace only this code of the shaders")
    parser.add_argument("--timeout", default=120, type=float, help="seconds for one pipeline; what takes longer is stopped")
    return parser.parse_args()


def run(arguments, way, program, folder):
    """Returns what the program wrote (device, values, warm-ups); None if it took too long."""
    output = f"{folder}/times"
    layer = {"no layer": [], "trace": ["trace", "-o", f"{folder}/trace"], "debug": ["debug"]}[way]
    command = [str(arguments.build / "bin/shaderqa"), *layer, "--at", arguments.at, "--"] if layer else []
    if layer and arguments.code:
        command[-1:] = ["--code", arguments.code, "--"]
    command += [*arguments.loader.split(), str(arguments.build / "bin" / program[0]), *(output if word == "OUT" else word for word in program[1:])]
    # A session of its own, to stop what `shaderqa` started too.
    process = subprocess.Popen(command, env=clean_environment(arguments.driver, folder), start_new_session=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, errors = process.communicate(timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    # Without memory for the trace nothing would be measured.
    if process.returncode or (layer and ("loaded in 1 process" not in errors or "nothing is traced" in errors)):
        raise SystemExit(f"{' '.join(program)}, {way}: {errors}")
    return read_times(output)


def heading(unit):
    print(f"| | no layer [{unit}] |" + "".join(f" {way} [{unit}] | ratio |" for way in WAYS[1:]))
    print("|---|---|" + "---|---|" * (len(WAYS) - 1))


def row(name, values):
    plain = values["no layer"]
    cells = [f" {values[way]:.4g} | {values[way] / plain:.2f} |" if values[way] != math.inf else " too long | |" for way in WAYS[1:]]
    print(f"| {name} | {plain:.4g} |" + "".join(cells), flush=True)


def programs(arguments):
    best, warm_ups = {way: {} for way in WAYS}, []
    for _ in range(arguments.rounds):
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                result = run(arguments, way, ["sync_bench", "programs", "OUT", f"--log2={arguments.log2}"], folder)
            if result is None:
                raise SystemExit(f"{way}: it took more than --timeout")
            device, values, seen = result
            warm_ups += [(f"{what}, {way}", numbers) for what, numbers in seen]
            for name, value in values.items():
                best[way][name] = min(value, best[way].get(name, math.inf))
    heading("us")
    for name in best["no layer"]:
        row(name, {way: best[way][name] for way in WAYS})
    print(f"\n{device}. " + warm_up_text(warm_ups))


def pipelines(arguments):
    listed = subprocess.run([*arguments.loader.split(), str(arguments.build / "bin/pipeline_bench"), "list"], check=True,
                            capture_output=True, text=True).stdout
    words = dict(line.split("\t") for line in listed.splitlines())
    heading("ms")
    for shader in arguments.shaders or words:
        best, results = {way: math.inf for way in WAYS}, set()
        for _ in range(arguments.rounds):
            for way in WAYS:
                with tempfile.TemporaryDirectory() as folder:
                    result = run(arguments, way, ["pipeline_bench", shader, "OUT"], folder)
                if result is None:
                    continue
                device, values, _ = result
                results.add(values.get("result"))
                best[way] = min(best[way], values["pipeline [ms]"] + values["first dispatch [ms]"])
        if len(results) != 1:
            raise SystemExit(f"{shader}: the result differs from the one without the layer")
        row(f"{shader}, {words[shader]} words", best)
    print(f"\n{device}; caches empty; until the first dispatch has run.")


if __name__ == "__main__":
    chosen = parse_arguments()
    (programs if chosen.what == "programs" else pipelines)(chosen)
