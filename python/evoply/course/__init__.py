"""A course of eight exercises for a class: its folder, and what says whether an exercise is done.

What students and teachers get lies in `files` and is copied whole; Python in there is no module.
"""
