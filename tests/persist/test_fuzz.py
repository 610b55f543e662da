"""Ten thousand mutated files: no crash, no hang, no wrong model."""

import copy
import json
import os
import random
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

import linscope as ls
from tests.registry import three_classes

from .checks import sealed, split

FILES, FORGED = 10_000, 1_000


@pytest.fixture
def path():
    """A file in memory where there is such a thing: thousands are written."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder) / "m"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Files of some models, with X."""
    path, found = tmp_path_factory.mktemp("fuzz") / "m", []
    X, y = three_classes()
    models = [
        ls.LogisticRegression(multi_class="ovo"), ls.SVC(),
        ls.Perceptron(output="voted", max_iter=3), ls.FisherDiscriminant(),
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in models:
            ls.save(model.fit(X, y), path)
            found.append(path.read_bytes())
    return found, X


def mutated(data, chance):
    """A few bytes changed, cut out, doubled, moved, or the end missing."""
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 5, 50])):
        place, length = chance.randrange(len(out)), chance.choice([1, 1, 2, 8, 64])
        kind = chance.randrange(6)
        if kind == 0:
            out[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            out[place : place + length] = chance.randbytes(length)
        elif kind == 2:
            del out[place : place + length]
        elif kind == 3:
            out[place:place] = out[place : place + length]
        elif kind == 4:
            out[place : place + length] = chance.choice([b"\0", b"\xff", b"9", b"}"]) * length
        else:
            del out[chance.randrange(len(out)) :]
        if not out:
            break
    return bytes(out)


def test_mutated_files_are_refused(saved, path):
    files, _ = saved
    chance, longest = random.Random(16), 0.0
    for number in range(FILES):
        good = files[number % len(files)]
        data = mutated(good, chance)
        if data == good:
            continue
        path.write_bytes(data)
        start = time.perf_counter()
        with pytest.raises(ValueError, match=r"damaged|not a model|newer|larger"):
            ls.load(path)
        longest = max(longest, time.perf_counter() - start)
    assert longest < 10.0


def nodes(tree, found):
    """All places in a tree, as (container, key)."""
    if isinstance(tree, dict | list):
        for key in tree if isinstance(tree, dict) else range(len(tree)):
            found.append((tree, key))
            nodes(tree[key], found)
    return found


ODD = [
    None, True, 0, -1, 2**70, 0.5, "", "x", [], {}, {"list": []}, {"float": "nan"}, {"int": "-1"},
    {"object": "Pipeline", "fields": {}}, {"object": "SVC", "fields": {}},
    {"enum": "Status", "name": "SOLVED"}, {"type": "object"}, {"slice": [None, None, None]},
    {"array": "object", "shape": [0], "values": []}, {"tensor": "t0"}, {"tensor": "t1"},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_forged_files_are_refused_or_harmless(saved, path):
    """With a true checksum a file may say anything: no other error than the one, and no crash."""
    files, X = saved
    parts = [split(data) for data in files]
    chance, loaded = random.Random(17), 0
    for number in range(FORGED):
        header, document, tensors = copy.deepcopy(parts[number % len(parts)])
        places = nodes(document["model"], []) + nodes(header, [])
        for _ in range(chance.choice([1, 1, 2])):
            where, key = chance.choice(places)
            other, twin = chance.choice(places)
            value = chance.choice([copy.deepcopy(chance.choice(ODD)), copy.deepcopy(other[twin])])
            where[key] = value
        if chance.random() < 0.3:
            tensors = mutated(tensors, chance)[: len(tensors)].ljust(len(tensors), b"\xff")
        path.write_bytes(sealed(header, document, tensors))
        try:
            model = ls.load(path)
        except ValueError:
            continue
        loaded += 1
        with suppress(Exception):  # whatever it says: it is an error, not a crash
            model.predict(X)
    assert 0 < loaded < FORGED


def test_the_models_of_the_fuzz_test_are_good_themselves(saved, tmp_path):
    files, X = saved
    for data in files:
        (tmp_path / "m").write_bytes(data)
        assert len(ls.load(tmp_path / "m").predict(X)) == len(X)
        assert json.loads(json.dumps(split(data)[1]))["about"] == {}
