"""`python -m gpusort_cluster ray|spark`: what `gpusort sort --engine ray|spark` starts."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import TYPE_CHECKING, Any

from gpusort_cluster.errors import GpusortError
from gpusort_cluster.job import DEFAULT_MEMORY
from gpusort_cluster.order import LETTERS, Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpusort_cluster.manifest import Manifest

_FAILED = 2  # as the command's own exit code for errors
_INTERRUPTED = 128 + signal.SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Sorts as the arguments say and returns the exit code."""
    given = _parser().parse_intermixed_args(arguments)
    try:
        manifest = _ray(given) if given.engine == "ray" else _spark(given)
    except GpusortError as error:
        print(f"gpusort: {error}", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        print("gpusort: interrupted; the same command takes up what is done", file=sys.stderr)
        return _INTERRUPTED
    if given.verbose:
        print(f"gpusort: {manifest.rows} rows in {len(manifest.parts)} objects", file=sys.stderr)
    return 0


def _ray(given: argparse.Namespace) -> Manifest:
    from gpusort_cluster.ray import ray_sort

    return ray_sort(
        given.inputs, given.output, _order(given), num_cpus=given.workers, num_gpus=given.gpus, **_shared(given)
    )


def _spark(given: argparse.Namespace) -> Manifest:
    from gpusort_cluster.sparkfiles import session, spark_sort_files

    with session(given.master) as spark:
        return spark_sort_files(
            spark, given.inputs, given.output, _order(given), workers=max(1, int(given.workers)), **_shared(given)
        )


def _shared(given: argparse.Namespace) -> dict[str, Any]:
    names = ("ranges", "range_size", "samples", "work", "memory", "temp", "binary")
    shared = {name: getattr(given, name) for name in names}
    return shared | {"tasks": given.tasks or given.parallel}


def _order(given: argparse.Namespace) -> Order:
    names = ("by", "separator", "record", "format", "header", "nulls", "nan", "compression", "row_group")
    given_names = {name: getattr(given, name) for name in names}
    return Order(keys=tuple(given.keys), letters="".join(given.letters or ()), **given_names)


def _size(text: str) -> str:
    """Takes a bare number as KiB, as sort -S does."""
    return text + "K" if text.isdigit() else text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gpusort_cluster", description=__doc__, allow_abbrev=False, add_help=False
    )
    parser.add_argument("--help", action="help")  # -h is a flag of the order
    parser.add_argument("engine", choices=("ray", "spark"))
    parser.add_argument("inputs", nargs="+", metavar="URL", help="what to sort; * stands for any name")
    parser.add_argument("-o", "--output", required=True, metavar="URL", help="the folder to write to")
    parser.add_argument("--ranges", type=int, metavar="N", help="how many objects to write")
    parser.add_argument("--range-size", metavar="SIZE", help="how many bytes an object has, without --ranges")
    parser.add_argument("--tasks", type=int, metavar="N", help="shares of the inputs (default: tasks at a time)")
    parser.add_argument("--parallel", type=int, metavar="N", help="the same, in the words of --engine local")
    parser.add_argument("--samples", type=int, metavar="N", help="keys that are read to cut ranges")
    parser.add_argument("--work", metavar="URL", help="the folder of what only the tasks need (default: _work of -o)")
    parser.add_argument(
        "-S", "--memory", "--buffer-size", default=DEFAULT_MEMORY, type=_size, metavar="SIZE", help="of a task"
    )
    parser.add_argument(
        "-T", "--temp", "--temporary-directory", action="append", metavar="DIR", help="for what exceeds the memory"
    )
    parser.add_argument("--workers", type=float, default=1, metavar="N", help="processors of a task")
    parser.add_argument("--gpus", type=float, default=0, metavar="N", help="GPUs of a task, on Ray")
    parser.add_argument("--master", metavar="URL", help="spark.master, where no configuration says it")
    parser.add_argument("--binary", metavar="FILE", help="the program gpusort-cluster")
    parser.add_argument("-v", "--verbose", action="store_true")
    order = parser.add_argument_group("order, as of gpusort sort")
    order.add_argument("--by", metavar="COLUMNS")
    order.add_argument("-k", "--key", dest="keys", action="append", default=[], metavar="KEYDEF")
    order.add_argument("-t", "--field-separator", dest="separator", metavar="SEP")
    order.add_argument("--record", type=int, metavar="N")
    order.add_argument("--format", metavar="NAME")
    order.add_argument("--header", type=int, metavar="N")
    order.add_argument("--nulls", choices=("first", "last"))
    order.add_argument("--nan", choices=("first", "last"))
    order.add_argument("--compression", metavar="NAME")
    order.add_argument("--row-group", type=int, metavar="ROWS")
    for letter, name in LETTERS.items():
        order.add_argument(f"-{letter}", f"--{name}", dest="letters", action="append_const", const=letter)
    return parser


if __name__ == "__main__":
    sys.exit(main())
