"""Sets evoply up in a clone: packages into .venv, the kernel into python/evoply.

`make` calls it (`python3 -m setting_up`). It runs before anything is installed, so it uses the
standard library alone and imports nothing of evoply.
"""
