"""The routes of REST, a module for each topic; each is found by its file name."""
