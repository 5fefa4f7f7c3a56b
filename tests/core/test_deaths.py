"""Covers unitd.core.tasks.deaths: which deaths of a program count against which of its tasks."""

from unitd.core.tasks.deaths import Deaths, Part


def test_the_second_death_of_a_task_alone_fails_it() -> None:
    """A single death may be chance."""
    once = Deaths().after(Part.SOLE, in_setup=False)
    twice = once.after(Part.SOLE, in_setup=True)

    assert (once.is_suspect, once.are_too_many) == (True, False)
    assert twice.are_too_many


def test_company_makes_a_suspect_and_no_more() -> None:
    """However often: somebody else may be the cause each time."""
    deaths = Deaths()
    for _ in range(10):
        deaths = deaths.after(Part.SHARED, in_setup=False)

    assert (deaths.is_suspect, deaths.are_too_many) == (True, False)
    assert deaths.after(Part.SOLE, in_setup=False).are_too_many


def test_a_task_at_rest_is_no_suspect() -> None:
    """A task that had no work in the program is not blamed for its death."""
    assert Deaths().after(Part.NONE, in_setup=True) == Deaths()


def test_a_setup_that_ends_well_clears_of_setups() -> None:
    """And not of prompts: those that kill are set up well each time."""
    deaths = Deaths().after(Part.SOLE, in_setup=True).after_setup()
    of_prompts = Deaths().after(Part.SOLE, in_setup=False).after_setup()

    assert not deaths.is_suspect
    assert of_prompts.is_suspect


def test_daemons_that_end_over_a_setup_make_a_suspect_and_no_more() -> None:
    """A board that is switched off twice at the same moment has no failed task."""
    deaths = Deaths().after_interrupted_setup().after_interrupted_setup()

    assert (deaths.is_suspect, deaths.are_too_many) == (True, False)
