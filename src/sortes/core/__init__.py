"""What every rule is written in: asks, chance, the world, and the door of a system. Pure, and no game."""
