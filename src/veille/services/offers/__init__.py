"""What comes from outside to all dossiers: services of a router, and entries of registries."""
