"""The switcher between the versions of the documentation, and the list of versions that it shows.

The pages of each version are published at <Documentation>/<version>/, and the list of the newest build at
<Documentation>/versions.json, with the address Documentation of [project.urls] in pyproject.toml. While that is a
placeholder, there is no switcher: local pages need no network.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def address() -> str | None:
    """Where the documentation is published; None while pyproject.toml has a placeholder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    url = project["urls"]["Documentation"].rstrip("/")
    return None if "example.org" in url else url


def released(changelog: str) -> list[str]:
    """Versions in the headings of a changelog, the newest first."""
    return re.findall(r"^## \[(\d+\.\d+\.\d+)\]", changelog, flags=re.MULTILINE)


def entries(url: str, changelog: str) -> list[dict[str, Any]]:
    """What the switcher shows: the development version and all that were released, the newest of these preferred."""
    versions = released(changelog)
    found: list[dict[str, Any]] = [{"name": "development", "version": "dev", "url": f"{url}/dev/"}]
    found += [{"version": version, "url": f"{url}/{version}/"} for version in versions]
    if versions:
        found[1] |= {"name": f"{versions[0]} (stable)", "preferred": True}
    return found


def theme_options(url: str | None, version: str) -> dict[str, Any]:
    """Options of the theme: the switcher, and a warning on the pages of other versions than the newest."""
    if url is None:
        return {}
    return {
        "switcher": {"json_url": f"{url}/versions.json", "version_match": version},
        "navbar_start": ["navbar-logo", "version-switcher"],
        "show_version_warning_banner": True,
        "check_switcher": False,
    }


def write(app: Any, exception: Exception | None) -> None:
    """Writes versions.json beside the pages."""
    if exception is None and (url := address()) is not None:
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        (Path(app.outdir) / "versions.json").write_text(json.dumps(entries(url, changelog), indent=2), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
