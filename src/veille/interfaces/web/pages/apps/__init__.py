"""Apps: readers that speak the Google Reader and Fever protocols, and the pages as an app of their own."""
