"""Sealed bids: hands, and secret choices that all seats make at the same moment."""
