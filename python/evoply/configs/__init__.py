"""What configs of every kind of learner share: parts, what is wrong with them, keys from TOML."""
