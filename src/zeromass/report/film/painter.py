"""Frames of a film, painted from the data of the viewer's page: what is far first, polygons lit from the left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.report.film.camera import Camera
from zeromass.report.film.figures import Polygons, matrix, polygons
from zeromass.report.film.floor import Floor
from zeromass.report.film.moments import at, unit
from zeromass.report.film.surfaces import SUN, Surfaces
from zeromass.report.film.tones import PAPER, rgb
from zeromass.report.palette import CROWD, INK, color

if TYPE_CHECKING:
    from PIL.Image import Image

FINER = 2
"""Pixels that are painted for one of the film, each way: edges become smooth."""

CLOSE, SEEN, LARGE = 0.13, 0.075, 0.55
"""A body smaller than the second part of the view is followed from where it is the first, several from where together they
are the third; see `camera.js`."""

MOMENTS = 64
"""At which it is looked how far bodies reach."""

THIN = 0.35
"""Part of the other extents below which a scene is a plane one."""

CLEAR = 90
"""Opacity, of 255, of a body that has others inside it."""

SOFT, IVORY, STEEL = "#667085", "#f3ecdc", "#8a94a3"


class Painter:
    """Paints a run at any time of it."""

    run: Mapping[str, Any]
    title: str
    size: tuple[int, int]

    def __init__(self, data: Mapping[str, Any], size: tuple[int, int], title: str) -> None:
        [self.run] = data["runs"]
        self.title, self.size = title, size
        self.clock: list[float] = self.run["t"]
        below = [] if self.run["surface"] is None else [self.run["surface"], *self.run["beside"]]
        self.surfaces: Surfaces = Surfaces([data["surfaces"][k] for k in below])
        self.figures: list[Polygons] = [polygons(body["shape"]) for body in self.run["bodies"]]
        self.reach: list[float] = [float(np.linalg.norm(made.corners, axis=1).max()) for made in self.figures]
        everything = self._everything()
        self.camera: Camera = Camera(self._direction(everything), np.zeros(3), 1.0, (FINER * size[0], FINER * size[1]))
        self.camera.fit(everything)
        self.floor: Floor | None = None if self.surfaces else Floor.below(self.run["floor"], everything)
        self.followed: list[int] = self._followed()
        self._ground: Image | None = None

    # where one looks from -----------------------------------------------------------------------------------------------
    def _everything(self) -> np.ndarray:
        """Points that must be seen, over all times, m."""
        found = [np.zeros((0, 3))]
        for body, figure in zip(self.run["bodies"], self.figures, strict=True):
            far = figure.corners[np.unique([*figure.corners.argmin(axis=0), *figure.corners.argmax(axis=0)])]
            count = len(body["position"])
            for k in range(0, count, max(1, count // MOMENTS)):
                turn = matrix(unit(at(body["quaternion"], k))) if "quaternion" in body else np.eye(3)
                found.append(far @ turn.T + at(body["position"], k))
        for link in (*self.run["links"], *self.run["lines"]):
            found += [link["from"][::16], link["to"][::16]]
        points = np.concatenate([*found, self.surfaces.corners(self.clock[0])])
        return points[np.isfinite(points).all(axis=1)]

    def _direction(self, everything: np.ndarray) -> np.ndarray:
        """From the side at what moves in an upright plane, from above at what moves in a level one."""
        if self.surfaces or not len(everything):
            return np.array([-0.5, -1.0, 0.74])
        x, y, z = np.ptp(everything, axis=0)
        if y < THIN * min(x, z):
            return np.array([-0.28, -1.0, 0.3])
        if x < THIN * min(y, z):
            return np.array([1.0, -0.28, 0.3])
        return np.array([-0.3, -0.6, 1.0]) if z < THIN * min(x, y) else np.array([-0.5, -1.0, 0.74])

    def _followed(self) -> list[int]:
        """The bodies that would be too small in a view of everything; none where they would not, or are far apart."""
        real = [
            k for k, body in enumerate(self.run["bodies"]) if "marker" not in body["shape"] and "scenery" not in body
        ]
        if not real:
            return []
        largest = max(self.reach[k] for k in real)
        apart = max(self._apart(real, place) for place in np.linspace(0, self.clock[2] - 1, MOMENTS))
        away = self.camera.close(largest, CLOSE)
        if apart > largest:
            away = max(self.camera.close(apart, LARGE), self.camera.close(largest, 2 * CLOSE))
        if (
            largest >= SEEN / CLOSE * largest * self.camera.distance / self.camera.close(largest, CLOSE)
            or away > 0.7 * self.camera.distance
        ):
            return []
        self.camera = Camera(np.array([-0.5, -1.0, 0.52]), np.zeros(3), away, self.camera.size)
        return real

    def _middle(self, bodies: Sequence[int], place: float) -> np.ndarray:
        """The middle of the box about places of bodies, m."""
        places = np.stack([at(self.run["bodies"][k]["position"], place) for k in bodies])
        return (places.min(axis=0) + places.max(axis=0)) / 2

    def _apart(self, bodies: Sequence[int], place: float) -> float:
        """How far bodies reach from their middle, m."""
        middle = self._middle(bodies, place)
        return max(
            float(np.linalg.norm(at(self.run["bodies"][k]["position"], place) - middle)) + self.reach[k] for k in bodies
        )

    def _place(self, t: float) -> float:
        first, last, count = self.clock
        return (t - first) / (last - first) * (count - 1)

    # painting -----------------------------------------------------------------------------------------------------------
    def frame(self, t: float) -> Image:
        """The picture of a time."""
        from PIL import ImageDraw

        place = self._place(t)
        if self.followed:
            self.camera.target = self._middle(self.followed, place)
        picture = self._background(t)
        pen = ImageDraw.Draw(picture)
        for k, trail in enumerate(self.run["trails"]):
            fine = trail.get("fine", 1)
            way = trail["points"][: int(place * fine) + 1]
            self._line(pen, way[:: max(1, len(way) // 4000)], self._trail_color(trail, k), 2.2)
        for link in (*self.run["links"], *self.run["lines"]):
            self._link(pen, link, place)
        for joint in self.run["joints"]:
            self._joint(pen, joint, place)
        self._bodies(picture, pen, place)
        small = picture.reduce(FINER)
        self._words(small, t)
        return small

    def _trail_color(self, trail: Mapping[str, Any], k: int) -> str:
        own = next((body for body in self.run["bodies"] if body["name"] == trail["name"]), None)
        if own is not None:
            return self._body_color(own)
        return color("centre" if trail["kind"] == "center" else str(trail["name"] or trail["kind"]), k)

    def _line(self, pen: Any, points: np.ndarray, fill: Any, width: float) -> None:
        if len(points) > 1:
            pixels, _ = self.camera.seen(points)
            pen.line([tuple(p) for p in pixels.tolist()], fill=fill, width=round(FINER * width), joint="curve")

    def _link(self, pen: Any, link: Mapping[str, Any], place: float) -> None:
        a, b = at(link["from"], place), at(link["to"], place)
        if link["kind"] == "spring":
            self._line(pen, _coil(a, b, 0.026 * self.run["size"]), STEEL, 2.0)
        else:
            width = {"rope": 1.2, "damper": 5.0, "rail": 2.0}.get(link["kind"], 3.2)
            self._line(pen, np.stack([a, b]), "#6d6558" if link["kind"] == "rope" else STEEL, width)

    def _joint(self, pen: Any, joint: Mapping[str, Any], place: float) -> None:
        """A dot; a support stands on a triangle."""
        [(x, y)], depth = self.camera.seen(at(joint["at"], place)[None])
        r = 0.011 * self.run["size"] * float(self.camera.scale(depth)[0])
        if joint["kind"] == "support":
            pen.polygon([(x, y), (x - 2 * r, y + 3.4 * r), (x + 2 * r, y + 3.4 * r)], fill="#d7dbe1", outline=STEEL)
        pen.ellipse((x - r, y - r, x + r, y + r), fill="#4a525f")

    def _bodies(self, picture: Image, pen: Any, place: float) -> None:
        """All bodies, the farthest first, of each the sides that are turned to the camera; clear ones over the others."""
        from PIL import ImageDraw

        made = []
        for body, figure in zip(self.run["bodies"], self.figures, strict=True):
            turn = matrix(unit(at(body["quaternion"], place))) if "quaternion" in body else np.eye(3)
            moved = figure.moved(turn, at(body["position"], place))
            tone = STEEL if body.get("scenery") else self._body_color(body)
            depth = float(self.camera.seen(moved.corners.mean(axis=0)[None])[1][0])
            made.append((bool(body.get("clear")), -depth, moved, tone))
        for clear, _, moved, tone in sorted(made, key=lambda one: one[:2]):
            self._polygons(ImageDraw.Draw(picture, "RGBA") if clear else pen, moved, (tone, IVORY), clear=clear)

    def _body_color(self, body: Mapping[str, Any]) -> str:
        if body["shape"]["kind"] == "shell" and len(self.run["bodies"]) == 1:
            return color("centre")
        return CROWD if body["tone"] is None else color(body["name"], body["tone"])

    def _polygons(self, pen: Any, figure: Polygons, tones: Sequence[str], *, clear: bool = False) -> None:
        corners = figure.corners[figure.faces]
        normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, -1] - corners[:, 1])
        outwards = np.einsum("ij,ij->i", normal, corners.mean(axis=1) - figure.corners.mean(axis=0))
        normal *= np.where(outwards < 0, -1.0, 1.0)[:, None]
        length = np.linalg.norm(normal, axis=1)
        light = 0.62 + 0.42 * np.clip(normal @ SUN / np.where(length > 0, length, 1.0), -0.6, 1.0)
        pixels, depth = self.camera.seen(figure.corners)
        order = np.argsort(-depth[figure.faces].mean(axis=1), kind="stable")
        base = np.array([rgb(tone) for tone in tones])[figure.tones]
        shades = np.clip(base * light[:, None], 0, 255)[order].astype(int).tolist()
        outlines = pixels[figure.faces[order]].reshape(len(order), -1).tolist()
        if clear:  # the sides that are turned to the camera, over what is inside
            front = np.einsum("ij,ij->i", normal, corners.mean(axis=1) - self.camera.eye)[order] < 0
            for k in np.flatnonzero(front):
                pen.polygon(outlines[k], fill=(*shades[k], CLEAR))
            return
        for outline, shade in zip(outlines, shades, strict=True):
            pen.polygon(outline, fill=tuple(shade), outline=tuple(shade))

    def _background(self, t: float) -> Image:
        """Paper, and the surfaces on it; painted once where neither the camera nor a surface moves."""
        from PIL import Image, ImageDraw

        rests = not self.followed and not self.surfaces.moves
        if self._ground is not None and rests:
            return self._ground.copy()
        picture = Image.new("RGB", self.camera.size, PAPER)
        self.surfaces.paint(ImageDraw.Draw(picture), self.camera, t)
        if self.floor is not None:
            self.floor.paint(ImageDraw.Draw(picture), self.camera)
        self._ground = picture
        return picture.copy() if rests else picture

    def _words(self, picture: Image, t: float) -> None:
        from PIL import ImageDraw, ImageFont

        pen = ImageDraw.Draw(picture)
        tall = max(12, self.size[1] // 36)
        edge = 0.7 * tall
        halo: Any = {"stroke_width": max(1, tall // 9), "stroke_fill": PAPER}  # before surfaces of any colour
        pen.text((edge, edge), self.title, fill=INK["light"], font=ImageFont.load_default(tall), **halo)
        small = ImageFont.load_default(round(0.85 * tall))
        pen.text((edge, edge + 1.35 * tall), f"{t:.2f} s", fill=SOFT, font=small, **halo)


def _coil(a: np.ndarray, b: np.ndarray, radius: float) -> np.ndarray:
    """Points of a coil between two ends."""
    along = b - a
    length = float(np.linalg.norm(along)) or 1.0
    n = along / length
    side = np.cross(n, [0.0, 0.0, 1.0] if abs(n[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    s = np.linspace(0, 1, 220)
    angle = 2 * np.pi * 11 * np.clip((s - 0.1) / 0.8, 0, 1)
    far = min(radius, 0.12 * length) * np.clip(np.minimum((s - 0.06) / 0.05, (0.94 - s) / 0.05), 0, 1)
    circle = np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * np.cross(n, side)
    return a + s[:, None] * along + far[:, None] * circle
