"""How contents are kept: revisions, backups and zip files."""
