"""A program that checks the sentences of a person's own skills: rows as JSON in, rows [name, key, fault] out."""

import sys

import orjson

from units.intent.library import UnknownLanguage, find_language
from units.intent.skills.sentences import faults_in
from units.intent.skills.texts import Texts, TextsError, texts_of


def main() -> None:
    """Read all skills and print what is wrong with them."""
    faults: list[tuple[str, list[str], str]] = []
    for row in orjson.loads(sys.stdin.buffer.read()):
        for language, table in row["texts"].items():
            try:
                find_language(language)
                texts: Texts = texts_of(table, language)
            except (UnknownLanguage, TextsError) as error:
                faults.append((row["name"], [language], str(error)))
                continue
            faults += [(row["name"], [language, *key], words) for key, words in faults_in(texts)]
    sys.stdout.buffer.write(orjson.dumps(faults))


if __name__ == "__main__":
    main()
