"""HTTP rules without I/O: addresses, headers, caching, robots.txt, politeness, secrets in requests."""
