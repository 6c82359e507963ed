"""One room per system: each imports core and nothing else."""
