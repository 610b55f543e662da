"""Available memory: files of several systems, made by hand."""

import math

import pytest

from linscope.rows import memory_budget as memory
from linscope.rows.memory_budget import available_memory, memory_budget

MEMINFO = "MemTotal:       24682416 kB\nMemFree:  1000 kB\nMemAvailable:   8000000 kB\n"


def system(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 8_192_000_000),
        # version 2: the group itself, then a group above it, then no limit
        (
            {
                "proc/self/cgroup": "0::/jobs/one\n",
                "sys/fs/cgroup/jobs/one/memory.max": "3000000000\n",
                "sys/fs/cgroup/jobs/one/memory.current": "1000000000\n",
            },
            2_000_000_000,
        ),
        (
            {
                "proc/self/cgroup": "0::/jobs/one\n",
                "sys/fs/cgroup/jobs/one/memory.max": "max\n",
                "sys/fs/cgroup/jobs/one/memory.current": "1000000000\n",
                "sys/fs/cgroup/jobs/memory.max": "3000000000\n",
                "sys/fs/cgroup/jobs/memory.current": "2500000000\n",
                "sys/fs/cgroup/jobs/memory.stat": "anon 2\nfile 9\ninactive_file 1000000000\n",
            },
            1_500_000_000,
        ),
        # a container: its path is unknown inside, the limit is at the mount
        (
            {
                "proc/self/cgroup": "0::/docker/abc\n",
                "sys/fs/cgroup/memory.max": "1000000000",
                "sys/fs/cgroup/memory.current": "1200000000",
            },
            0,
        ),
        # version 1, without a limit and with one
        (
            {
                "proc/self/cgroup": "5:devices:/\n4:cpu,memory:/x\n0::/\n",
                "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n",
                "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "100\n",
            },
            8_192_000_000,
        ),
        (
            {
                "proc/self/cgroup": "5:devices:/\n4:memory:/x\n0::/\n",
                "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "5000000000\n",
                "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "2000000000\n",
                "sys/fs/cgroup/memory/x/memory.stat": "total_inactive_file 500000000\n",
            },
            3_500_000_000,
        ),
        ({"proc/self/cgroup": "no groups here\n\n::\n"}, 8_192_000_000),
    ],
)
def test_memory_of_the_machine_and_of_its_groups(tmp_path, files, expected):
    assert available_memory(system(tmp_path, {"proc/meminfo": MEMINFO, **files})) == expected


@pytest.mark.parametrize("text", ["", "MemAvailable:\n", "MemAvailable: lots kB\n", "MemTotal: 3"])
def test_other_systems_get_an_answer(tmp_path, monkeypatch, text):
    root = system(tmp_path, {"proc/meminfo": text})
    monkeypatch.setattr(
        memory.os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}.__getitem__
    )
    assert available_memory(root) == 2_048_000

    def refuse(name):
        raise ValueError(name)

    monkeypatch.setattr(memory.os, "sysconf", refuse)
    assert available_memory(root) == available_memory(tmp_path / "nothing") == 4e9
    monkeypatch.delattr(memory.os, "sysconf")
    assert available_memory(root) == 4e9


@pytest.mark.parametrize(
    ("available", "expected"), [(0.0, 2**27), (1e9, 2**27), (4.4e9, 2**30), (64e9, 2**33)]
)
def test_a_quarter_unless_told(monkeypatch, available, expected):
    monkeypatch.setattr(memory, "available_memory", lambda: available)
    assert memory_budget() == memory_budget(None) == expected
    assert memory_budget(5e4) == 5e4
    assert memory_budget(math.inf) == math.inf
