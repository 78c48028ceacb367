"""The store on SQLite: a catalog, and one sealed file per dossier."""
