"""The games as environments for those who train players: PettingZoo and OpenSpiel, the extra `kk[learn]`."""
