#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs start_bench in new processes with empty caches, without the layer and under `shaderqa run --sync` with each value of `start`,
and prints the time from the start of the program to the end of its first submission, its largest memory, and multiples of those
without the layer. Each is the median of --runs runs, which alternate."""
import argparse
import pathlib
import statistics
import subprocess
import tempfile

from processes import clean_environment, under_shaderqa
from times import read_times

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = ["creation [ms]", "first submission [ms]", "memory [MiB]"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=HERE.parent / "build", type=pathlib.Path, help="folder with bin, lib, share")
    parser.add_argument("--loader", default="", help="command that starts the programs, where the system's dynamic loader cannot")
    parser.add_argument("--device", default="0", help="number of the Vulkan device")
    parser.add_argument("--driver", help="driver file (VK_DRIVER_FILES); without it the machine's drivers")
    parser.add_argument("--checks", default="--sync", help="options of `shaderqa run`")
    parser.add_argument("--created", default=1000, type=int, help="pipelines")
    parser.add_argument("--used", default=50, type=int, help="pipelines that the first submission uses")
    parser.add_argument("--start", nargs="+", default=["first_use", "background", "creation"])
    parser.add_argument("--runs", default=3, type=int)
    return parser.parse_args()


def measure(arguments, start):
    with tempfile.TemporaryDirectory() as folder:
        environment = clean_environment(arguments.driver, folder, SHADERQA_START=start)
        output = f"{folder}/times"
        command = [*arguments.loader.split(), str(arguments.build / "bin/start_bench"), output, str(arguments.created),
                   str(arguments.used), arguments.device]
        if start:
            command = under_shaderqa(arguments.build / "bin", arguments.checks.split(), command)
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        device, values, _ = read_times(output)
    return device, values


def main():
    arguments = parse_arguments()
    ways = ["", *arguments.start]
    seen = {way: [] for way in ways}
    for _ in range(arguments.runs):
        for way in ways:
            device, values = measure(arguments, way)
            seen[way].append(values)
    if len({values["checksum"] for runs in seen.values() for values in runs}) != 1:
        raise SystemExit("the results are not the same in all runs")
    print("| | " + " | ".join(NUMBERS) + " |")
    print("|---|" + "---|" * len(NUMBERS))
    for way in ways:
        row = f"| {'start=' + way if way else 'no layer'} |"
        for name in NUMBERS:
            value, plain = (statistics.median(run[name] for run in seen[which]) for which in (way, ""))
            row += f" {value:.4g} ({value / plain:.2f}) |" if way else f" {value:.4g} |"
        print(row)
    print(f"\n{device}; {arguments.created} pipelines, of which {arguments.used} are used; caches empty; medians of {arguments.runs}.")


if __name__ == "__main__":
    main()
