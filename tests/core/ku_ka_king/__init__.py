"""Tests of the rules of Ku-Ka-King."""
