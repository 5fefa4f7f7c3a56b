"""The intent program: sentences that people say most often, recognised without a model.

`unit` speaks with the daemon. `library` has the sentences, `recognizer` finds what a sentence says, `wishes` which
devices it means, `actions` which tool does it, `rounds` carries it out with the daemon, `answers` says what was done.
"""
