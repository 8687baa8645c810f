"""Measured terrain in scenario files: as in Python, and what is wrong with files of heights."""

from __future__ import annotations

import contextlib
import io
import os
import random
import time
import zipfile

import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.scenario import ScenarioError, load_scenario, parse_scenario
from zeromass.scenario.heights import LARGEST, MOST_HEIGHTS, HeightsError, heights_in

X, Y = np.linspace(-1.0, 1.0, 9), np.linspace(-0.8, 0.8, 7)
Z = 0.3 * (X[:, None] ** 2 + Y**2) + 0.02 * np.sin(3 * X[:, None] + Y)

SCENARIO = """
[rolling.body]
kind = "ball"
radius = 0.02
mass = 0.25
[rolling.surface]
kind = "terrain"
SOURCE
shift = [0, 0, "0.01*sin(t)"]
[rolling.start]
contact = [0.3, 0.1]
velocity = [0.0, 0.4]
[run]
until = 0.5
"""
INLINE = f"x = {X.tolist()}\ny = {Y.tolist()}\nz = {Z.tolist()}"


def csv() -> str:
    """The heights as a table, exactly."""
    rows = np.column_stack([X, Z]).tolist()
    return "\n".join(",".join(map(str, row)) for row in [["x \\ y", *Y.tolist()], *rows]) + "\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "hills.csv").write_text(csv(), encoding="utf-8")
    np.savez(tmp_path / "hills.npz", x=X, y=Y, z=Z)
    np.savez_compressed(tmp_path / "data" / "packed.npz", x=X, y=Y, z=np.asfortranarray(Z))
    return tmp_path


def scenario(source: str) -> str:
    return SCENARIO.replace("SOURCE", source)


def failure(text: str, folder=None) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, name="x.toml", folder=folder)
    return caught.value


@pytest.mark.parametrize(
    "source",
    few([INLINE, 'file = "hills.csv"', 'file = "hills.npz"', 'file = "data/packed.npz"', 'file = "./hills.csv"'], 2),
)
def test_terrain_is_that_of_python(folder, source):
    (folder / "hills.toml").write_text(scenario(source), encoding="utf-8")
    terrain = zm.Surface.from_heights(X, Y, Z, shift=(0, 0, 0.01 * np.sin(zm.t)))
    rolling = zm.Rolling(zm.bodies.ball(0.02, 0.25), on=terrain)
    run = zm.simulate(rolling, rolling.start(contact=(0.3, 0.1), velocity=(0.0, 0.4)), until=0.5)
    ours = load_scenario(folder / "hills.toml").simulate()
    assert np.array_equal(ours.t, run.t)
    assert np.array_equal(ours.y, run.y)


def test_files_are_found_from_the_scenario_and_not_from_here(folder, tmp_path, monkeypatch):
    (folder / "data" / "hills.toml").write_text(scenario('file = "packed.npz"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_scenario("data/hills.toml").system.surface.area is not None


def test_numbers_of_windows_and_of_whole_kinds(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + csv().replace("\n", "\r\n").replace(",", " , ").encode())
    np.savez(tmp_path / "a.npz", x=np.arange(6), y=np.arange(7, dtype=">f4"), z=np.zeros((6, 7), dtype=np.uint8))
    for found, meant in zip(heights_in(tmp_path, "a.csv"), (X, Y, Z), strict=True):
        assert np.array_equal(found, meant)
    x, y, z = heights_in(tmp_path, "a.npz")
    assert (x.tolist(), y.tolist(), z.shape, z.dtype) == ([*range(6)], [*range(7)], (6, 7), float)


@pytest.mark.parametrize(
    ("source", "key", "words"),
    [
        ("", "rolling.surface", "heights are given by x = […]"),
        ("x = [1, 2, 3, 4, 5, 6]", "rolling.surface", "heights are given by x = […]"),
        (INLINE + '\nfile = "hills.csv"', "rolling.surface", "heights are given by x = […]"),
        ("x = [1, 2]", "rolling.surface.x", "it has 2 items, and needs 6 at least"),
        (INLINE.replace("z = [[", "z = [[1, "), "rolling.surface.z[0]", "it has 8 heights, and y has 7 lines"),
        (INLINE.replace("z = [[", "z = [[1, 2, 3, 4, 5, 6, 7], ["), "rolling.surface.z", "it has 10 rows"),
        (INLINE.replace("x = [-1.0", "x = [true"), "rolling.surface.x[0]", "a number, or a formula"),
        (INLINE.replace("x = [-1.0", "x = [inf"), "rolling.surface.x[0]", "finite"),
        (INLINE.replace("x = [-1.0", 'x = ["-p"'), "rolling.surface.x[0]", "'p' is not declared"),
        (INLINE.replace("x = [-1.0", "x = [9.0"), "rolling.surface", "x of 'terrain' must rise"),
        ('file = "hils.csv"', "rolling.surface.file", "did you mean 'hills.csv'"),
        ('file = "data"', "rolling.surface.file", "neither a .csv nor an .npz"),
        ('file = "/etc/passwd"', "rolling.surface.file", "no file beside the scenario"),
        ('file = "data/../../x.csv"', "rolling.surface.file", "no file beside the scenario"),
        ('file = "C:hills.csv"', "rolling.surface.file", "no file beside the scenario"),
        ('file = "a\\\\hills.csv"', "rolling.surface.file", "no file beside the scenario"),
        ('file = "a\\u0000.csv"', "rolling.surface.file", "no file beside the scenario"),
        ("file = 3", "rolling.surface.file", "a valid string"),
        ('fil = "hills.csv"', "rolling.surface.fil", "did you mean 'file'"),
    ],
)
def test_errors_point_to_line_and_key(folder, source, key, words):
    text = scenario(source)
    error = failure(text, folder)
    assert words in error.message
    assert error.key == key
    last = error.key.split(".")[-1].split("[")[0]
    assert last in text.splitlines()[error.line - 1]


def test_a_text_has_no_files_beside_it():
    assert "this scenario is no file" in failure(scenario('file = "hills.csv"')).message


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (csv(), "", "'a.csv' is empty"),
        ("-0.8,", "-0.8,-0.7,", "line 2: it has 8 cells, and the first row has 9"),
        ("-0.8,", "west,", "line 1, cell 2: 'west' is no finite number"),
        ("-0.8,", "nan,", "line 1, cell 2: 'nan' is no finite number"),
        ("-0.8,", "1_0,", "line 1, cell 2: '1_0' is no finite number"),
        ("\n0.0,", "\n\n ,\n0.0,0.0,", "line 8: it has 9 cells"),
        ("\n0.0,", "\n\n,", "line 7, cell 1: a number is missing"),
        ("\n0.0,", "\n-3,", "x of 'terrain' must rise"),
        (csv(), "1,2\n3,4\n", "x of 'terrain' has 1 values"),
        (csv(), "0," * (2 * MOST_HEIGHTS + 1), "too many cells"),
        (csv(), "\n" * (MOST_HEIGHTS + 1), "too many cells"),
    ],
)
def test_bad_tables(tmp_path, old, new, words):
    assert old in csv()
    (tmp_path / "a.csv").write_text(csv().replace(old, new, 1), encoding="utf-8")
    error = failure(scenario('file = "a.csv"'), tmp_path)
    assert words in error.message
    assert error.key == "rolling.surface.file"


def archive(**arrays: bytes | np.ndarray) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, value in arrays.items():
            if isinstance(value, np.ndarray):
                inner = io.BytesIO()
                np.save(inner, value, allow_pickle=True)
                value = inner.getvalue()
            file.writestr(f"{name}.npy", value)
    return stream.getvalue()


def head(words: str, data: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(words).to_bytes(2, "little") + words.encode() + b"\n" + data


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no archive", "no .npz file"),
        (archive(x=X, y=Y), "no array 'z', but x, y"),
        (archive(x=X, y=Y, z=Z.astype(complex)), "'z' in 'a.npz' is no array of real numbers"),
        (archive(x=X, y=Y, z=np.array([None, "x"], dtype=object)), "no array of real numbers"),
        (archive(x=X, y=Y, z=Z.astype(str)), "no array of real numbers"),
        (archive(x=X, y=Y, z=Z.T), "give z.T"),
        (archive(x=X, y=Y, z=Z + np.nan), "not finite"),
        (archive(x=X, y=Y, z=b"\x93NUMPY"), "no array of real numbers"),
        (archive(x=head("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 9999), }")), "another size"),
        (archive(x=head("{'descr': '<f8', 'fortran_order': __import__('os'), 'shape': (1,), }")), "no array of real"),
        (archive(x=bytes(LARGEST + 1)), "larger"),
        (archive(x=X, y=Y, z=np.zeros((600, 600), dtype="f4")), "360000 numbers; at most"),
        (archive(x=X, y=Y, z=np.zeros((600, 600))), "larger than 250000 heights"),
    ],
)
def test_bad_archives(tmp_path, content, words):
    (tmp_path / "a.npz").write_bytes(content)
    begin = time.process_time()
    error = failure(scenario('file = "a.npz"'), tmp_path)
    assert words in error.message
    assert error.key == "rolling.surface.file"
    assert time.process_time() - begin < 2.0


def test_other_bad_files(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"0,1\n\xff,2\n")
    (tmp_path / "b.csv").write_bytes(b"1," * (LARGEST // 2 + 1))
    (tmp_path / "c.csv").mkdir()
    os.mkfifo(tmp_path / "d.csv")  # reading it would wait for ever
    for name, words in (("a", "line 2: it is not text"), ("b", "larger"), ("c", "no file"), ("d", "no file")):
        assert words in failure(scenario(f'file = "{name}.csv"'), tmp_path).message


def test_random_damage_is_an_error_of_the_file(tmp_path):
    """Whatever is done to a file, it is heights or a HeightsError."""
    random_ = random.Random(0)
    whole = {"csv": csv().encode(), "npz": archive(x=X, y=Y, z=Z)}
    read = 0
    for k in range(600):
        ending = ("csv", "npz")[k % 2]
        content = bytearray(whole[ending])
        for _ in range(random_.randrange(1, 4)):
            i = random_.randrange(len(content))
            content[i : i + random_.randrange(3)] = bytes(random_.randrange(256) for _ in range(random_.randrange(3)))
        (tmp_path / f"a.{ending}").write_bytes(content)
        with contextlib.suppress(HeightsError):
            heights_in(tmp_path, f"a.{ending}")
            read += 1
    assert 10 < read < 590  # some damage does no harm, most does


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_links_out_of_the_folder_are_refused(folder, tmp_path_factory):
    """Of files and of folders, to above, beside or elsewhere, through other links; links that stay inside are followed."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "hills.csv").write_text(csv(), encoding="utf-8")
    inner = folder / "inner"
    inner.mkdir()
    links = {
        "elsewhere.csv": outside / "hills.csv",
        "above.csv": folder / "hills.csv",
        "relative.csv": "../hills.csv",
        "deep": outside,
        "up": "..",
    }
    for name, target in links.items():
        os.symlink(target, inner / name)
    os.symlink("elsewhere.csv", inner / "again.csv")
    for file in ("elsewhere.csv", "above.csv", "relative.csv", "deep/hills.csv", "up/hills.csv", "again.csv"):
        with pytest.raises(HeightsError, match="link out of the folder"):
            heights_in(inner, file)
    (inner / "own.csv").write_text(csv(), encoding="utf-8")
    os.symlink("own.csv", inner / "inside.csv")
    assert np.array_equal(heights_in(inner, "inside.csv")[2], Z)
    os.symlink(inner, outside / "scenarios")  # a folder that is itself reached by a link
    assert np.array_equal(heights_in(outside / "scenarios", "own.csv")[2], Z)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_file_that_becomes_a_link_or_a_pipe_is_not_opened(folder, tmp_path_factory, monkeypatch):
    """Between the look at it and its opening."""
    from zeromass.scenario import heights

    secret = tmp_path_factory.mktemp("outside") / "secret.csv"
    secret.write_text(csv(), encoding="utf-8")
    for make in (lambda path: os.symlink(secret, path), os.mkfifo):
        placed = heights._place

        def swapped(*given, make=make, placed=placed):
            path = placed(*given)
            path.unlink()
            make(path)
            return path

        with monkeypatch.context() as patched:
            patched.setattr(heights, "_place", swapped)
            with pytest.raises(HeightsError, match="can not be read"):
                heights_in(folder, "hills.csv")
        (folder / "hills.csv").unlink()
        (folder / "hills.csv").write_text(csv(), encoding="utf-8")


@pytest.mark.parametrize("kind", ["<f2", "|u1", "<f8"])
def test_an_array_takes_the_memory_that_was_checked(tmp_path, kind):
    """Numbers of one or two bytes become eight each; of zeros, a small file has very many."""
    import tracemalloc

    z = np.zeros((3000, 1000), dtype=kind)
    np.savez_compressed(tmp_path / "large.npz", x=np.arange(3000.0), y=np.arange(1000.0), z=z)
    assert (tmp_path / "large.npz").stat().st_size < 100_000
    del z
    tracemalloc.start()
    with pytest.raises(HeightsError, match=f"{MOST_HEIGHTS}"):
        heights_in(tmp_path, "large.npz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12e6  # the file, three arrays of at most 2.1 MB with their copies; 24 MB of numbers are claimed
