#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the structure of the source tree: what includes what, how long files are, that each names its licence,
that comments put the subject first.

usage: check_includes.py ROOT RULES | check_includes.py --self-test
"""
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

LONGEST = 500  # lines of a file
CODE = {".cpp", ".h", ".c", ".inl", ".glsl", ".py", ".sh", ".cmake", ".mjs"}
SHADERS = {".comp", ".vert", ".frag", ".geom", ".tesc", ".tese", ".mesh", ".task",
           ".rgen", ".rchit", ".rahit", ".rmiss", ".rint", ".rcall"}
LICENSED = CODE | SHADERS | {".spvasm"}
# Written by programs: the SPIR-V that the rewriter is given and that it must produce, and a module of Dawn's.
GENERATED = ("tests/instrument/golden/", "tests/instrument/fixtures/")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
OF = re.compile(r"(?://|#)(?: .*[.:;])? Of [a-z]")


class Rules:
    def __init__(self, text):
        self.may, self.never, self.free = {}, {}, []
        self.parts, self.sources_only, self.unless = set(), set(), set()
        groups = {}
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, _, entries = line.partition(":")
            entries = [entry for name_or_entry in entries.split() if name_or_entry != "-"
                       for entry in groups.get(name_or_entry, [name_or_entry])]
            if name.startswith("@"):
                groups[name] = entries
            elif name == "free":
                self.free += entries
            elif name == "parts":
                self.parts |= set(entries)
            elif name == "sources only":
                self.sources_only |= set(entries)
            elif name == "unless":
                self.unless |= set(entries)
            elif name.endswith(" never"):
                self.never[name[:-len(" never")]] = entries
            else:
                self.may[name] = set(entries)

    def is_free(self, folder):
        return any(folder == free or folder.startswith(free + "/") for free in self.free)

    def is_ours(self, path):
        tops = {folder.split("/")[0] for folder in list(self.may) + self.free}
        return path.split("/")[0] in tops

    def cycle(self):
        """Folders that may include each other in a circle; empty if there are none."""
        done, path = set(), []

        def visit(folder):
            if folder in path:
                return path[path.index(folder):] + [folder]
            if folder in done:
                return []
            path.append(folder)
            for entry in sorted(self.may.get(folder, ())):
                if entry in self.may:
                    found = visit(entry)
                    if found:
                        return found
            path.pop()
            done.add(folder)
            return []

        for folder in self.may:
            found = visit(folder)
            if found:
                return found
        return []


def files_of(root):
    if os.path.exists(os.path.join(root, ".git")):
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                                capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return sorted(f for f in set(listed.stdout.split("\n")) if f and os.path.isfile(os.path.join(root, f)))
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", ".git", "shared")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def include_problems(rules, path, text):
    folder = os.path.dirname(path)
    includes = INCLUDE.findall(text)
    is_hook = path.endswith(".cpp") and "layer/loader/device.h" in includes
    for included in includes:
        for top, prefixes in rules.never.items():
            if (folder + "/").startswith(top + "/") and included.startswith(tuple(prefixes)):
                yield f"{path}: includes {included}, which nothing in {top} may include"
        if not rules.is_ours(included):
            continue
        if included in rules.sources_only and path.endswith(".h") and path not in rules.unless:
            yield f"{path}: a header must not include {included}"
        if os.path.dirname(included) == folder:
            continue
        allowed = rules.may[folder]
        if os.path.dirname(included) in allowed or any(fnmatch.fnmatch(included, entry) for entry in allowed):
            continue
        if is_hook and included in rules.parts:
            continue
        yield f"{path}: includes {included}, which the rules of {folder} do not allow"


def problems_of(root, rules_text):
    rules = Rules(rules_text)
    problems = []
    circle = rules.cycle()
    if circle:
        problems.append("the rules allow a cycle of folders: " + " -> ".join(circle))
    seen = set()
    for path in files_of(root):
        folder, suffix = os.path.dirname(path), os.path.splitext(path)[1]
        generated = path.startswith(GENERATED)
        is_cmake = os.path.basename(path) == "CMakeLists.txt"
        if suffix not in LICENSED and not is_cmake:
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        if not generated and "SPDX-License-Identifier:" not in text:
            problems.append(f"{path}: has no line with SPDX-License-Identifier")
        if not generated and text.count("\n") > LONGEST:
            problems.append(f"{path}: has {text.count(chr(10))} lines, more than {LONGEST}")
        if not generated:
            problems += prose_problems(path, text)
        if suffix not in (".cpp", ".h", ".c", ".inl"):
            continue
        seen.add(folder)
        if folder in rules.may:
            problems += include_problems(rules, path, text)
        elif not rules.is_free(folder):
            problems.append(f"{path}: there is no rule for the folder {folder or '.'}")
    for folder in rules.may:
        if folder not in seen:
            problems.append(f"there is a rule for {folder}, which has no sources")
    problems += documentation_problems(root, rules)
    return problems


# A sentence has its subject first (CONTRIBUTING.md).
def prose_problems(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if OF.search(line):
            yield f"{path}:{number}: a sentence of a comment begins with 'Of'"


def documentation_problems(root, rules):
    design = os.path.join(root, "docs", "internals", "design.md")
    if not os.path.exists(design):
        return
    with open(design, encoding="utf-8") as file:
        text = file.read()
    for folder in rules.may:
        if f"| `{folder}/` |" not in text:
            yield f"docs/internals/design.md: its table of folders has no row for `{folder}/`"


SELF_TEST_RULES = """
@parts: low/pa*.h
low: -
high: low @parts up/device.h
up: low high
never_seen: -
high never: vulkan/
parts: up/part.h
sources only: up/device.h
free: tests
"""


def self_test():
    licence = "// SPDX-License-Identifier: Apache-2.0\n"
    good = {
        "low/a.h": licence,
        "high/b.cpp": licence + '#include "low/a.h"\n#include "high/c.h"\n#include <map>\n',
        "high/c.h": licence + '#include "low/part.h"\n',
        "up/d.cpp": licence + '#include "high/c.h"\n',
        "tests/e.cpp": licence + '#include "up/d.h"\n#include <vulkan/vulkan_core.h>\n',
        "tests/x.comp": "void main() {}\n" + licence,
        "tests/y.spvasm": "; SPDX-License-Identifier: Apache-2.0\n",
    }
    bad = {
        "low/a.h": (licence + '#include "high/c.h"\n', "low/a.h: includes high/c.h, which the rules of low do not"),
        "low/f.cpp": (licence + '  #  include "up/d.h"\n', "low/f.cpp: includes up/d.h"),
        "high/c.h": (licence + '#include "up/device.h"\n', "high/c.h: a header must not include up/device.h"),
        "high/g.cpp": (licence + "#include <vulkan/vulkan_core.h>\n", "high/g.cpp: includes vulkan/vulkan_core.h"),
        "high/part.cpp": (licence + '#include "up/part.h"\n', "high/part.cpp: includes up/part.h"),
        "other/h.cpp": (licence, "other/h.cpp: there is no rule for the folder other"),
        "tests/long.py": ("# SPDX-License-Identifier: Apache-2.0\n" * 501, "tests/long.py: has 501 lines"),
        "tests/z.frag": ("void main() {}\n", "tests/z.frag: has no line with SPDX"),
        "high/prose.cpp": (licence + "//" + " Of two cells the newer one.\n",
                           "high/prose.cpp:2: a sentence of a comment begins with 'Of'"),
        "docs/internals/design.md": ("| `low/` | lowest |\n| `high/` | |\n",
                           "docs/internals/design.md: its table of folders has no row for `up/`"),
    }
    rules = SELF_TEST_RULES.replace("never_seen: -\n", "")
    failures = []

    def expect(what, files, rules_text, wanted):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            found = problems_of(root, rules_text)
        fits = len(found) == 1 and wanted in found[0] if wanted else not found
        if not fits:
            failures.append(f"{what}: wanted {wanted or 'nothing'!r}, found {found}")

    expect("a correct tree", good, rules, "")
    for path, (text, wanted) in bad.items():
        expect(path, {**good, path: text}, rules, wanted)
    expect("a rule for nothing", good, SELF_TEST_RULES, "there is a rule for never_seen, which has no sources")
    expect("a cycle", {**good, "low/a.h": licence}, rules.replace("low: -", "low: up"),
           "the rules allow a cycle of folders: low -> up")
    # A hook may include parts that its folder may not include otherwise.
    hook = licence + '#include "layer/loader/device.h"\n#include "layer/queues/part.h"\n'
    hook_rules = ("layer/loader: layer/queues\nlayer/queues: -\nlayer/memory: layer/loader/device.h\n"
                  "parts: layer/queues/part.h\n")
    tree = {"layer/loader/device.h": licence, "layer/queues/part.h": licence, "layer/memory/m.cpp": hook}
    expect("a hook", tree, hook_rules, "")
    expect("a header is no hook", {**tree, "layer/memory/m.h": hook}, hook_rules,
           "layer/memory/m.h: includes layer/queues/part.h")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 2:
        print(__doc__)
        return 2
    with open(arguments[1], encoding="utf-8") as file:
        found = problems_of(arguments[0], file.read())
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
