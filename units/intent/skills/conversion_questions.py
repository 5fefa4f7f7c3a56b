"""The orders in which a conversion can be asked for, each with the plain one: "how many cups in 2 gallons"."""

from collections.abc import Mapping

from units.intent.skills.question_words import Replacements

_ENGLISH: Replacements = (
    (
        r"(?:what is |what are |what |give me )?(?:the )?(?:total |exact |same |equivalent "
        r")?(?:number|amount|quantity|count|value) (?:of|in) (.+?)"
        r" (?:is |are |there |that |you get )*(?:contained in|in|make up|makes up|make|from|for) (.+)",
        r"how many \1 in \2",
    ),
    (
        r"(?:if |when |suppose |say )?(?:i|you|we|it|he|she|there|something|that|this|the \w+|my "
        r"\w+)(?: have| had| got| use| need| run| ran| walk|"
        r" walked| drive| drove| weigh| weighs| am| is| are| take| measures| weighed| want| says| "
        r"calls for)(?: got)? (.+?)"
        r",? (?:then )?(?:how|what) (?:many|much|is)?(?: it in| that in| this in)? ?(.+?)"
        r"(?: is| are| would| will| do| does| in| that| it| this| i| there| be| have| make| equal| "
        r"the same| get| you)*",
        r"\1 in \2",
    ),
    (r"(.+?),? how (?:many|much) (.+)", r"\1 in \2"),
    (
        r"how (?:do|would|can|to)(?: you| i| we| one)? (?:convert|change|turn|get) (.+?) (?:from |to |into |in )(.+)",
        r"\1 in \2",
    ),
    (
        r"(?:what is |tell me )?(?:the )?(?:conversion|conversion factor|conversion rate|factor) "
        r"(?:of|from|between|for) (.+?) (?:to|and|into) (.+)",
        r"how many \2 in a \1",
    ),
    (
        (
            r"how (?:many|much) (\D+?) ((?:\d|(?:an?|one|two|three|four|five|six|ten|half) ).*) (?:is|are|"
            r"makes)"
        ),
        r"\2 in \1",
    ),
    (r"how (?:many|much) (.+?) (?:go|goes|fit|fits|come|comes)(?: in| into| to| up)* (.+)", r"how many \1 in \2"),
    (r"(.+?),? how (?:many|much) (.+?)(?: is| are| would| will| does| in| that| it| this| be| make)+", r"\1 in \2"),
    (
        r"(?:what|how much|how many) (?:would|will|does|do|should|could|is|are|did) (.+?) (?:be|equal|"
        r"equals|make|come to|come out|translate|"
        r"convert|equate|correspond|turn|amount|work out|look like|read|the same|weigh|measure|"
        r"converted|changed|expressed|"
        r"given|written|measured|worth|equivalent|when converted|if converted|if you convert it|when you convert it)"
        r"(?: out| up)?(?: to| as| in| into)+ (.+)",
        r"\1 in \2",
    ),
    (
        r"(.+?) (?:is|are|equals|equal|makes|make|comes to|converts to|converted to|becomes|in|to|"
        r"into|=)(?: equal to| about|"
        r" the same as)?,? (?:how (?:many|much)|what(?: number of| in)?)(?: in)? (.+)",
        r"how many \2 in \1",
    ),
    (
        r"how (?:many|much) (.+?) (?:would|will|do|does|can|could|should|did|is|are|in|make|makes|equal|equals|fit)"
        r"(?: it| that| i| we| you| there| one)?(?: be| need| have| get| use| take| make| makes| fit| equal| go| up|"
        r" contained| found| present| equivalent| inside| the same| within| as| in| into| for| to| with| fill)* (.+?)"
        r"(?: be| equal| make| have| contain| hold| come to| convert to| weigh| measure| last)*",
        r"how many \1 in \2",
    ),
    (
        r"(?:what is |do )?(?:the |a )?(?:conversion|equivalent|equivalence|conversion rate|value)(?: "
        r"of| for| from) (.+?) (?:to|in|into|as) (.+)",
        r"\1 in \2",
    ),
    (
        r"(?:convert|turn|change|switch|translate|transform|express|put|write|give|show|get|calculate|"
        r"do|need|want|have|"
        r"measure|i have|i've got|it is|i need|how much is|what is|what are|how many is)(?: me| from| "
        r"for me| the| in)* (.+?)"
        r"(?: is| are| expressed| converted| changed| measured| written)? (?:to|into|in|as|for)(?: "
        r"the)?(?: unit)? (.+)",
        r"\1 in \2",
    ),
    (r"(.+?),? (?:and )?(?:please )?(?:convert|change|turn|put)(?: that| this| it)? (?:to|into|in) (.+)", r"\1 in \2"),
    (r"(?:from|convert) (.+?) (?:to|into) (.+)", r"\1 in \2"),
    (r"in (.+?),? (?:how much|what|how many) (?:is|are) (.+)", r"\2 in \1"),
    (r"(.+?) in (.+?) (?:is|are) (?:what|how much|how many)", r"\1 in \2"),
    (r"(.+?) (?:in|to|into) (.+?) (?:conversion|measurement|terms|units|equivalent)", r"\1 in \2"),
    (r"(.+?) (?:expressed|converted|changed|measured|written|equals?|=) (?:in |to |into |as )?(.+)", r"\1 in \2"),
    (r"(?:the )?(.+?) (?:equivalent|value) (?:of|to|for) (.+)", r"\2 in \1"),
)

ORDERS: Mapping[str, Replacements] = {"en": _ENGLISH}
