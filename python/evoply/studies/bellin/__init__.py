"""Bellin & Gasperin, "Genetic Programming and Othello": its experiments, gpjpp's files, Edgar."""

from evoply.when_used import give_when_used

give_when_used(__name__)
