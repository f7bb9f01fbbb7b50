#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what a file uses of the C++ standard library is included by it, or by a header of the project that it includes.
Precompiled headers hide a missing include; builds without them (the sanitizers', those for 32 bits) then fail.

usage: check_standard_includes.py ROOT | check_standard_includes.py --self-test
"""
import os
import re
import subprocess
import sys
import tempfile

NAMES = {
    "algorithm": "all_of any_of find_if lower_bound max_element min_element none_of sort transform upper_bound",
    "array": "array", "atomic": "atomic atomic_ref", "bit": "bit_cast bit_ceil countr_zero has_single_bit popcount",
    "chrono": "chrono", "condition_variable": "condition_variable", "cstring": "memcmp memcpy memset strcmp strlen",
    "deque": "deque", "filesystem": "filesystem", "fstream": "fstream ifstream ofstream", "functional": "function",
    "future": "async future promise", "limits": "numeric_limits", "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock unique_lock", "numeric": "accumulate iota",
    "optional": "nullopt optional", "queue": "priority_queue queue", "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex", "span": "span", "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error", "string": "string to_string",
    "string_view": "string_view", "thread": "jthread thread", "tuple": "tie tuple", "unordered_map": "unordered_map",
    "unordered_set": "unordered_set", "utility": "exchange pair", "variant": "variant visit", "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES.items() for name in names.split()}
# Headers that give the names of others, too.
GIVES = {"string_view": {"string"}, "utility": {"map", "memory", "tuple", "unordered_map"}}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
USE = re.compile(r"\bstd::(\w+)")
# Included as "NAME.h" by targets that have these folders in their paths.
SEARCHED = ("", "tests/kit")


def sources_of(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.cpp", "*.h"],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        found = listed.stdout.split("\n")
    else:
        found = [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names]
    return [f for f in sorted(set(found)) if f.endswith((".cpp", ".h")) and os.path.isfile(os.path.join(root, f))]


class Tree:
    def __init__(self, root):
        self.texts = {}
        for path in sources_of(root):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                self.texts[path] = re.sub(r"//.*", "", file.read())

    def find(self, path, included):
        for folder in (os.path.dirname(path), *SEARCHED):
            candidate = os.path.normpath(os.path.join(folder, included))
            if candidate in self.texts:
                return candidate
        return None

    def reached(self, path, seen):
        """The headers that are not the project's and that `path` includes, itself or by the project's headers."""
        found = set()
        for included in INCLUDE.findall(self.texts[path]):
            header = self.find(path, included)
            if header is None:
                found.add(included)
            elif header not in seen:
                seen.add(header)
                found |= self.reached(header, seen)
        return found

    def problems(self):
        for path, text in self.texts.items():
            reached = self.reached(path, {path})
            for name in sorted(set(USE.findall(text))):
                header = HEADER_OF.get(name)
                if header and header not in reached and not GIVES.get(header, set()) & reached:
                    yield f"{path}: uses std::{name} without <{header}>"


def self_test():
    tree = {
        "a/use.h": "#include <memory>\nstd::shared_ptr<int> p;  // std::map\n",
        "a/good.cpp": '#include "a/use.h"\n#include <string>\nstd::unique_ptr<int> q;\nstd::string_view s;\n',
        "a/circle.h": '#include "a/round.h"\nstd::vector<int> v;\n',
        "a/round.h": '#include "a/circle.h"\n#include <vector>\n',
        "a/bad.h": '#include "a/use.h"\nstd::optional<int> o;\n',
    }
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        found = list(Tree(root).problems())
    wanted = ["a/bad.h: uses std::optional without <optional>"]
    if found != wanted:
        print(f"wanted {wanted}, found {found}")
    return 0 if found == wanted else 1


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__)
        return 2
    found = list(Tree(arguments[0]).problems())
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
