"""The pages: each file brings the `routes` of its own. They read, show a template, and take forms; no more."""
