"""Apps: readers that speak the Google Reader, Miniflux and Fever protocols, and the pages as an app of their own."""
