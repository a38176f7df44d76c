"""What evoply needs of a machine: files, databases, processes, and what is installed.

Files are written whole or not at all, rows of databases have checksums, and foreign processes run
below a keeper with limits and deadlines. This package knows no games and no players.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
