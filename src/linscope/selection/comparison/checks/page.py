"""docs/checks.md, written from the registry.

python -m linscope.selection.comparison.checks.page > docs/checks.md
"""

from __future__ import annotations

from . import RULES
from .registry import GROUPS

HEAD = """\
# Checks

`linscope compare` looks for faults in the table, in the fits and in the scores. Each check has a
code. A **problem** makes scores worthless until it is explained, a **warning** makes them doubtful,
a **note** is good to know. Where a check finds a milder case it says so at a lower level.

What was found stands in the report with names and numbers, why it matters, and what to do.
`--ignore LS141` (or `ignore=["LS141"]`) folds a check away in the report; it is run all the same.

```python
>>> from linscope.selection.comparison.checks import RULES
>>> print(RULES["LS101"].title)
A column separates the classes by itself

```
"""


def checks_page() -> str:
    """The page: one table for each group of codes."""
    lines = [HEAD]
    for digit, group in GROUPS.items():
        lines += [f"## {group}", "", "| code | level | what is found | what it means |"]
        lines.append("|---|---|---|---|")
        for code, rule in sorted(RULES.items()):
            if code[2] == digit:
                lines.append(f"| {code} | {rule.level} | {rule.title} | {rule.meaning} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(checks_page(), end="")
