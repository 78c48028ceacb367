"""The routes of the REST API, one module per topic; modules are found automatically."""
