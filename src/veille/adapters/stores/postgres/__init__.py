"""The store on PostgreSQL: the catalog and all dossiers in one database, `dossier_id` leading every key."""
