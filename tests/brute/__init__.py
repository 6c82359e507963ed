"""The five systems by brute force, from the pinned rules alone: slow, plain, exact, nothing of ours in it."""
