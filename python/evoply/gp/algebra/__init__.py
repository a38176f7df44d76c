"""Simplified trees and formulas, for people only: nothing here ever plays."""

from evoply.when_used import give_when_used

give_when_used(__name__)
