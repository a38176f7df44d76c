"""Workers elsewhere: units of work on an existing Dask cluster, or on one on this machine.

`evoply.protocols.clusters` is the contract. `connect` opens a cluster; what it does with units, and
whom it believes, is in `dispatch`, which knows nothing of Dask.
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
