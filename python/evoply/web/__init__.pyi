from evoply.web.application import application as application
from evoply.web.limits import Rate as Rate
from evoply.web.limits import ServerLimits as ServerLimits
from evoply.web.protection import Trusted as Trusted
from evoply.web.store import GameStore as GameStore
from evoply.web.store import Room as Room
from evoply.web.store import Stored as Stored
from evoply.web.store import StoreError as StoreError
