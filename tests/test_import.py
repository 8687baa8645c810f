"""Importing zeromass is quick to the eye and leaves no trace."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = [
    "sympy",
    "scipy.integrate",
    "matplotlib",
    "xarray",
    "typer",
    "rich",
    "pandas",
    "pydantic",
    "h5netcdf",
]

SNAPSHOT = """
import decimal, gc, locale, logging, os, random, signal, sys, threading, warnings
import numpy as np

def snapshot():
    return {
        "numpy errors": np.geterr(),
        "numpy error callback": np.geterrcall(),
        "numpy print options": np.get_printoptions(),
        "numpy random state": str(np.random.get_state()),
        "random state": random.getstate(),
        "warnings filters": list(warnings.filters),
        "warnings hook": warnings.showwarning,
        "log handlers": list(logging.root.handlers),
        "log level": logging.root.level,
        "log disabled": logging.root.manager.disable,
        "environment": dict(os.environ),
        "working folder": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "decimal context": str(decimal.getcontext()),
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "exception hook": sys.excepthook,
        "display hook": sys.displayhook,
        "trace": sys.gettrace(),
        "garbage collection": (gc.isenabled(), gc.get_threshold()),
        "threads": threading.active_count(),
        "interrupt handler": signal.getsignal(signal.SIGINT),
        "search path": list(sys.path),
    }
"""


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_global_state_is_left_alone():
    code = f"""{SNAPSHOT}
before = snapshot()
import zeromass
after = snapshot()
print([name for name in before if before[name] != after[name]])
"""
    assert run(code) == "[]"


def test_heavy_packages_wait_until_they_are_needed():
    code = f"import sys, zeromass; print([name for name in {HEAVY} if name in sys.modules])"
    assert run(code) == "[]"


def test_matplotlib_keeps_its_backend():
    pytest.importorskip("matplotlib")
    code = """
import matplotlib
matplotlib.use("svg")
before = dict(matplotlib.rcParams)
import zeromass
print(matplotlib.get_backend(), dict(matplotlib.rcParams) == before)
"""
    assert run(code) == "svg True"


def test_import_prints_and_warns_nothing():
    code = "import warnings; warnings.simplefilter('error'); import zeromass"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_public_names():
    """Every public name exists, and nothing else is offered by a star import."""
    code = """
import zeromass
missing = [name for name in zeromass.__all__ if not hasattr(zeromass, name)]
space = {}
exec("from zeromass import *", space)
print(missing, sorted(space.keys() - {"__builtins__"}) == sorted(zeromass.__all__))
"""
    assert run(code) == "[] True"


def test_no_other_names():
    """What is neither public nor private is a module of the package."""
    code = """
import types, zeromass
found = {name: value for name, value in vars(zeromass).items() if name[0] != "_" and name not in zeromass.__all__}
print([name for name, value in found.items() if not isinstance(value, types.ModuleType)])
print([name for name, value in found.items() if value.__name__ != f"zeromass.{name}"])
print(sorted(dir(zeromass)) == sorted(zeromass.__all__))
"""
    assert run(code) == "[]\n[]\nTrue"


def test_at_most_45_names_on_top_and_no_pair_that_differs_by_case():
    code = """
import zeromass as zm
from zeromass.renamed import NAMESPACES
print(len(dir(zm)))
for space in (zm, *(getattr(zm, name) for name in NAMESPACES)):
    names = [name for name in dir(space) if name[0] != "_"]
    print([name for name in names if sum(name.lower() == other.lower() for other in names) > 1])
"""
    count, *pairs = run(code).splitlines()
    assert int(count) <= 45
    assert set(pairs) == {"[]"}


def test_an_old_name_says_the_new_one():
    """Which is there."""
    code = f"""
import importlib, zeromass as zm
from zeromass.renamed import NAMESPACES, RENAMED
for name in {MOVED.split()} + [*RENAMED]:
    try:
        getattr(zm, name)
        print(name, "is there")
    except AttributeError as error:
        said, new = str(error).split("; ")[0].split(" is now ")
        assert said == f"zm.{{name}}", error
    if new[:4] in ("run.", "syst"):
        assert hasattr(zm.Run if new[:4] == "run." else zm.System, new.split(".")[1].split("(")[0]), new
    else:
        home, _, last = new.replace("zm.", "zeromass.", 1).rpartition(".")
        getattr(importlib.import_module(home), last)
"""
    assert run(code) == ""


def test_a_name_that_never_was_is_as_unknown_as_in_any_module():
    code = """
import zeromass as zm
for name in ("Sytem", "_repr_html_"):
    try:
        getattr(zm, name)
    except AttributeError as error:
        print(error)
"""
    assert run(code).splitlines() == [
        f"module 'zeromass' has no attribute {name!r}" for name in ("Sytem", "_repr_html_")
    ]


MOVED = """Belt Bushing Cam Cylindrical Distance Fixed Gear PID Planar PointOnPlane Prismatic Ray Revolute Rope Screw
Signal Solid Spherical SphericalBody StartError Target Universal ZeromassError ball branch c_code capsule
collision_contacts cone convex cylinder derivative disc ellipsoid evaluate first_time fit gradient host
integral inverse_dynamics jacobian largest latex linearize mean periodic sampled samples saturated servo shell
smallest substitute superquadric torus two_material_shell values_at wasm with_feedback"""
"""Names that were directly in `zm` and are the same in a namespace."""


def test_a_run_imports_analysis_and_report_when_it_is_asked():
    code = """
import sys, zeromass as zm
x = zm.coordinate("x")
spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
run = zm.simulate(spring, spring.start({x: 1.0}), until=1.0)
early = [name for name in ("zeromass.analysis", "zeromass.report") if name in sys.modules]
run.work()
print(early, "zeromass.analysis" in sys.modules, "zeromass.report" in sys.modules)
"""
    assert run(code) == "[] True False"


def test_the_function_that_compiles_is_not_its_package():
    """zm.compile is a function, and the package of the same name is imported by its full name."""
    code = "import zeromass as zm, zeromass.compile.lanes; print(zm.compile.__name__)"
    assert run(code) == "compile"


def test_namespaces_are_found_as_attributes_and_as_modules():
    code = """
import zeromass as zm
print(zm.joints.Revolute.__name__, zm.analysis.linearize.__name__, "joints" in dir(zm))
from zeromass.surfaces import plane
print(plane is zm.surfaces.plane)
"""
    assert run(code) == "Revolute linearize True\nTrue"


WATCHED = """
import os, sys, threading
import numpy, llvmlite.binding, ctypes, hashlib, importlib.metadata
found = []
def hook(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        if not str(path).endswith((".pyc", ".py")) and (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            found.append((event, str(path)))
    elif event.split(".")[0] in ("subprocess", "socket", "shutil") or event in (
        "os.mkdir", "os.remove", "os.rename", "os.putenv", "os.unsetenv", "os.chdir", "os.fork", "os.system", "os.chmod",
        "_thread.start_new_thread", "threading.start_new_thread", "signal.signal", "os.symlink", "os.truncate",
    ):
        found.append((event, str(arguments)))
sys.addaudithook(hook)
"""


def test_import_writes_no_file_and_starts_nothing(tmp_path):
    """Neither files nor threads, processes, connections or changes of the environment; Python's own cache is Python's."""
    code = f"""{WATCHED}
before = os.listdir("."), threading.active_count(), dict(os.environ)
import zeromass
print(found, (os.listdir("."), threading.active_count(), dict(os.environ)) == before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "[] True"), done.stderr


def test_import_brings_little_beside_numpy_and_llvmlite():
    """What an import costs is what it brings: some of our own modules, and of others only what is small."""
    code = """
import sys, numpy, llvmlite.binding
before = set(sys.modules)
import zeromass
brought = set(sys.modules) - before
ours = {name for name in brought if name.split(".")[0] == "zeromass"}
print(len(ours) <= 150, sorted({name.split(".")[0] for name in brought - ours} - sys.stdlib_module_names))
"""
    assert run(code) == "True ['numpy']"
