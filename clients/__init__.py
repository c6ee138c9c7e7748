"""The editors' clients, and what is generated for them from the server's settings."""
