"""The bounds of a crawl and the sitemaps it begins with."""
