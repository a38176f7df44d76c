"""MAP-Elites: the best individual of every kind, such as of each size and mobility."""
