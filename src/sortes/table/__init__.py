"""Where people play: a log of what resulted, and all that follows from it."""
