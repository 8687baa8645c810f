"""The viewer's page as a widget: what is chosen in it, a time and the values of sliders, comes back to Python."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from zeromass.model import ModelError

SCRIPT = Path(__file__).parent / "viewer" / "static" / "widget.js"


class Widget(Protocol):
    """A page in a notebook that Python hears: each of these changes with the page, and the page with each.

    time     of the motion that is shown, s; None until the page is
    playing  whether it plays; None until the page is shown
    values   of the sliders, by their names; some of them may be set, {"vx": 2.0}, and the others stay
    outcome  how the motion of the sliders ends, in the page's words; "" where it goes to its end

    It is one of anywidget, and thereby of ipywidgets: it can stand in boxes, and `observe` calls a function when one of
    these has changed.

    >>> from zeromass.report import Widget
    >>> sorted(Widget.__annotations__)
    ['outcome', 'playing', 'time', 'values']
    """

    time: float | None
    playing: bool | None
    values: dict[str, float]
    outcome: str

    def observe(self, handler: Callable[[Any], None], names: Any = ...) -> None:
        """Calls handler(change) when one of `names` has changed; `change.new` is the new value."""
        ...


def widget(page: str, height: int, values: Mapping[str, float]) -> Widget:
    """A widget that shows a page with sliders of these values."""
    return _kind()(page=page, height=height, values=dict(values))


@cache
def _kind() -> Any:
    try:
        anywidget, traitlets = (importlib.import_module(name) for name in ("anywidget", "traitlets"))
    except ImportError:
        raise ModelError("view.widget() needs anywidget: pip install 'zeromass[notebook]'") from None

    class Shown(anywidget.AnyWidget):
        _esm = SCRIPT.read_text(encoding="utf-8")
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        time = traitlets.Float(None, allow_none=True).tag(sync=True)
        playing = traitlets.Bool(None, allow_none=True).tag(sync=True)
        values = traitlets.Dict(value_trait=traitlets.CFloat(), key_trait=traitlets.Unicode()).tag(sync=True)
        outcome = traitlets.Unicode().tag(sync=True)

        def __init__(self, **given: Any) -> None:
            self._sliders = tuple(given["values"])
            super().__init__(**given)

        @traitlets.validate("values")
        def _all_values(self, proposal: Any) -> dict[str, float]:
            """Those that are not given stay."""
            for name in proposal["value"]:
                if name not in self._sliders:
                    raise ModelError(f"no slider is named '{name}'; there is: {', '.join(self._sliders) or 'none'}")
            return {**self.values, **proposal["value"]}

        def __repr__(self) -> str:
            values = [f"{name}={value:g}" for name, value in self.values.items()]
            return f"Widget({', '.join([f'time={self.time}', *values])})"

    return Shown
