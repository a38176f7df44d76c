from evoply.cluster.dask_pool import connect as connect
from evoply.cluster.dask_pool import opened as opened
from evoply.cluster.dispatch import Dispatcher as Dispatcher
from evoply.cluster.dispatch import Pool as Pool
