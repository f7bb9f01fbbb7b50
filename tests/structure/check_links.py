#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what the documentation points to exists: relative links and their anchors, paths of the repository in the text, and
pages of docs/ that other files mention. usage: check_links.py ROOT | check_links.py --self-test"""
import glob
import itertools
import pathlib
import re
import sys
import tempfile

FOLDERS = ["bench", "cmake", "docs", "host", "instrument", "layer", "manifests", "samples", "tests", "tools"]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE_SPAN = re.compile(r"`([^`]+)`")
PATH = re.compile(r"(?<![\w./-])((?:" + "|".join(FOLDERS) + r")/[\w./{},*-]*)")
PAGE = re.compile(r"(?<![\w./-])docs/[\w./-]+\.(?:md|json)\b")


def anchors(page):
    """The anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ +(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "")).strip().lower().replace(" ", "-") for heading in headings}


def expand(path):
    """`a/{b,c}.d` stands for a/b.d and a/c.d."""
    parts = re.split(r"\{([^}]*)\}", path)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def exists(root, path):
    """Also true for a path without its ending, which stands for a source file and its header."""
    path = path.rstrip("/")
    return bool(glob.glob(str(root / path)) or ("." not in path.rsplit("/", 1)[-1] and glob.glob(str(root / path) + ".*")))


def check_page(root, page):
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(root)
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        if not linked.exists():
            yield f"{name}: dead link {target}"
        elif anchor and anchor not in anchors(linked):
            yield f"{name}: no heading for {target}"
    text = LINK.sub("", text)
    spans = set(CODE_SPAN.findall(text))
    inside = {path for span in spans for path in PATH.findall(span)}
    named = {path for path in PATH.findall(text) if re.search(r"\.\w+$", path.rstrip("."))}
    for path in sorted({path.rstrip(".,") for path in inside | named}):
        for one in expand(path):
            if not exists(root, one):
                yield f"{name}: {one} does not exist"


def check_mentions(root, file):
    for page in sorted(set(PAGE.findall(file.read_text(encoding="utf-8", errors="replace")))):
        if not (root / page).exists():
            yield f"{file.relative_to(root)}: {page} does not exist"


def check(root):
    problems = []
    for page in [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]:
        problems += check_page(root, page)
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.is_file() and folder != "docs" and "__pycache__" not in file.parts and file.name != "check_links.py":
                problems += check_mentions(root, file)
    return problems


def self_test():
    good = "# Two words\n[here](#two-words) [page](docs/a.md#part-1) [web](https://example.org/x)\n" \
           "`host/one` `host/{one,two}.cpp` `host/*.cpp` `host/`\n    host/one.cpp:12 build/host/none.cpp\n"
    bad = {
        "[x](docs/none.md)": "README.md: dead link docs/none.md",
        "[x](docs/a.md#none)": "README.md: no heading for docs/a.md#none",
        "[x](#none)": "README.md: no heading for #none",
        "`host/three.cpp`": "README.md: host/three.cpp does not exist",
        "`host/{one,three}.cpp`": "README.md: host/three.cpp does not exist",
        "`host/three`": "README.md: host/three does not exist",
        "`host/*.glsl`": "README.md: host/*.glsl does not exist",
        "    at host/three.cpp:12": "README.md: host/three.cpp does not exist",
        "see host/three.cpp.": "README.md: host/three.cpp does not exist",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {"docs/a.md": "## Part 1\n", "host/one.cpp": "// docs/a.md.\n", "host/two.cpp": ""}.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        readme = root / "README.md"
        readme.write_text(good)
        assert check(root) == [], check(root)
        for text, problem in bad.items():
            readme.write_text(text + "\n")
            assert check(root) == [problem], (text, check(root))
        readme.write_text("")
        (root / "host/two.cpp").write_text("// docs/b.md\n")
        assert check(root) == ["host/two.cpp: docs/b.md does not exist"], check(root)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        self_test()
        return
    problems = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
