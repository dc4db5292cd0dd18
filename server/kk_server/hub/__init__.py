"""Tables, the lobby and sessions. Nothing here knows about networks or terminals."""
