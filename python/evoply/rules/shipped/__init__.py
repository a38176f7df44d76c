"""Games that come with evoply as rules in Python; `evoply.games` has them as JSON."""
