"""The ledger of a collection: its tables, entries and backups."""
