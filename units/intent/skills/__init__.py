"""Skills: what the board does by itself, without a home and without a model. Each is a module, its texts beside it.

`skill` says what a skill is, `texts` reads its sentences and answers, `matcher` finds which skill a sentence is for,
and `turn` carries it out with the daemon.
"""
