"""The league: the best player of every method, made afresh at equal budget, all against all."""
