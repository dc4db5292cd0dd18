"""Tables, the lobby and who looks at them; knows no network and no terminal."""
