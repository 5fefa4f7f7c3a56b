"""Values in sentences: each module reads one kind of words ("five and a half minutes") in all its languages."""
