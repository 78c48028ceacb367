"""The catalogue: dossiers, accounts, hosts, and what is due where."""
