"""What a worker of `local:N` loads first: Ctrl-C is for the process that started it."""

import signal

from evoply.cluster.dispatch import identity


def dask_setup(_: object) -> None:
    """Ignore Ctrl-C, and compute the signature before the first unit comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    identity()
