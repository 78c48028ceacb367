"""The outside world: network, disk, databases. Only bootstrap imports from here."""
