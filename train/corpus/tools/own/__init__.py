"""Tools of clients' own: requests, calls, results and chains."""
