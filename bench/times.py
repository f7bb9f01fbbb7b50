# SPDX-License-Identifier: Apache-2.0
"""Reads what the benchmarks write: a line `# DEVICE`, lines `# warm-up<TAB>WHAT<TAB>NAME NUMBER...`, and lines `NAME<TAB>VALUE`."""

WARM_UP = "# warm-up\t"


def read_times(path):
    """Returns the device's name, the times by name, and the warm-ups as (what, numbers by name)."""
    device, values, warm_ups = "", {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line.startswith(WARM_UP):
                what, *numbers = line[len(WARM_UP):].split("\t")
                warm_ups.append((what, {name: float(value) for name, value in (n.rsplit(" ", 1) for n in numbers)}))
            elif line.startswith("#"):
                device = line[2:]
            else:
                name, value = line.split("\t")
                values[name] = float(value)
    return device, values, warm_ups


def warm_up_text(warm_ups):
    """One paragraph about all warm-ups of a comparison: how slow the GPU was before them, and what stayed unsteady."""
    if not warm_ups:
        return "Nothing here is measured on the GPU, so it was not warmed up."
    numbers = [n for _, n in warm_ups]
    measurements, unsteady = (int(sum(n[name] for n in numbers)) for name in ("measurements", "unsteady"))
    what, worst = max(warm_ups, key=lambda w: w[1]["first us"] / w[1]["fastest us"])
    text = (f"Warm-up: {sum(n['ms'] for n in numbers) / 1000:.1f} s before {measurements} measurements. At its start the device was "
            f"up to {worst['first us'] / worst['fastest us']:.1f} times slower than at its best ({what}). ")
    if not unsteady:
        return text + "It was steady before every measurement."
    names = sorted({name for name, n in warm_ups if n["unsteady"]})
    more = f"; and {len(names) - 6} more" if len(names) > 6 else ""
    return text + f"NOT STEADY when the time limit was reached: {unsteady} of {measurements} ({'; '.join(names[:6])}{more})."
