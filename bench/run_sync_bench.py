#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs sync_bench (for `fft`: fft_bench) with and without sync validation, in turns, and prints the fastest times, their ratios,
and what the warm-ups before the measurements saw. `false-reports` measures how often the filter reports a race where there is none,
beside what theory predicts."""
import argparse, json, math, os, re, subprocess, sys, tempfile

from processes import clean_environment, under_shaderqa
from times import read_times, warm_up_text


def program(options, what, arguments):
    name, first = ("fft_bench", []) if what == "fft" else ("sync_bench", [what])
    return options.loader.split() + [os.path.join(options.bin, name)] + first + arguments


def under_layer(options, settings, command):
    return under_shaderqa(options.bin, settings, command)


def environment(options):
    return clean_environment(options.driver, VKD3D_BLOOM_BUFFER_SIZE_LOG2=str(options.filter_log2),
                             # Settings may be measured by their variables (docs/internals/benchmarks.md).
                             **{name: value for name, value in os.environ.items() if name.startswith("SHADERQA_")})


def times(options, command, out):
    subprocess.run(command, check=True, env=environment(options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return read_times(out)


def compare(options, what, more):
    warm_ups = []
    # off: the layer is there, and checks are off. budget: they take 5 % of the time.
    settings = {"images": ["--sync", "--sync-images"], "off": ["--sync", "--after=never"], "budget": ["--sync", "--budget=5%"]}
    runs = {"no layer": {}, **{"sync=" + engine: {} for engine in options.engines}}
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        for _ in range(options.rounds):
            plain = program(options, what, [out] + more)
            commands = {name: plain if name == "no layer" else
                        under_layer(options, settings.get(name.removeprefix("sync="), ["--" + name]), plain) for name in runs}
            for name, command in commands.items():
                _, values, seen = times(options, command, out)
                warm_ups += [(f"{what}, {name}", numbers) for what, numbers in seen]
                for key, value in values.items():
                    runs[name][key] = min(value, runs[name].get(key, math.inf))
    layered = [name for name in runs if name != "no layer"]
    print("| | no layer [us] |" + "".join(f" {name} [us] | ratio |" for name in layered))
    print("|---|---|" + "---|---|" * len(layered))
    for key, plain in runs["no layer"].items():
        print(f"| {key} | {plain:.3g} |" + "".join(f" {runs[n][key]:.3g} | {runs[n][key] / plain:.2f} |" for n in layered))
    print("\n" + warm_up_text(warm_ups))


# How many failures the layer counted in a program without a race, whether it reported them or not.
def false_reports(options, granules):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        command = under_layer(options, ["--sync=bloom", "--report", report], program(options, "fill", [str(granules)]))
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       env=environment(options))
        findings = [json.loads(line) for line in open(report)] if os.path.exists(report) else []
    hazards = [f for f in findings if f["kind"] == "hazard"]
    counted = [f["count"] for f in findings if f["kind"] == "note" and "count" in f]
    notes = [f["text"] for f in findings if f["kind"] == "note"]
    doubted = [int(n) for text in notes for n in re.findall(r"failed (\d+) times in all", text)]
    return max([len(hazards)] + counted + doubted), notes


# Expected reports while `granules` distinct granules are marked one after another: the n-th is reported with the
# probability that all of its 16 buckets are taken.
def theory(granules, buckets, hashes=16):
    total, step = 0.0, max(1, granules // 4096)
    for n in range(0, granules, step):
        taken = 1.0 - math.exp(-hashes * n / buckets)
        total += taken**hashes * min(step, granules - n)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["programs", "buffered", "images", "frames", "fft", "draws", "host", "false-reports"])
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--loader", default="", help="command that starts the programs, where the system's dynamic loader cannot")
    parser.add_argument("--driver", default="", help="ICD manifest")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engines", nargs="+", default=["bloom", "exact"], choices=["bloom", "exact", "images", "off", "budget"],
                        help="images: the exact engine with --sync-images; off: the exact engine with its checks switched off; budget: within 5 %% of the time")
    parser.add_argument("--log2", type=int, default=20, help="words of the compute programs and of the transforms, texels of the images")
    parser.add_argument("--seconds", type=float, default=10, help="of each program of `frames`")
    parser.add_argument("--filter-log2", type=int, default=26, help="bytes of the filter")
    options = parser.parse_args()
    if options.what == "false-reports":
        print("| granules | reported | theory |\n|---|---|---|")
        for granules in (100_000, 1_000_000, 4_000_000):
            count, notes = false_reports(options, granules)
            # The fill is followed by 65536 more.
            wanted = theory(granules + 65536, 1 << (options.filter_log2 - 3))
            print(f"| {granules} | {count} | {wanted:.1f} |")
            for note in notes:
                print(f"  note: {note}", file=sys.stderr)
    else:
        more = [f"--log2={options.log2}"] if options.what in ("programs", "buffered", "images", "frames", "fft") else []
        compare(options, options.what, more + ([f"--seconds={options.seconds}"] if options.what == "frames" else []))


if __name__ == "__main__":
    main()
