"""The same answers for agents: context packs and an MCP server."""
