"""Language tags, as clients write them: `en`, `en-US`, `en_US`."""


def main_language(tag: str) -> str:
    """Return the language of a tag without its region, in lower case: "en" of "en-US" and "en_US"."""
    return tag.strip().lower().replace("_", "-").partition("-")[0]
