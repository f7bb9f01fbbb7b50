#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs pipeline_bench for each shader in new processes with empty caches, without the layer and under `shaderqa run --sync` with each
value of sync_calls, and prints how long the pipeline and its first dispatch took (some drivers compile only then), how long one
dispatch takes, and multiples of the times without the layer."""
import argparse
import os
import pathlib
import signal
import subprocess
import tempfile

from processes import clean_environment, under_shaderqa
from times import read_times, warm_up_text

HERE = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=HERE.parent / "build", type=pathlib.Path, help="folder with bin, lib, share")
    parser.add_argument("--loader", default="", help="command that starts the programs, where the system's dynamic loader cannot")
    parser.add_argument("--device", default="0", help="number of the Vulkan device")
    parser.add_argument("--driver", help="driver file (VK_DRIVER_FILES); without it the machine's drivers")
    parser.add_argument("--checks", default="--sync", help="options of `shaderqa run`")
    parser.add_argument("--calls", nargs="+", default=["never", "auto", "always"], choices=["never", "auto", "always", "queue"])
    parser.add_argument("--shaders", nargs="+", help="only these (`pipeline_bench list`)")
    parser.add_argument("--timeout", default=60, type=float, help="seconds for one shader; what takes longer is stopped")
    return parser.parse_args()


def note_result(shader, calls, result, results, notes):
    """pipeline_bench itself compares results with the host's. Bits may differ: where a shader is not `precise`, the driver chooses
    which multiplications and additions become one operation."""
    if result is not None and results.setdefault(shader, result) != result:
        notes.append(f"{shader}, sync_calls={calls}")


def measure(arguments, shader, calls, warm_ups, results, notes):
    """The milliseconds until the first dispatch has run, and the microseconds of one; or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        output = f"{folder}/times"
        command = [*arguments.loader.split(), str(arguments.build / "bin/pipeline_bench"), shader, output, arguments.device]
        if calls:
            command = under_shaderqa(arguments.build / "bin", arguments.checks.split(), command)
        # A session of its own, to stop what `shaderqa run` started too.
        process = subprocess.Popen(command, env=clean_environment(arguments.driver, folder, SHADERQA_SYNC_CALLS=calls), start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, errors = process.communicate(timeout=arguments.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return f"> {arguments.timeout:g} s", "", None
        if process.returncode:
            raise SystemExit(f"{shader}, {calls or 'no layer'}: {errors}")
        device, values, seen = read_times(output)
    warm_ups += [(f"{what}, {calls or 'no layer'}", numbers) for what, numbers in seen]
    note_result(shader, calls, values.get("result"), results, notes)
    return values["pipeline [ms]"] + values["first dispatch [ms]"], values["dispatch [us]"], device


def cell(value, plain):
    if isinstance(value, str):
        return value
    return f"{value:.4g}" if plain is None else f"{value:.4g} ({value / plain:.1f})"


def main():
    arguments = parse_arguments()
    listed = subprocess.run([*arguments.loader.split(), str(arguments.build / "bin/pipeline_bench"), "list"], check=True,
                            capture_output=True, text=True).stdout
    words = dict(line.split("\t") for line in listed.splitlines())
    warm_ups, results, notes = [], {}, []
    ways = ["", *arguments.calls]
    names = ["no layer", *(f"sync_calls={calls}" for calls in arguments.calls)]
    print("| shader | words |" + "".join(f" {name}: first run [ms] | dispatch [us] |" for name in names))
    print("|---|---|" + "---|---|" * len(ways))
    for shader in arguments.shaders or words:
        row, plain = f"| {shader} | {words[shader]} |", (None, None)
        for way in ways:
            ready, dispatch, found = measure(arguments, shader, way, warm_ups, results, notes)
            row += f" {cell(ready, plain[0])} | {cell(dispatch, plain[1])} |"
            if not way:
                if isinstance(ready, str):
                    raise SystemExit(f"{shader}: without the layer it took more than --timeout")
                device, plain = found, (ready, dispatch)
        print(row, flush=True)
    print(f"\n{device}; caches empty; in brackets: times no layer. " + warm_up_text(warm_ups))
    if notes:
        print("Results differ in bits from those without the layer: " + "; ".join(notes) + ".")


if __name__ == "__main__":
    main()
