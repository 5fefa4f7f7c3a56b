"""The chunked dialect of `/ws`: answers in pieces that the client asks for."""
