"""The games as environments for training players: PettingZoo and OpenSpiel, the extra `kk[learn]`."""
