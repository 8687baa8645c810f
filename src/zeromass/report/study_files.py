"""Studies as files: netCDF with all labels, or a table in Parquet, one row a member."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zeromass.model import ModelError
from zeromass.report.writing import given_path, write

if TYPE_CHECKING:
    import xarray

ENDINGS = (".nc", ".parquet")
"""Of files that a study in memory is written to; a store, .zarr, is filled while it runs."""


def save(study: xarray.Dataset, path: str | PathLike[str]) -> Path:
    """Writes a study as netCDF, .nc, or as a table with one row a member, .parquet, by the ending of the name.

    A table has the parameters first; vectors have a column for each component, values at times one for each time.

    >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    >>> gliding = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> study = zm.sweep(gliding, gliding.start({zm.rate(x): v}), until=3.0, over={v: [1.0, 2.0]}, keep={"end": x})
    >>> import xarray
    >>> with xarray.open_dataset(zm.study.save(study, folder / "study.nc")) as read:
    ...     print(read.end.values.round(9), read.outcome.values.tolist())
    [3. 6.] ['finished', 'finished']
    """
    ending = given_path(path, "study.nc").suffix.lower()
    if ending == ".nc":
        plain = study.assign({name: study[name].astype(object) for name in study if study[name].dtype.kind in "UO"})
        content = bytes(plain.to_netcdf(None, engine="h5netcdf"))  # the file itself is locked while it is written
        return write(path, lambda place: place.write_bytes(content))
    if ending == ".parquet":
        return _parquet(study, path)
    raise ModelError(f"a study is written as .nc or .parquet, not '{path}'; .zarr is a store: zm.sweep(…, store=…)")


def _parquet(study: xarray.Dataset, path: str | PathLike[str]) -> Path:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow, which is not installed: pip install pyarrow") from error
    dims = [str(d) for d in study["outcome"].dims]
    fields, arrays = [], []
    for name, values in columns(study, dims).items():
        about = study[name.split("[")[0]].attrs
        told = {key: str(about[key]) for key in ("units", "long_name") if key in about}
        words = values.dtype.kind in "UO"
        array = pyarrow.array(values.astype(object) if words else values, type=pyarrow.string() if words else None)
        fields.append(pyarrow.field(name, array.type, metadata=told))
        arrays.append(array)
    schema = pyarrow.schema(fields, metadata={str(key): str(value) for key, value in study.attrs.items()})
    data = pyarrow.table(arrays, schema=schema)
    return write(path, lambda place: parquet.write_table(data, place))


def columns(study: xarray.Dataset, dims: list[str]) -> dict[str, np.ndarray]:
    """{name: values}, one row a member: parameters, and what is kept, by component as name[0], name[1], …"""
    shape = tuple(study.sizes[d] for d in dims)
    found: dict[str, np.ndarray] = {}
    for name, array in {**study.coords, **study.data_vars}.items():
        own = [str(d) for d in array.dims]
        if not set(own) & set(dims):
            continue
        more = [d for d in own if d not in dims]
        full = array.expand_dims({d: study.sizes[d] for d in dims if d not in own}).transpose(*dims, *more)
        values = np.broadcast_to(full.values, (*shape, *full.shape[len(dims) :])).reshape(int(np.prod(shape)), -1)
        for place in range(values.shape[1]):
            inside = np.unravel_index(place, full.shape[len(dims) :]) if more else ()
            found[f"{name}{'[' + ', '.join(str(int(k)) for k in inside) + ']' if more else ''}"] = values[:, place]
    return found
