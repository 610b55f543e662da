"""Files that are damaged, somebody else's, newer, too large, or were made to deceive."""

import os
import pickle
import struct
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import save as save_tensors

import linscope as ls
from linscope.persist import container, read_about
from linscope.persist.allowed import ENUMS, ESTIMATORS, RECORDS
from tests.registry import overlapping, three_classes

from .checks import sealed, sealed_text, split


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "m.linscope"
    X, y = three_classes()
    ls.save(ls.LogisticRegression().fit(X, y), path, about={"target": "y"})
    return path.read_bytes()


@pytest.fixture
def refuses(tmp_path):
    """Both readers give one ValueError that begins with the name of the file."""

    def check(data, words):
        path = tmp_path / "bad.linscope"
        path.write_bytes(data)
        for read in (ls.load, read_about):
            with pytest.raises(ValueError, match=words) as caught:
                read(path)
            assert type(caught.value) is ValueError
            assert str(caught.value).startswith(str(path))
            assert "\n" not in str(caught.value)

    return check


def test_the_writer_of_these_tests_writes_good_files(good, tmp_path):
    (tmp_path / "m").write_bytes(sealed(*split(good)))
    X, _ = three_classes()
    (tmp_path / "good").write_bytes(good)
    assert (ls.load(tmp_path / "m").predict(X) == ls.load(tmp_path / "good").predict(X)).all()


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_files_that_end_too_early(good, refuses, share):
    refuses(good[: int(share * len(good))], "damaged: |not a model of linscope")


def test_bytes_after_the_end(good, refuses):
    refuses(good + b"\0", "damaged: its checksum")


@pytest.mark.parametrize("place", [150, 300, 1000, -1, -30])
def test_one_bit(good, refuses, place):
    data = bytearray(good)
    data[place] ^= 4
    refuses(bytes(data), "damaged: its checksum")


def test_swapped_tensors(good, refuses):
    header, _, tensors = split(good)
    places = [entry["data_offsets"] for name, entry in header.items() if name != "__metadata__"]
    a, b = next(
        (a, b) for a in places for b in places
        if a[1] - a[0] == b[1] - b[0] and tensors[slice(*a)] != tensors[slice(*b)]
    )  # fmt: skip
    start = len(good) - len(tensors)
    data = bytearray(good)
    data[start + a[0] : start + a[1]] = tensors[slice(*b)]
    data[start + b[0] : start + b[1]] = tensors[slice(*a)]
    assert bytes(data) != good
    refuses(bytes(data), "damaged: its checksum")


def test_a_wrong_checksum(good, refuses):
    place = good.index(b'"sha256":"') + 10
    refuses(good[:place] + b"0" * 64 + good[place + 64 :], "damaged: its checksum")


def test_files_of_others(refuses, tmp_path):
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("m", "x" * 300)
    others = [
        b"", b"x", b"<!DOCTYPE html><html><body>404 Not Found</body></html>", bytes(1000),
        archive.read_bytes(), pickle.dumps(ls.LogisticRegression()),
        np.random.default_rng(0).bytes(500),
        save_tensors({"coef_": np.ones(3)}), save_tensors({"t0": np.ones(3)}, {"linscope": "x"}),
        b"a,b\n1,2\n" * 50, b'{"linscope": 1}' * 20,
    ]  # fmt: skip
    for data in others:
        refuses(data, "is not a model of linscope")


def test_a_pickle_is_not_executed(refuses, tmp_path):
    class Trap:
        def __reduce__(self):
            return open, (str(tmp_path / "trapped"), "w")

    refuses(pickle.dumps(Trap()), "is not a model of linscope")
    assert not (tmp_path / "trapped").exists()


def test_a_newer_format(good, refuses):
    refuses(
        good.replace(b'"linscope":"1"', b'"linscope":"2"'),
        r"was written by a newer linscope \(format 2; this one reads 1\): upgrade",
    )


def test_what_is_no_file_or_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        ls.load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        ls.load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe is not a file"):
        ls.load(tmp_path / "pipe")


def test_sizes_that_a_header_claims(good, refuses, monkeypatch):
    refuses(struct.pack("<Q", 1 << 62) + good[8:], "larger than any model")
    refuses(struct.pack("<Q", len(good)) + good[8:], "ends too early")
    monkeypatch.setattr(container, "LARGEST_FILE", len(good) - 1)
    refuses(good, "larger than any model")


def test_a_huge_empty_file_is_refused_without_reading_it(tmp_path):
    path = tmp_path / "sparse"
    with open(path, "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ValueError, match="not a model"):
        ls.load(path)


def with_entry(good, **changes):
    """The file with another entry for its first tensor, and a true checksum."""
    header, document, tensors = split(good)
    header["t0"] |= changes
    return sealed(header, document, tensors)


@pytest.mark.parametrize(
    "entry",
    [
        {"shape": [1 << 40, 1 << 40]}, {"shape": [0, 1 << 63]}, {"shape": [-1, -3]},
        {"shape": [1.5]}, {"shape": [True]}, {"shape": "3"}, {"shape": [1] * 40}, {"shape": None},
        {"dtype": "BF16"}, {"dtype": "C64"}, {"dtype": ["F64"]}, {"dtype": None},
        {"data_offsets": [8, 8]}, {"data_offsets": [0, 1 << 62]}, {"data_offsets": [-8, 0]},
        {"data_offsets": []}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_tensors_that_are_not_there(good, refuses, entry):
    refuses(with_entry(good, **entry), "damaged")


def test_tensors_that_nobody_uses(good, refuses, tmp_path):
    header, document, tensors = split(good)
    size = len(tensors)
    more = {"dtype": "F64", "shape": [1], "data_offsets": [size, size + 8]}
    data = sealed({**header, "t99": more}, document, tensors + bytes(8))
    with pytest.raises(ValueError, match="tensors that the model does not use"):
        loads(tmp_path, data)
    refuses(sealed(header, document, tensors + bytes(8)), "bytes after the last tensor")


def loads(tmp_path, data):
    (tmp_path / "forged").write_bytes(data)
    return ls.load(tmp_path / "forged")


def forged(good, change):
    """The file with another tree, and a true checksum."""
    header, document, tensors = split(good)
    changed = change(document)
    return sealed(header, document if changed is None else changed, tensors)


def field(name, value):
    def change(document):
        document["model"]["fields"][name] = value

    return change


def deep(kind):
    value = 1
    for _ in range(200):
        value = {kind: [value]}
    return value


@pytest.mark.parametrize(
    "change",
    [
        field("C", {"object": "Popen", "fields": {}}),
        field("C", {"object": "os.system", "fields": {"command": "true"}}),
        field("C", {"object": ["LogisticRegression"], "fields": {}}),
        field("C", {"object": "Row", "fields": {}}),
        field("C", {"object": "Status", "fields": {}}),
        field("C", {"enum": "Row", "name": "module"}),
        field("C", {"enum": "Status", "name": "__class__"}),
        field("C", {"type": "Popen"}),
        field("C", {"dtype": "V8"}),
        field("C", {"scalar": "object_", "value": 1}),
        field("C", {"nothing": 1}),
        field("C", {}),
        field("C", [1]),
        field("C", {"float": "1e5"}),
        field("C", {"int": "f" * 100_000}),
        field("C", {"fraction": ["1", "0"]}),
        field("C", {"tuple": 5}),
        field("C", {"dict": [[{"list": []}, 1]]}),
        field("C", {"slice": [1]}),
        field("C", {"array": "<U99999999", "shape": [3], "values": ["a", "b", "c"]}),
        field("C", {"list": [{"array": "<U9999999", "shape": [1], "values": ["a"]}] * 100}),
        field("C", {"array": "float64", "shape": [1], "values": [1]}),
        field("C", {"array": "object", "shape": [1 << 40], "values": [1]}),
        field("C", {"array": "<U3", "shape": [1], "values": [5]}),
        field("C", {"tensor": "t99"}),
        field("C", {"tensor": "t0"}),
        field("C", deep("list")),
        field("__class__", "Popen"),
        field("__dict__", {"dict": []}),
        field("results_", 1),
        field("n_features_in_", 4),
        field("n_features_in_", "3"),
        field("classes_", {"array": "object", "shape": [2], "values": [0, 1]}),
        field("coef_", 5),
        field("coef_", {"array": "object", "shape": [3, 3], "values": [0] * 9}),
        lambda document: {},
        lambda document: [],
        lambda document: {**document, "model": 5},
        lambda document: {**document, "model": {"enum": "Status", "name": "SOLVED"}},
        lambda document: {**document, "versions": 5},
    ],
)
def test_forged_trees_are_refused(good, tmp_path, change):
    with pytest.raises(ValueError, match="forged is damaged"):
        loads(tmp_path, forged(good, change))


@pytest.mark.parametrize(
    "text",
    [
        "{", "", "[" * 100_000, '{"model":' * 5000, '{"a":1,"a":2}', '{"a":NaN}', '{"a":Infinity}',
        '{"a":' + "9" * 5000 + "}", '{"a":1e999}', "\ud800", "null", "5", '"x"',
    ],
    ids=range(13),
)  # fmt: skip
def test_documents_that_are_no_json(good, refuses, text):
    header, _, tensors = split(good)
    refuses(sealed(header, text, tensors), "damaged")


def test_headers_that_are_no_json(refuses):
    begin = '{"__metadata__":{"linscope":"1","sha256":"' + "0" * 64 + '"'
    ends = [
        "", "}}", ',"model":5}}', ',"model":"{}","more":""}}', ',"model":"{}"},"t0":5}',
        ',"model":"{}","model":"{}"}}', ',"model":"{}"},"t0":{},"t0":{}}', ',"model":"{}"}}x',
        ',"model":"{}"},"a":' + "[" * 50_000, ',"model":"{}"},"a":NaN}', ',"model":"ä"}}',
        ',"model":"{}"},"__metadata__":{}}',
    ]  # fmt: skip
    for end in ends:
        refuses(sealed_text(begin + end), "damaged")


def test_too_many_parts_are_refused_before_they_are_made(refuses, monkeypatch):
    monkeypatch.setattr(container, "MOST_PARTS", 1000)
    begin = '{"__metadata__":{"linscope":"1","sha256":"' + "0" * 64 + '","model":"'
    refuses(sealed_text(begin + "[" + "0," * 1000 + '0]"}}'), "too many parts")


def test_indices_that_point_outside_are_refused(tmp_path):
    """Compiled loops do not look where they read."""
    X, y = three_classes()
    path = tmp_path / "m"
    ls.save(ls.SVC().fit(sp.csr_array(X), y), path)
    header, document, tensors = split(path.read_bytes())
    name = document["model"]["fields"]["support_vectors_"]["indices"]["tensor"]
    start, _ = header[name]["data_offsets"]
    for bad in (3, 1 << 30, -1):
        data = bytearray(tensors)
        data[start : start + 4] = struct.pack("<i", bad)
        with pytest.raises(ValueError, match="damaged"):
            loads(tmp_path, sealed(header, document, bytes(data)))


@pytest.mark.filterwarnings("ignore")
def test_a_committee_of_rows_that_it_does_not_hold_is_refused(tmp_path):
    X, y = overlapping()
    path = tmp_path / "m"
    ls.save(ls.Perceptron(output="voted", max_iter=5).fit(X, y), path)
    header, document, tensors = split(path.read_bytes())
    held = document["model"]["fields"]["committees_"]["list"][0]["fields"]
    start, _ = header[held["samples"]["tensor"]]["data_offsets"]
    for bad in (60, -1):
        data = bytearray(tensors)
        data[start : start + 4] = struct.pack("<i", bad)
        with pytest.raises(ValueError, match="damaged: samples"):
            loads(tmp_path, sealed(header, document, bytes(data)))
    held["survival"] = held["steps"]
    with pytest.raises(ValueError, match="damaged"):
        loads(tmp_path, sealed(header, document, tensors))


def test_an_encoder_whose_columns_are_not_its_categories_is_refused(tmp_path):
    from sklearn.preprocessing import OneHotEncoder

    path = tmp_path / "m"
    ls.save(OneHotEncoder(max_categories=2).fit([["a"], ["b"], ["b"], ["c"]]), path)
    header, document, tensors = split(path.read_bytes())
    held = document["model"]["fields"]
    assert held["_n_features_outs"] == {"list": [2]}
    held["_n_features_outs"] = {"list": [1]}
    with pytest.raises(ValueError, match="damaged: an encoder"):
        loads(tmp_path, sealed(header, document, tensors))
    held["_n_features_outs"] = {"list": [2]}
    mapping = held["_default_to_infrequent_mappings"]["list"][0]["tensor"]
    start, _ = header[mapping]["data_offsets"]
    data = bytearray(tensors)
    data[start] = 99
    with pytest.raises(ValueError, match="damaged: the rare"):
        loads(tmp_path, sealed(header, document, bytes(data)))


def test_names_in_a_file_are_those_of_the_table_only():
    """Everything that can be made comes from linscope, or is a transformer of scikit-learn."""
    modules = [row.module for row in ESTIMATORS.values()] + [*RECORDS.values(), *ENUMS.values()]
    assert {module.split(".")[0] for module in modules} == {"linscope", "sklearn"}
    assert not any(word in module for module in modules for word in ("joblib", "base", "utils"))


class DiskFull(OSError):
    pass


@pytest.mark.parametrize("error", [DiskFull, KeyboardInterrupt])
def test_a_write_that_fails_leaves_the_old_file(good, tmp_path, monkeypatch, error):
    path = tmp_path / "m.linscope"
    path.write_bytes(good)
    X, y = overlapping()

    def fail(_):
        raise error("in the middle")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(error):
        ls.save(ls.SVC().fit(X, y), path)
    assert path.read_bytes() == good
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    X, y = overlapping()
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"")
    link.symlink_to(real)
    ls.save(ls.LogisticRegression().fit(X, y), link)
    assert link.is_symlink()
    assert ls.load(real).classes_.tolist() == [0, 1]
