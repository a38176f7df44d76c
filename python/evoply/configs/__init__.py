"""What configs of all kinds of learners share: parts, their errors, keys from TOML."""
