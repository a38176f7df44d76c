"""Evolve, learn, measure and play players of board games."""
