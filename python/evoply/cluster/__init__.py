"""Units of work on processes of this machine, on an existing Dask cluster, or on a local one.

`evoply.protocols.clusters` is the contract. `connect` opens a cluster of Dask's, `processes` is a
pool without it. `dispatch` submits units and checks results, for any pool.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
