"""What HTTP means for us: addresses, headers, caching, robots.txt, politeness, secrets in requests."""
