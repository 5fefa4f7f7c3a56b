"""JSGF grammars for pocketsphinx, and the line of the error in a grammar that it refuses.

The library reports errors only in its log. The line numbers there are wrong (it does not reset its counter), so the
line is searched for: it is the last line of the shortest beginning of the grammar that fails for another reason than
its end. The library only reports undefined rules, imports and recursion, and looks at no rule that the first public one
does not use; here all of them are errors.

A grammar may also keep the library busy for ever, or take all memory. So its size is counted first, and it is compiled
in a process of its own before this program compiles it.
"""

import re
import tempfile
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from units import confined
from units.asr.grammar_size import TooLarge, check_size
from units.base import LoadError, UnitFault
from units.setup_values import refusal

try:
    from pocketsphinx import Decoder, set_loglevel
except ImportError as error:
    raise LoadError("the bundled engine needs pocketsphinx: pip install pocketsphinx") from error

# Without fwdflat, as in free speech; with bestpath a grammar's result may be half a sentence.
_OPTIONS: dict[str, Any] = {"fwdflat": False, "bestpath": False, "lm": None}
_SEARCH = "commands"

# Grammars for a house take 10 to 50 ms and 5 to 20 MB; a board is given ten times as long. As much again is spent when
# it is compiled for use, and again for each speaker at once.
COMPILING_SECONDS = 1.0
COMPILING_BYTES = 64 * 1024 * 1024

_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_HEADER = re.compile(r"\s*#JSGF[^;]*;")
_IMPORT = re.compile(r"\bimport\s*<[^>]*>")
_RULE_NAMES = re.compile(r"<[^>]*>")
_NO_WORDS = re.compile(
    r"#jsgf[^;]*;|\bgrammar\s[^;]*;|<[^>]*>|\{[^}]*\}|/[\d.e+-]+/|\bpublic\b",
    re.DOTALL | re.IGNORECASE,
)
_WORDS = re.compile(r"[^\s|()\[\]*+=;\"]+")

_SYNTAX_ERROR = re.compile(r"syntax error, (.*?) at line -?\d+ current token '(.*?)'")
_RULE = re.compile(r"<(?:[^>]*\.)?([^.>]+)>(\s*=)?")
_RULES_OF_JSGF = {"NULL", "VOID"}
_RECURSION = re.compile(r"Only right-recursion is permitted \(in [^<]*<(?:[^>]*\.)?([^.>]+)>\)")
_NO_PUBLIC_RULE = "No public rules"
_AT_ITS_END = "unexpected $end"


def check_grammar(grammar: str) -> None:
    """Check what can be told without the library; raise UnitFault with the line and the reason."""
    try:
        check_size(_HEADER.sub(_blanks, _COMMENTS.sub(_blanks, grammar), count=1))
    except TooLarge as error:
        raise _refusal_at(grammar, error.place, error.reason) from error
    _check_text(_COMMENTS.sub(_blanks, grammar))


def try_grammar(grammar: str) -> confined.Confined:
    """Begin to compile a grammar in a process of its own, which sends "" if it can be used, else the reason."""

    def compile_it(connection: Any) -> None:
        try:
            make_grammar_decoder(grammar, is_trial=True)
        except UnitFault as fault:
            connection.send(str(fault))
        else:
            connection.send("")

    return confined.start(compile_it)


def check_trial(reason: str | None) -> None:
    """Raise UnitFault for the result of a trial that failed; None means that it ended without a result."""
    if reason is None:
        limits = f"{COMPILING_SECONDS:g} s or {COMPILING_BYTES >> 20} MiB"
        raise refusal(f"grammar is too complex: to compile it takes more than {limits}")
    if reason:
        raise refusal(reason)


def make_grammar_decoder(grammar: str, *, is_trial: bool = False) -> Any:
    """Return a decoder that hears nothing but this grammar; for a trial this process limits itself.

    Raises:
        UnitFault: the grammar cannot be used; the words tell the line and the reason.
    """
    grammar = _COMMENTS.sub(_blanks, grammar)
    _check_text(grammar)
    with _reports() as log:
        decoder = Decoder(**_OPTIONS, loglevel="ERROR", logfn=str(log))
        if is_trial:
            confined.limit_memory(COMPILING_BYTES)
            confined.limit_time(COMPILING_SECONDS)
        lowered = _lowered(grammar)
        report = _report_of(decoder, lowered, log)
        if syntax := _SYNTAX_ERROR.search(report):
            raise _syntax_refusal(syntax, _find_line(decoder, lowered, log))
        _check_rules(grammar)
        _check_words(decoder, grammar)
        if report:
            raise _refusal_of(report, grammar)
        decoder.activate_search(_SEARCH)
    return decoder


@contextmanager
def _reports() -> Iterator[Path]:
    """Yield the file to which the library writes its reports meanwhile."""
    with tempfile.TemporaryDirectory(prefix="unitd-asr-") as folder:
        try:
            yield Path(folder) / "log"
        finally:
            set_loglevel("FATAL")


def _check_text(grammar: str) -> None:
    """Refuse what the library would not see, or must not see: an import is a file of the board."""
    if not _HEADER.match(grammar):
        raise refusal('grammar is no JSGF: line 1 must begin with "#JSGF V1.0;"')
    if found := _IMPORT.search(grammar):
        raise _refusal_at(grammar, found.start(), "imports are not supported, put the rules into this grammar")


def _check_words(decoder: Any, grammar: str) -> None:
    text = _NO_WORDS.sub(_blanks, grammar)
    places = {word.group().lower(): word.start() for word in reversed(list(_WORDS.finditer(text)))}
    if not places:
        raise refusal("grammar holds no words")
    unknown = [word for word in reversed(places) if decoder.lookup_word(word) is None]
    if unknown:
        reason = f"words that are not in the dictionary: {', '.join(unknown)}"
        raise _refusal_at(grammar, places[unknown[0]], reason)


def _check_rules(grammar: str) -> None:
    """Refuse rules that are used and not defined, even where no sentence can reach them."""
    names = list(_RULE.finditer(grammar))
    defined = {name.group(1) for name in names if name.group(2)} | _RULES_OF_JSGF
    for name in names:
        if name.group(1) not in defined:
            raise _refusal_at(grammar, name.start(), f"there is no rule <{name.group(1)}>")


def _report_of(decoder: Any, grammar: str, log: Path) -> str:
    """Give the grammar to the library; return its report, "" when all is well."""
    log.write_bytes(b"")
    try:
        decoder.add_jsgf_string(_SEARCH, grammar)
    except (RuntimeError, ValueError, KeyError) as error:
        return log.read_text(errors="replace") or str(error)
    return log.read_text(errors="replace")


def _syntax_refusal(syntax: re.Match[str], line: int) -> UnitFault:
    reason = syntax.group(1).replace("$end", "end of the grammar").replace("TOKEN", "word")
    found = f" (it is {syntax.group(2)!r})" if "word" in reason else ""
    return refusal(f"grammar, line {line}: {reason}{found}")


def _refusal_of(report: str, grammar: str) -> UnitFault:
    """Return the error of a grammar that the library can read and still refuses."""
    if recursion := _RECURSION.search(report):
        name = recursion.group(1)
        use = re.search(rf"<(?:[^>]*\.)?{re.escape(name)}>(?!\s*=)", grammar)
        reason = f"the rule <{name}> uses itself, which it may only at its end"
        return _refusal_at(grammar, use.start() if use else 0, reason)
    if _NO_PUBLIC_RULE in report:
        return refusal('grammar has no rule that begins with "public", so nothing can be said')
    return refusal(f"grammar cannot be read as JSGF: {report.strip().splitlines()[0]}")


def _find_line(decoder: Any, grammar: str, log: Path) -> int:
    """Return the line at which the library stopped; the last one where the grammar ended too early."""
    lines = grammar.rstrip().splitlines(keepends=True)

    def fails(number: int) -> bool:
        report = _report_of(decoder, "".join(lines[:number]), log)
        return "syntax error" in report and _AT_ITS_END not in report

    return bisect_left(range(1, len(lines)), True, key=fails) + 1


def _refusal_at(grammar: str, place: int, reason: str) -> UnitFault:
    line = grammar.count("\n", 0, place) + 1
    return refusal(f"grammar, line {line}: {reason}")


def _lowered(grammar: str) -> str:
    """Return the grammar with words in lower case, as in the dictionary; header and names of rules stay."""
    header = _HEADER.match(grammar)
    pieces, end = [header.group() if header else ""], header.end() if header else 0
    for name in _RULE_NAMES.finditer(grammar, end):
        pieces += [grammar[end : name.start()].lower(), name.group()]
        end = name.end()
    return "".join(pieces) + grammar[end:].lower()


def _blanks(found: re.Match[str]) -> str:
    """Return as many blanks, in the same lines."""
    return re.sub(r"[^\n]", " ", found.group())
