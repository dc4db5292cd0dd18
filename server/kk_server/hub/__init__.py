"""Tables, the lobby and their sessions; knows no network and no terminal."""
