"""The games as environments for training players: PettingZoo and OpenSpiel. Needs the extra `kk[learn]`."""
