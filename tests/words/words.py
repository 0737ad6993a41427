#!/usr/bin/env python3
"""Is the English plain? Rules that a script can check, over README.md, docs/ and the comments of C++ code.

  sentence   at most 40 words in README.md and docs/; tables, headings and code blocks aside
  line       at most 120 columns there; rows of tables and code blocks aside, which cannot be wrapped
  behind     only together with a stack, there and in comments of .h and .cc: say after, beyond, following

words.py ROOT            prints every offence that is not on the list, and every name on the list without one; 1 if any
words.py ROOT --counts   prints how many there are of each rule in each file

not_yet.txt lists what may still offend: a rule and a file, or a folder with '/' at its end. It only ever shrinks.
"""
import collections
import pathlib
import re
import sys

MOST_WORDS = 40
MOST_COLUMNS = 120
CODE_FOLDERS = ("isa", "asm", "weights", "vm", "neural", "frontends", "bench", "tests", "examples")
SKIPPED = re.compile(r"(^|/)(build[^/]*|target|__pycache__|\.[^/]*)/")

# A comment, or what must not be taken for one.
TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
BEHIND = re.compile(r"\bbehind\b", re.I)
STACK = re.compile(r"\bstacks?\b", re.I)
SENTENCE_END = re.compile(r'[.!?]["”)*_]*(?:\s+|$)(?=$|["“(*_`\[A-Z0-9])')
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|vs|etc|no|fig)\.$", re.I)


def prose(text):
    """The paragraphs of a Markdown text as (line number, text); tables, headings and code blocks left out."""
    paragraph, first, in_code = [], 0, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        fence = line.lstrip().startswith("```")
        in_comment = line.startswith("<!--")
        item = re.match(r"\s*([-*+]|\d+\.)\s+", line)
        ends = fence or in_code or in_comment or not line.strip() or line.startswith(("#", "|")) or item
        if ends and paragraph:
            yield first, " ".join(paragraph)
            paragraph = []
        if fence:
            in_code = not in_code
        elif item and not in_code:
            paragraph, first = [line[item.end():]], number
        elif not ends:
            first = first if paragraph else number
            paragraph.append(line.strip())


def sentences(paragraph):
    """The sentences of a paragraph; a piece of code counts as one word, a link as its text."""
    plain = re.sub(r"``[^`]+``|`[^`]*`", "CODE", paragraph)
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", plain)
    begin = 0
    for end in SENTENCE_END.finditer(plain):
        if ABBREVIATION.search(plain[begin:end.start() + 1]):
            continue
        yield plain[begin:end.end()]
        begin = end.end()
    if plain[begin:].strip():
        yield plain[begin:]


def word_count(sentence):
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def check_document(text):
    """(rule, line number, what) of README.md or a page of docs/."""
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            if len(line) > MOST_COLUMNS and not line.startswith("|"):
                yield "line", number, f"{len(line)} columns"
            if BEHIND.search(line) and not STACK.search(line):
                yield "behind", number, line.strip()[:80]
    for number, paragraph in prose(text):
        for sentence in sentences(paragraph):
            if word_count(sentence) > MOST_WORDS:
                yield "sentence", number, f"{word_count(sentence)} words: {sentence[:60]}..."


def check_code(text):
    """The same of a source file: its comments."""
    for token in TOKENS.finditer(text):
        comment = token.group()
        if not comment.startswith(("//", "/*")):
            continue
        for line, words in enumerate(comment.split("\n")):
            if BEHIND.search(words) and not STACK.search(words):
                yield "behind", text.count("\n", 0, token.start()) + line + 1, words.strip()[:80]


def offences(root):
    """(rule, path, line number, what) of the whole tree."""
    documents = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    code = [path for folder in CODE_FOLDERS for path in sorted((root / folder).rglob("*"))
            if path.suffix in (".h", ".cc") and path.is_file()]
    for paths, check in ((documents, check_document), (code, check_code)):
        for path in paths:
            name = path.relative_to(root).as_posix()
            if SKIPPED.search(name):
                continue
            for rule, number, what in check(path.read_text(encoding="utf-8", errors="replace")):
                yield rule, name, number, what


def read_list(path):
    """The (rule, file or folder) that may still offend."""
    rows = [line.split() for line in path.read_text().split("\n") if line and not line.startswith("#")]
    return {(rule, name) for rule, name in rows}


def main(root, counts):
    found = list(offences(root))
    if counts:
        for (rule, name), count in sorted(collections.Counter((r, n) for r, n, _, _ in found).items()):
            print(f"{count:5} {rule} {name}")
        return 0
    listed = read_list(pathlib.Path(__file__).with_name("not_yet.txt"))
    used, failures = set(), 0
    for rule, name, number, what in found:
        excuse = next((row for row in listed if row[0] == rule and
                       (row[1] == name or row[1].endswith("/") and name.startswith(row[1]))), None)
        if excuse:
            used.add(excuse)
            continue
        failures += 1
        print(f"{name}:{number}: {rule}: {what}")
    for rule, name in sorted(listed - used):
        failures += 1
        print(f"not_yet.txt: {rule} {name} has become clean: take it off the list")
    print(f"{failures} to mend; {len(listed)} on the list")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), "--counts" in sys.argv))
