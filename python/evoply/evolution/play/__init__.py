"""Who meets whom: individuals as players, their opponents, and the games that they play."""
