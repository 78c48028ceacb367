"""Find what can be watched: feeds, sitemaps, APIs, search engines, lists of feeds."""
