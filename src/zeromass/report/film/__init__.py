"""Films: each frame is painted anew from what the viewer's page shows, without a browser."""

from zeromass.report.film.movie import movie

__all__ = ["movie"]
