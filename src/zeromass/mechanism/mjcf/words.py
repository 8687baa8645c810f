"""How an MJCF file speaks: files within files, default classes, units of angles, and the many ways to say a turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from zeromass.errors import ModelError
from zeromass.mechanism.mjcf.known import ACTUATORS, OTHER_ACTUATORS, SHARED
from zeromass.mechanism.turns import axes_about, direction, of_matrix, shortest_turn
from zeromass.mechanism.xml_lines import Element, read_xml
from zeromass.model.quaternion import product, rotation

RIGHT = 1e-15
"""rad: a turn that is so near to a multiple of π/2 is one; π/2 itself is not, in double precision."""

TURNS = {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}
"""Ways to say a turn, each of so many numbers."""


def read_whole(path: Path) -> Element:
    """The outermost element of a file, with the files that it includes."""
    return _with_included(read_xml(path), path.parent, path.resolve())


def _with_included(element: Element, folder: Path, first: Path) -> Element:
    """Files are beside the first one, or else beside the one that includes them; each is included once."""
    known, whole = {first}, replace(element, inside=[])
    waiting = [(whole, iter(element.inside))]
    while waiting:  # bodies of a chain stand as deep in one another as it is long
        into, left = waiting[-1]
        one = next(left, None)
        if one is None:
            waiting.pop()
        elif one.tag != "include":
            into.inside.append(replace(one, inside=[]))
            waiting.append((into.inside[-1], iter(one.inside)))
        else:
            waiting.append((into, iter(_included(one, folder, known).inside)))
    return whole


def _included(one: Element, folder: Path, known: set[Path]) -> Element:
    """The file that an <include> names."""
    name = one.word("file")
    if {*one.attributes} != {"file"}:
        raise one.error("<include> has a file=… and nothing else")
    path = folder / name if (folder / name).exists() else one.path.parent / name
    if path.resolve() in known:
        raise one.error(f"the file '{name}' is included a second time")
    known.add(path.resolve())
    try:
        return read_xml(path)
    except ModelError as error:
        raise one.error(str(error)) from None


@dataclass
class Words:
    """What holds for a whole file.

    compiler  attributes of all <compiler>
    classes   {class: {tag: attributes}}, with what they inherit; under "laws" the kinds of actuators that are met
    meshes    elements of <asset> by name
    """

    compiler: Element
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    meshes: dict[str, Element] = field(default_factory=dict)

    @staticmethod
    def of(root: Element) -> Words:
        compiler = Element("compiler", {}, root.path, root.line)
        words = Words(compiler)
        for one in root.inside:
            if one.tag == "compiler":
                compiler.attributes.update(one.attributes)
                compiler.line = one.line
            elif one.tag == "default":
                words._default(one, "main", {})
        for asset in root.all("asset"):
            for mesh in asset.all("mesh"):
                told = words.told(mesh, "main")
                name = told.attributes.get("name") or Path(told.attributes.get("file", "")).stem
                if name in words.meshes:
                    raise mesh.error(
                        f"a second mesh has the name '{name}', which that on line {words.meshes[name].line} has"
                    )
                words.meshes[name] = told
        return words

    def _default(self, element: Element, name: str, above: dict[str, dict[str, str]]) -> None:
        if element.attributes.get("class", name) != name:
            raise element.error("the outermost class is 'main'; put a class of another name inside it")
        own = self.classes.setdefault(name, {tag: dict(said) for tag, said in above.items()})
        for one in element.inside:
            if one.tag == "default":
                continue
            own[one.tag] = _over(own.get(one.tag, {}), one.attributes)
            if one.tag in {*ACTUATORS, *OTHER_ACTUATORS}:
                shared = {key: value for key, value in one.attributes.items() if key in SHARED}
                for tag in ACTUATORS:
                    own[tag] = _over(own.get(tag, {}), shared)
                own.setdefault("laws", {})[one.tag] = "" if SHARED.issuperset(one.attributes) else one.tag
        for one in element.all("default"):
            inner = one.word("class")
            if inner in self.classes:
                raise one.error(f"a second class has the name '{inner}'")
            self._default(one, inner, own)

    def told(self, element: Element, class_: str) -> Element:
        """An element with what its class says where it says nothing itself."""
        name = element.attributes.get("class", class_)
        if name not in self.classes and name != "main":
            known = ", ".join(self.classes) or "none"
            raise element.error(f"the class '{name}' of <{element.tag}> is not defined; there are {known}")
        said = self.classes.get(name, {}).get(element.tag, {})
        if any(turn in element.attributes for turn in TURNS):
            said = {key: value for key, value in said.items() if key not in TURNS}
        if element.tag in ACTUATORS:
            laws = self.classes.get(name, {}).get("laws", {})
            others = {*laws} - {element.tag} - ({*ACTUATORS} if element.tag == "motor" else set())
            if others and any(laws.values()):
                tags = ", ".join(f"<{tag}>" for tag in laws)
                raise element.error(f"the law of <{element.tag}> follows from defaults of {tags}; give it itself")
        return replace(element, attributes=_over(said, element.attributes))

    @property
    def degree(self) -> float:
        """rad, of the unit in which angles are given."""
        unit = self.compiler.attributes.get("angle", "degree")
        if unit not in ("degree", "radian"):
            raise self.compiler.error(f"angle={unit!r} of <compiler>; it is degree or radian")
        return np.pi / 180 if unit == "degree" else 1.0

    def limited(self, element: Element, switch: str, bounds: str) -> np.ndarray | None:
        """A range of two numbers, where it is in force."""
        said = element.attributes.get(switch, "auto")
        found = element.numbers(bounds)
        empty = found is None or (len(found) == 2 and found[0] == found[1])
        automatic = self.compiler.attributes.get("autolimits", "true") == "true" and not empty
        if not (said == "true" or (said == "auto" and automatic)):
            return None
        if found is None or len(found) != 2 or not found[0] < found[1]:
            raise element.error(f"{bounds} of <{element.tag}> are two numbers, the first the lower one")
        return found

    def pose(self, element: Element) -> tuple[np.ndarray, np.ndarray]:
        """Place, m, and rotation matrix of an element."""
        return element.vector("pos", (0.0, 0.0, 0.0)), self.turn(element)

    def turn(self, element: Element) -> np.ndarray:
        """Rotation matrix of an element: of quat, axisangle, euler, xyaxes or zaxis."""
        given = [name for name in TURNS if name in element.attributes]
        if len(given) > 1:
            raise element.error(f"<{element.tag}> has {' and '.join(given)}; one of them says how it is turned")
        if not given:
            return np.eye(3)
        kind = given[0]
        values, count = element.numbers(kind), TURNS[kind]
        if values is None or len(values) != count:
            raise element.error(f"{kind}={element.attributes[kind]!r} of <{element.tag}> is not {count} numbers")
        try:
            return self._matrix(kind, values)
        except ModelError as error:
            raise element.error(str(error)) from None

    def _matrix(self, kind: str, v: np.ndarray) -> np.ndarray:
        what = f"{kind}=…"
        if kind == "quat":
            if not np.any(v):
                raise ModelError(f"{what} is of length zero")
            return _rotation(v / np.linalg.norm(v))
        if kind == "axisangle":
            return _rotation(_about(direction(v[:3], what), v[3] * self.degree))
        if kind == "zaxis":
            return shortest_turn(np.array([0.0, 0.0, 1.0]), direction(v, what))
        if kind == "xyaxes":
            x = direction(v[:3], what)
            y = direction(v[3:] - (v[3:] @ x) * x, what)
            return axes_about(np.cross(x, y), x)
        letters, u = self.compiler.attributes.get("eulerseq", "xyz"), np.array([1.0, 0.0, 0.0, 0.0])
        if len(letters) != 3 or not set(letters.lower()) <= set("xyz"):
            raise ModelError(f"eulerseq={letters!r} of <compiler>; it is three of x, y, z and X, Y, Z")
        for letter, angle in zip(letters, v * self.degree, strict=True):
            one = _about(np.eye(3)["xyz".index(letter.lower())], float(angle))
            u = product(u, one) if letter.islower() else product(one, u)
        return _rotation(u)


def _over(said: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """What is said over what was said before; of numbers that are fewer than before, those at the end stay."""
    both = said | own
    for name in ("size", "gear", "gainprm", "biasprm"):
        if name in said and name in own:
            both[name] = " ".join([*own[name].split(), *said[name].split()[len(own[name].split()) :]])
    return both


def _about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The quaternion of a turn; exact where it is by right angles."""
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])


def _rotation(u: np.ndarray) -> np.ndarray:
    """The matrix of a quaternion; entries that rounding alone keeps from 0, 1 and −1 are these."""
    R = rotation(u).astype(float)
    whole = np.round(R)
    return np.where(np.abs(R - whole) <= RIGHT, whole, R) + 0.0


def four(R: np.ndarray) -> tuple[float, float, float, float]:
    """The quaternion of a matrix, as looks have it."""
    a, b, c, d = of_matrix(R).tolist()
    return a, b, c, d
