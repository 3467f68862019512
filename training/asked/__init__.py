"""Questions of the user: read from files, tied to the graph, worded anew, supervised."""
