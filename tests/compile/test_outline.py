"""Programs that outlive their process: found again with nothing derived, and only where everything is the same."""

import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import zeromass as zm
from zeromass.codegen import cache, target
from zeromass.compile import module, outline
from zeromass.compile.outline import Entry, Outline, name_of
from zeromass.compile.program import program_at


@pytest.fixture
def folder(tmp_path, monkeypatch):
    own = tmp_path / "code"
    monkeypatch.setenv("ZEROMASS_CACHE", str(own))
    module.compiled.cache_clear()  # what was made before is not in this folder
    target._made.clear()
    yield own
    cache._folder.cache_clear()


def swing(*, mass=2.0, length=1.0, angle=0.3, turned=False, drag=0.0, top=0.0):
    """Two rods on ball joints, written anew each time: what a process does that knows nothing of those before."""
    rods = [zm.RigidBody(name, mass, [0.01, 0.2, 0.2]) for name in ("upper", "lower")]
    k = zm.parameter("k", 3.0)
    rows = {
        "ground": rods[0].point([-length / 2, 0, 0]) - np.array([0, 0, top]),
        "between": rods[1].point([-length / 2, 0, 0]) - rods[0].point([length / 2, 0, 0]),
    }
    if turned:
        rows = dict(reversed(rows.items()))
    spring = zm.Force(-k * rods[1].position - drag * rods[1].velocity, at=rods[1].position)
    system = zm.System(rods, gravity=9.81, forces=[spring], constraints=rows)
    u = [np.cos(angle / 2), 0, np.sin(angle / 2), 0]
    guess = {x: value for rod in rods for x, value in zip(rod.quaternion, u, strict=True)}
    return SimpleNamespace(system=system, start=system.start(guess=guess), rods=rods, k=k)


def stiffer(given, k):
    """The same start with another spring."""
    guess = dict(zip(given.system.coordinates, given.start.q, strict=True))
    return given.system.start(guess=guess, parameters={given.k: k})


def moved(given, **settings):
    """A short run."""
    return zm.simulate(given.system, given.start, until=0.05, **settings)


def bits(run):
    return [array.tobytes() for array in (run.t, *[segment.y for segment in run.segments])]


def derived(program):
    """Whether its formulas are known."""
    return "elimination" in vars(program)


@pytest.fixture(scope="module")
def alone():
    """The run where nothing is kept, its bits, and a force in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZEROMASS_CACHE", "off")
        given = swing()
        run = moved(given)
        assert derived(run.program)
        return SimpleNamespace(bits=bits(run), force=run[given.system.reaction["ground"]].tobytes())


def test_nothing_is_derived_where_it_was_before(folder, alone):
    first, second = swing(), swing()
    run = moved(first)
    assert derived(run.program)
    again = moved(second)
    assert not derived(again.program)
    assert bits(again) == bits(run) == alone.bits
    assert (again.program.operations, again.program.rank) == (run.program.operations, run.program.rank)
    assert repr(again.program) == repr(run.program)
    assert not derived(again.program)
    assert again[second.rods[1].position].tobytes() == run[first.rods[1].position].tobytes()


def test_formulas_are_derived_when_they_are_asked_for(folder, alone):
    run = moved(swing())
    given = swing()
    again = moved(given)
    assert again[given.system.reaction["ground"]].tobytes() == alone.force
    assert derived(again.program)
    assert again.program.outline == run.program.outline
    assert len(again.program.acceleration) == 14
    assert [len(change) for change in again.program.corrections.values()] == [14, 14]


def test_a_state_with_the_same_decisions_has_the_same_program(folder):
    moved(swing())
    given = swing()
    program = program_at(given.system, given.start)
    assert not derived(program)
    near = stiffer(given, 3.5)
    assert program_at(given.system, near) is program
    assert derived(program)
    assert program_at(given.system, given.start) is program


@pytest.mark.parametrize("kept", [True, False])
def test_it_can_be_pickled(folder, kept, alone):
    if kept:
        moved(swing())
    given = swing()
    program = program_at(given.system, given.start)
    assert derived(program) is not kept
    copy = pickle.loads(pickle.dumps(program))
    assert copy.outline == program.outline
    assert [repr(e) for e in copy.acceleration] == [repr(e) for e in program.acceleration]


OTHERS = [{"mass": 2.5}, {"length": 1.25}, {"angle": 0.35}, {"turned": True}, {"drag": 0.1}, {"top": 0.5}]


@pytest.mark.parametrize("change", OTHERS, ids=lambda change: next(iter(change)))
def test_a_changed_system_has_another_name(folder, change):
    one, other = swing(), swing(**change)
    assert name_of(one.system, one.start.inputs, None) == name_of(swing().system, one.start.inputs, None)
    assert name_of(one.system, one.start.inputs, None) != name_of(other.system, other.start.inputs, None)


def test_the_name_tells_numbers_of_the_state_and_the_rank(folder):
    given = swing()
    values = np.array(given.start.inputs)
    names = {name_of(given.system, values, rank) for rank in (None, 8, 7)}
    for k in range(len(values)):
        beside = values.copy()
        beside[k] = np.nextafter(values[k], 2.0)
        names.add(name_of(given.system, beside, None))
    assert len(names) == 3 + len(values)


def test_other_programs_of_ours_or_of_numpy_have_other_names(folder, monkeypatch):
    given = swing()
    names = [name_of(given.system, given.start.inputs, None)]
    with monkeypatch.context() as patch:
        patch.setattr(outline.cache, "sources", lambda *packages: "another version")
        names.append(name_of(given.system, given.start.inputs, None))
    with monkeypatch.context() as patch:
        patch.setattr(np, "__version__", "another")
        names.append(name_of(given.system, given.start.inputs, None))
    with monkeypatch.context() as patch:
        patch.setattr(outline, "host", lambda: zm.export.host()._replace(fused=not zm.export.host().fused))
        names.append(name_of(given.system, given.start.inputs, None))
    assert len(set(names)) == 4
    with monkeypatch.context() as patch:
        patch.setattr(outline.cache, "sources", lambda *packages: None)
        assert name_of(given.system, given.start.inputs, None) is None


def test_every_package_that_a_program_follows_from_counts():
    """What the packages of the derivation import of ours is among those whose files are looked at."""
    bare = f"sys.modules['zeromass'] = bare = types.ModuleType('zeromass'); bare.__path__ = [{zm.__path__[0]!r}]"
    rooms = "{name.split('.')[1] for name in sys.modules if name.startswith('zeromass.')}"
    code = f"import sys, types; {bare}; import zeromass.compile.program; print(*{rooms})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(found) - {"errors", "frozen", "lazy"} == set(outline.WRITTEN_BY)


def test_parameters_are_numbers_of_the_state(folder, monkeypatch):
    moved(swing())
    given = swing()
    run = zm.simulate(given.system, stiffer(given, 8.0), until=0.05)
    monkeypatch.setenv("ZEROMASS_CACHE", "off")
    plain = swing()
    same = zm.simulate(plain.system, stiffer(plain, 8.0), until=0.05)
    assert bits(run) == bits(same)


def test_each_event_has_code_of_its_own(folder, monkeypatch):
    heights = [-0.201, -0.2015]

    def times():
        found = []
        for height in heights:
            given = swing()
            event = zm.Event("low", given.rods[1].position[2] - height)
            found.append((moved(given, events=[event]).t[-1], given))
        return [t for t, _ in found]

    first, second = times(), times()
    monkeypatch.setenv("ZEROMASS_CACHE", "off")
    assert first == second == times()


def test_a_part_of_the_users_own_is_not_kept(folder):
    class Mine(zm.RigidBody):
        """May say anything of itself."""

    body = Mine("mine", 1.0, [1.0, 2.0, 3.0])
    system = zm.System([body], gravity=9.81)
    start = system.start(dict(zip(body.quaternion, [1, 0, 0, 0], strict=True)))
    assert name_of(system, start.inputs, None) is None
    assert program_at(system, start).entry is None


DAMAGE = {
    "cut off": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "a bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_what_is_damaged_is_derived_anew(folder, alone, how):
    given = swing()
    moved(given)
    path = folder / name_of(given.system, given.start.inputs, None)
    path.write_bytes(DAMAGE[how](path.read_bytes()))
    run = moved(swing())
    assert derived(run.program)
    assert bits(run) == alone.bits
    assert not derived(moved(swing()).program)


@pytest.mark.parametrize(
    "content", [b"", b"1 2 3", b"1 2 3 4 5\npositions", b"a b c d\n", b"1 2 3 1\npositions\nrhs", b"\xff"]
)
def test_what_can_not_be_understood_is_derived_anew(folder, content):
    cache.write("name", content)
    assert Entry.read("name") is None


def test_an_outline_is_read_as_it_was_written(folder):
    kept = Entry("name", Outline(12, 3, 2, ("positions", "velocities"), True))
    kept.keep("rhs 8 True", "one")
    kept.keep("corrections", "other")
    found = Entry.read("name")
    assert found.outline == kept.outline
    assert [found.origin(key) for key in ("rhs 8 True", "corrections", "events")] == ["one", "other", None]
    Entry("none", Outline(1, 0, 0, (), False)).keep("rhs 1 False", "one")
    assert Entry.read("none").outline == Outline(1, 0, 0, (), False)


def test_machine_code_that_is_gone_is_made_anew(folder, alone):
    given = swing()
    moved(given)
    own = name_of(given.system, given.start.inputs, None)
    for path in folder.iterdir():
        if path.name != own:
            path.unlink()
    module.compiled.cache_clear()
    target._made.clear()
    run = moved(swing())
    assert derived(run.program)
    assert bits(run) == alone.bits


def test_nothing_is_kept_where_that_is_not_wanted(monkeypatch):
    monkeypatch.setenv("ZEROMASS_CACHE", "off")
    given = swing()
    assert name_of(given.system, given.start.inputs, None) is None
    assert program_at(given.system, given.start).entry is None


@pytest.mark.parametrize("seed", range(3))
def test_random_systems_move_the_same_with_and_without(folder, monkeypatch, seed):
    """Springs and rods between points, of random numbers; the second time nothing is derived, and all bits are the same."""

    def run():
        random = np.random.default_rng(seed)
        points = [zm.Particle(f"p{k}", mass=m) for k, m in enumerate(random.uniform(0.5, 2.0, 4))]
        places = random.normal(size=(4, 3))
        rows = {}
        for i, j in [(0, 1), (1, 2)] + [(2, 3)] * bool(seed % 2):
            d = points[i].position - points[j].position
            rows[f"rod {i}"] = d @ d - np.sum((places[i] - places[j]) ** 2)
        stiffness = random.uniform(1.0, 9.0)
        forces = [zm.Force(-stiffness * p.position * np.cos(p.position[0]), at=p.position) for p in points]
        system = zm.System(points, gravity=random.normal(size=3), forces=forces, constraints=rows)
        start = system.start(
            {x: v for p, place in zip(points, places, strict=True) for x, v in zip(p.position, place, strict=True)}
        )
        return zm.simulate(system, start, until=0.1)

    first, second = run(), run()
    assert not derived(second.program)
    monkeypatch.setenv("ZEROMASS_CACHE", "off")
    assert bits(first) == bits(second) == bits(run())


PROCESS = """
import numpy as np, zeromass as zm
body = zm.RigidBody("b", 1.0, [0.1, 0.2, 0.3])
system = zm.System([body], gravity=9.81, constraints={"pin": body.point([0.3, 0, 0.1])})
start = system.start(guess=dict(zip(body.quaternion, [1.0, 0.1, 0, 0])))
run = zm.simulate(system, start, until=0.2)
print("elimination" in vars(run.program), *[x.hex() for x in run.segments[-1].y[-1]])
"""


def test_processes_at_once_do_not_disturb_one_another(tmp_path):
    environment = {**os.environ, "ZEROMASS_CACHE": str(tmp_path / "code")}

    def begun():
        return subprocess.Popen([sys.executable, "-c", PROCESS], env=environment, stdout=subprocess.PIPE, text=True)

    said = [process.communicate()[0].split() for process in [begun(), begun()]]
    said.append(begun().communicate()[0].split())
    assert said[2][0] == "False"
    assert said[0][1:] == said[1][1:] == said[2][1:] != []
