"""Units of work on processes of this machine, on an existing Dask cluster, or on a local one.

`evoply.protocols.clusters` is the contract. `connect` opens a cluster of Dask's, `processes` is a
pool without it. `dispatch` submits units and checks results, for any pool.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.cluster.dask_pool import connect, opened
    from evoply.cluster.dispatch import Dispatcher, Pool

__all__ = ["Dispatcher", "Pool", "connect", "opened"]

give_when_used(
    __name__,
    {
        "dask_pool": "connect opened",
        "dispatch": "Dispatcher Pool",
    },
)
