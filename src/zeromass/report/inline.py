"""The viewer's page as a value: in a notebook it plays where it stands, elsewhere it says what to do with it."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from zeromass.report.widget import Widget, widget
from zeromass.report.writing import PAGES, with_ending, write

HEIGHT = 560
"""Pixels of the frame in a notebook."""


@dataclass(frozen=True, eq=False)
class View:
    """A page that plays a run, not yet in a file: a notebook shows it, with no network.

    page    the whole HTML page
    height  of its frame in a notebook, pixels
    values  of its sliders, by their names

    >>> bob = zm.Particle("bob", mass=1.0)
    >>> falling = zm.System([bob], gravity=9.81)
    >>> view = zm.simulate(falling, falling.start(), until=1.0).view()
    >>> view.save(folder / "bob.html").name
    'bob.html'
    """

    page: str
    height: int = HEIGHT
    values: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, writes: Callable[[Path], object], height: int = HEIGHT, values: Mapping[str, float] | None = None
    ) -> View:
        """The page that is written to a file."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "view.html"
            writes(place)
            return cls(place.read_text(encoding="utf-8"), height, {} if values is None else values)

    def __repr__(self) -> str:
        size = len(self.page.encode()) / 1e6
        return (
            f"View({size:.1f} MB): a notebook plays it in the output of the cell; outside notebooks write it with "
            "view.save('run.html'), or give the path at once, run.view('run.html'), and open that file in a browser; "
            "view.open() does both"
        )

    def _repr_html_(self) -> str:
        """A frame that holds the page itself: it can not ask for anything, and sees nothing of the notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts allow-downloads" allow="fullscreen" '
            f'style="width:100%;height:{self.height}px;border:0;border-radius:8px" title="a run, to be played"></iframe>'
        )

    def widget(self) -> Widget:
        """The page as a widget of a notebook: the time and the values of sliders that are chosen in it come back.

            shown = run.view(sliders={vx: (0.5, 2.5)}).widget()
            shown                                      # in a cell of its own; then move the slider
            start = run.start.again(shown.values)      # {"vx": 2.15}
            run.at(shown.time)[rolling.contact]
            shown.values = {"vx": 1.0}                 # the page follows

        `shown.observe(function, "values")` calls a function at each change. Needs anywidget: pip install
        'zeromass[notebook]'; where values need not come back, the view shows itself without it.
        """
        return widget(self.page, self.height, self.values)

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the page as a file; returns its path."""
        path = with_ending(path, "a page", PAGES)
        return write(path, lambda place: place.write_text(self.page, encoding="utf-8"))

    def open(self) -> Path:
        """Writes the page as a temporary file and opens it in the browser; returns its path."""
        import webbrowser

        place = Path(tempfile.mkdtemp(prefix="zeromass-")) / "view.html"
        self.save(place)
        webbrowser.open(place.as_uri())
        return place
