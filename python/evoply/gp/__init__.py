"""Genetic programming: typed trees and the pure functions that make and vary them.

Every operator takes its randomness as an `evoply._native.Stream` and changes no argument. This
package knows neither games nor fitness.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
