"""Sorts a ray.data.Dataset: its blocks go to the store as Arrow files, and sorted ones come back as a Dataset."""

from __future__ import annotations

import contextlib
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import fs

from gpusort_cluster.engines import require
from gpusort_cluster.errors import GpusortError
from gpusort_cluster.order import Order
from gpusort_cluster.ray import ray_sort
from gpusort_cluster.url import join

require("ray")
import ray  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence


def ray_sort_dataset(
    dataset: ray.data.Dataset, output: str, by: str | Sequence[str] | Order, **options: Any
) -> ray.data.Dataset:
    """Returns the dataset sorted by columns, from Arrow files below output, which stay there.

    Rows that tie keep their order. Ray runs the writing of a block where the block lies. options are those of
    ray_sort. The result is in order as it is; operations on it keep that order if
    ray.data.DataContext's execution_options.preserve_order is set.
    """
    order = Order.of(by)
    if order.by is None:
        raise GpusortError("ray_sort_dataset: name columns: by='city,ts:desc'")
    folder = join(output, "_dataset-" + uuid.uuid4().hex[:12])
    store, place = _store(folder)
    try:
        blocks = _written(dataset, folder)
        if not blocks:
            return dataset
        manifest = ray_sort(blocks, output, order, **options)
    finally:
        with contextlib.suppress(FileNotFoundError):
            store.delete_dir(place)
    load: Any = ray.remote(_load)
    return ray.data.from_arrow_refs([load.remote(part.url) for part in manifest.parts])


def _written(dataset: ray.data.Dataset, folder: str) -> list[str]:
    """Writes each block with rows below folder and returns their URLs in the order of the rows."""

    def write(block: pa.Table) -> pa.Table:
        if block.num_rows == 0:
            return pa.table({"url": pa.array([], pa.string())})
        url = join(folder, uuid.uuid4().hex + ".arrow")
        store, place = _store(url)
        store.create_dir(place.rpartition("/")[0], recursive=True)
        with store.open_output_stream(place) as file, pa.ipc.new_file(file, block.schema) as writer:
            writer.write_table(block, max_chunksize=1 << 16)
        return pa.table({"url": [url]})

    # A copy of the plan, so that the caller's dataset keeps its own context.
    written = dataset.map_batches(write, batch_format="pyarrow", batch_size=None)
    written.context.execution_options.preserve_order = True
    return [row["url"] for row in written.take_all()]


def _load(url: str) -> pa.Table:
    store, place = _store(url)
    with store.open_input_file(place) as file, pa.ipc.open_file(file) as reader:
        return reader.read_all()


def _store(url: str) -> tuple[fs.FileSystem, str]:
    """Returns the file system of a URL or local path, and the path in it."""
    try:
        if "://" not in url:
            return fs.LocalFileSystem(), url
        store, place = fs.FileSystem.from_uri(url)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise GpusortError(
            f"ray_sort_dataset: pyarrow knows no store for {url}: give s3://, gs://, file:// or a path ({error})"
        ) from error
    return store, place
