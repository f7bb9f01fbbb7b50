#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cache_bench in new processes without the layer and with it, with and without SHADERQA_CACHE_DIR, each time first with all
caches empty (cold) and then as the run before left them (warm), and prints what pipelines cost, as multiples of the cold run
without the layer. The driver's own disk cache is emptied too, as far as an environment variable can (Mesa, NVIDIA)."""
import argparse
import pathlib
import subprocess
import tempfile

from processes import clean_environment, under_shaderqa

HERE = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=HERE.parent / "build", type=pathlib.Path, help="folder with bin, lib, share")
    parser.add_argument("--device", default="0", help="number of the Vulkan device")
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--draws", nargs="?", const="draws", choices=["draws", "buffered"],
                        help="pipelines of draws instead of compute pipelines; buffered: with descriptor buffers")
    parser.add_argument("--driver", help="driver file (VK_DRIVER_FILES); without it the machine's drivers")
    parser.add_argument("--checks", default="--printf --sync", help="options of `shaderqa run`")
    return parser.parse_args()


def run(command, variables, output):
    subprocess.run(command, env=variables, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = open(output, encoding="utf-8").read().splitlines()
    return lines[0][2:], dict(line.split("\t") for line in lines[1:])


def main():
    arguments = parse_arguments()
    layer = under_shaderqa(arguments.build / "bin", arguments.checks.split(), [])
    ways = {"no layer": ([], False), "shaderqa": (layer, False), "shaderqa, cache_dir": (layer, True)}
    time, driver_time = "create modules and pipelines [ms]", "the driver's part of it, by its feedback [ms]"
    best, hits, device = {}, {}, ""
    for _ in range(arguments.rounds):
        for way, (prefix, cached) in ways.items():
            with tempfile.TemporaryDirectory() as folder:
                variables = clean_environment(arguments.driver, folder)
                if cached:
                    variables["SHADERQA_CACHE_DIR"] = f"{folder}/shaderqa"
                output = f"{folder}/times"
                command = [*prefix, str(arguments.build / "bin/cache_bench"), output, f"{folder}/pipelines",
                           arguments.device, *([arguments.draws] if arguments.draws else [])]
                for state in "cold", "warm":
                    device, values = run(command, variables, output)
                    key = way, state
                    found = float(values[time]), float(values[driver_time])
                    best[key] = min(best.get(key, found), found)
                    hits[key] = "{} of {}".format(values["pipelines found in the application's cache"],
                                                  values["pipelines with feedback"])
    plain = best["no layer", "cold"][0]
    print(f"{device}; fastest of {arguments.rounds} runs of {values['pipelines']} pipelines; "
          "in brackets: times no layer, caches empty\n")
    print("| | caches | modules and pipelines [ms] | the driver's part [ms] | cache hits by creation feedback |")
    print("|---|---|---|---|---|")
    for (way, state), (whole, driver) in best.items():
        print(f"| {way} | {state} | {whole:.1f} ({whole / plain:.2f}) | {driver:.1f} | {hits[way, state]} |")


if __name__ == "__main__":
    main()
