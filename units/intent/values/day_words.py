"""The words for days in five languages; patterns of plain text with digits, ordinals as `2.`."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class DayWords:
    """How days are named in one language."""

    weekdays: tuple[str, ...]
    """From Monday on."""

    plurals: tuple[str, ...]
    """Forms that mean every week, such as "mondays"."""

    months: tuple[str, ...]
    dates: tuple[str, ...]
    """With the groups `day`, `month` (a number), `year`, and `{month}` for the name of one."""

    offsets: Mapping[int, str]
    today_parts: Mapping[str, str]
    """Words for today that say a part of it: "tonight"."""

    every_part: Mapping[str, str]
    """Words for every day that say a part of it: "every morning"."""

    parts: Mapping[str, str]
    """What is said beside a day: "morning" in "tomorrow morning"."""

    ahead: str
    """So many days or weeks from now; the first group that is there is the number."""

    week: str
    """Whether those are weeks."""

    every: str
    """What stands before days of every week."""

    every_day: str
    workdays: str
    weekend: str
    joint: str
    """Between several days."""

    span: str
    """The first and the last of several days."""

    next: str
    """Before a weekday that is not today."""

    next_week: str = "(?!)"
    before: str = ""
    """What may stand before a day."""

    feasts: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """Days with names, by month and day."""

    has_spaces: bool = True


ENGLISH = DayWords(
    weekdays=(
        "monday|mon", "tuesday|tues?", "wednesday|weds?", "thursday|thu(?:rs?)?", "friday|fri", "saturday|sat",
        "sunday|sun",
    ),
    plurals=(
        "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays",
    ),
    months=(
        "january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul", "august|aug",
        "september|sept?", "october|oct", "november|nov", "december|dec",
    ),
    dates=(
        r"(?:the )?(?P<day>\d+)\.?(?: day)? (?:of )?{month}(?:(?: of)? (?P<year>\d{4}))?",
        r"{month} (?:the )?(?P<day>\d+)\.?(?: (?P<year>\d{4}))?",
        r"(?:the )?(?P<day>\d+)\.",
    ),
    offsets={
        -1: "yesterday", 0: "today|this day", 1: "tomorrow|tomorrow's|the next day",
        2: "(?:the )?day after tomorrow|in a couple(?: of)? days",
    },
    today_parts={
        "morning": "this morning", "afternoon": "this afternoon", "evening": "this evening|tonight",
    },
    every_part={
        "morning": "(?:every|each) morning|mornings|in the mornings", "afternoon": "(?:every|each) afternoon",
        "evening": "(?:every|each) evening|evenings", "night": "(?:every|each) night|nightly",
    },
    parts={
        "morning": "(?:in the |at )?mornings?", "afternoon": "(?:in the )?afternoons?",
        "evening": "(?:in the )?evenings?", "night": "(?:at |in the )?nights?",
    },
    ahead=r"(?:in )?(?:(\d+)|an?|one) (?:days?|weeks?)(?: from (?:now|today))?(?: time)?"
    "|next week",
    week="week",
    every="(?:every|each|all) (?:single )?",
    every_day="every ?day|daily|each day|all days|every single day|all week|7 days a week",
    workdays="(?:every |each |all )?(?:weekdays?|work ?days?|working days?|business days?|school days?)|during the week"
    "|workdays",
    weekend="(?:every |each |all |the )?(?:week ?ends?)",
    joint=" and | or |,| & | (?=(?:mon|tues|wednes|thurs|fri|satur|sun)days?)",
    span="(?:from )?(\\w+) (?:to|through|till|until|thru) (\\w+)",
    next="(?:the )?(?:next|coming|this|this coming|following) ",
    next_week="^next week (?:on )?| (?:of )?next week$",
    before="(?:only )?(?:on|for|by|until|this(?! week))(?: the)? (?!morning|afternoon|evening)|the (?=week)",
    feasts={
        (12, 25): "christmas(?: day)?|xmas", (12, 24): "christmas eve", (1, 1): "new year(?:'?s(?: day)?)?",
        (12, 31): "new year'?s eve", (10, 31): "hall?oween", (2, 14): "valentine'?s? day",
    },
)  # fmt: skip

GERMAN = DayWords(
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag"),
    plurals=(
        "montags?", "dienstags?", "mittwochs?", "donnerstags?", "freitags?", "samstags?|sonnabends?", "sonntags?",
    ),
    months=(
        "januars?|jänner|jan", "februars?|feb", "märz", "april", "mais?", "junis?|juno", "julis?|julei", "augusts?|aug",
        "septembers?", "oktobers?|okt", "novembers?|nov", "dezembers?|dez",
    ),
    dates=(
        r"(?:(?:den|der) )?(?P<day>\d+)\.? {month}(?: (?P<year>\d{4}))?",
        r"(?:(?:den|der) )?(?P<day>\d+)\. ?(?P<month>\d+)\.?(?: ?(?P<year>\d{4}))?",
        r"(?:(?:den|der) )?(?P<day>\d+)\.",
    ),
    offsets={-1: "gestern", 0: "heute", 1: "morgen", 2: "übermorgen", 3: "überübermorgen"},
    today_parts={
        "morning": "heute (?:früh|morgen|vormittag)", "afternoon": "heute (?:nach)?mittag", "evening": "heute abend",
        "night": "heute nacht",
    },
    every_part={
        "morning": "jeden (?:morgen|vormittag)|(?:immer )?morgens", "afternoon": "jeden nachmittag|nachmittags",
        "evening": "jeden abend|abends", "night": "jede nacht|nachts",
    },
    parts={
        "morning": "früh|morgens|vormittags?|am (?:morgen|vormittag)|(?<=tag )morgen|(?<=mittwoch )morgen",
        "afternoon": "(?:am )?nachmittags?", "evening": "(?:am )?abends?", "night": "(?:in der )?nachts?",
    },
    ahead=r"in (?:(\d+)|einem|einer) (?:tag(?:en)?|wochen?)|heute in (?:(\d+)|einem|einer) (?:tagen|wochen?)"
    "|nächste woche",
    week="woche",
    every="(?:jede[nrs]?|alle|immer) ?(?:am )?",
    every_day="(?:jeden|alle) tage?|(?:tag)?täglich(?:e[nrs]?)?|die ganze woche",
    workdays="(?:an )?(?:jedem |jeden |allen |den )?(?:werktag(?:s|en)?|arbeitstag(?:s|en)?|wochentag(?:s|en)?)"
    "|unter der woche|wochentags|werktags",
    weekend="(?:am |an )?(?:jedem |jedes |den )?wochenenden?",
    joint=" und |,| (?=(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?)",
    span="(?:von )?(\\w+) bis (\\w+)",
    next="(?:nächste[nrs]?|kommende[nrs]?|diese[nrs]?) ",
    next_week="^nächste woche (?:am )?| nächste woche$",
    before="(?:am|für|bis|ab|zum) ",
    feasts={
        (12, 25): "weihnachten|1. weihnachts(?:feier)?tag", (12, 24): "heilig ?abend", (12, 31): "silvester",
        (1, 1): "neujahr", (12, 6): "nikolaus",
    },
)  # fmt: skip

FRENCH = DayWords(
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    plurals=(
        "(?:les? )?lundis?", "(?:les? )?mardis?", "(?:les? )?mercredis?", "(?:les? )?jeudis?", "(?:les? )?vendredis?",
        "(?:les? )?samedis?", "(?:les? )?dimanches?",
    ),
    months=(
        "janvier", "février|fevrier", "mars", "avril", "mai", "juin", "juillet", "août|aout", "septembre", "octobre",
        "novembre", "décembre|decembre",
    ),
    dates=(
        r"(?:le )?(?P<day>\d+)\.? {month}(?: (?P<year>\d{4}))?",
        r"(?:le )?(?P<day>\d+)/(?P<month>\d+)(?:/(?P<year>\d{4}))?",
        r"le (?P<day>\d+)\.?",
    ),
    offsets={-1: "hier", 0: "aujourd'hui", 1: "demain", 2: "après[- ]demain|apres[- ]demain"},
    today_parts={
        "morning": "ce matin", "afternoon": "cet? (?:après|apres)[- ]midi", "evening": "ce soir", "night": "cette nuit",
    },
    every_part={
        "morning": "(?:tous les|chaque) matins?", "afternoon": "(?:tous les|chaque) (?:après|apres)[- ]midis?",
        "evening": "(?:tous les|chaque) soirs?", "night": "(?:toutes les|chaque) nuits?",
    },
    parts={
        "morning": "(?:le |du |au )?matins?", "afternoon": "(?:l'|de l'|d')?(?:après|apres)[- ]midis?",
        "evening": "(?:le |du |au )?soirs?", "night": "(?:la |de |de la )?nuits?",
    },
    ahead=r"(?:dans|d'ici) (?:(\d+)|une?) (?:jours?|semaines?)|la semaine prochaine",
    week="semaine",
    every="(?:tous les|toutes les|chaque) ",
    every_day="(?:tous les|chaque) jours?|quotidien(?:ne)?(?:ment)?|7 jours sur 7",
    workdays="en semaine|(?:tous les |les |chaque )?jours? (?:de (?:la )?semaine|ouvrables?|ouvrés?)|pendant la semaine"
    "|(?:les )?jours de semaine",
    weekend="(?:le |les |tous les |chaque )?week[- ]?ends?",
    joint=" et |,|(?<!les)(?<!le) (?=(?:lun|mar|mercre|jeu|vendre|same)dis?|dimanches?)",
    span="(?:du |de )?(\\w+) (?:au|à|jusqu'au) (\\w+)",
    next="(?!)",
    next_week="^la semaine prochaine (?:le )?| de la semaine prochaine$",
    before="(?:pour|à partir de|d'ici) ",
    feasts={
        (12, 25): "noël|noel|le jour de noël", (12, 24): "(?:la )?veille de noël|le réveillon de noël",
        (12, 31): "la saint[- ]sylvestre|le réveillon", (1, 1): "(?:le )?(?:nouvel an|jour de l'an)",
        (7, 14): "la fête nationale",
    },
)  # fmt: skip

SPANISH = DayWords(
    weekdays=(
        "(?:el )?lunes", "(?:el )?martes", "(?:el )?mi[ée]rcoles", "(?:el )?jueves", "(?:el )?viernes",
        "(?:el )?s[áa]bado", "(?:el )?domingo",
    ),
    plurals=(
        "(?:los )?lunes", "(?:los )?martes", "(?:los )?mi[ée]rcoles", "(?:los )?jueves", "(?:los )?viernes",
        "(?:los )?s[áa]bados?", "(?:los )?domingos?",
    ),
    months=(
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "sep?tiembre", "octubre", "noviembre",
        "diciembre",
    ),
    dates=(
        r"(?:el )?(?:d[íi]a )?(?P<day>\d+)\.? de {month}(?: del? (?P<year>\d{4}))?",
        r"(?:el )?(?P<day>\d+)/(?P<month>\d+)(?:/(?P<year>\d{4}))?",
        r"el (?:d[íi]a )?(?P<day>\d+)\.?",
    ),
    offsets={-1: "ayer", 0: "hoy", 1: "mañana|manana", 2: "pasado mañana"},
    today_parts={
        "morning": "esta mañana", "afternoon": "esta tarde", "evening": "esta noche", "night": "esta madrugada",
    },
    every_part={
        "morning": "(?:todas las|cada) mañanas?|por las mañanas", "afternoon": "(?:todas las|cada) tardes?",
        "evening": "(?:todas las|cada) noches?|por las noches",
    },
    parts={
        "morning": "(?:por|de|a|en) la mañana|por las mañanas|temprano", "afternoon": "(?:por|de|a|en) la tarde",
        "evening": "(?:por|de|a|en) la noche", "night": "de la madrugada",
    },
    ahead=r"(?:en|dentro de) (?:(\d+)|una?) (?:d[íi]as?|semanas?)|la (?:pr[óo]xima semana|semana que viene)",
    week="semana",
    every="(?:todos los|todas las|cada) ",
    every_day="(?:todos los|cada) d[íi]as?|a diario|diariamente|diari[oa]s?",
    workdays="entre semana|(?:todos |cada )?(?:los )?d[íi]as? (?:laborables?|laborales?|h[áa]biles|de (?:la )?semana"
    "|entre semana)",
    weekend="(?:todos |cada )?(?:el |los )?(?:fin|fines) de semana",
    joint=" y |,| e |(?<!los)(?<!el) (?=(?:los )?(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bados?|domingos?))",
    span="(?:de |del )?(\\w+) (?:a|al|hasta el) (\\w+)",
    next="(?:el )?(?:pr[óo]ximo|este) ",
    next_week="^la (?:pr[óo]xima semana|semana que viene) (?:el )?| de la (?:pr[óo]xima semana|semana que viene)$",
    before="(?:para|desde|del?|hasta|por) ",
    feasts={
        (12, 25): "(?:la )?navidad", (12, 24): "(?:la )?nochebuena", (12, 31): "(?:la )?nochevieja",
        (1, 1): "(?:el )?año nuevo", (1, 6): "(?:el d[íi]a de )?(?:los )?reyes",
    },
)  # fmt: skip

_WEEK = "(?:星期|礼拜|周|禮拜|週)"
_ZH_DAYS = ("[1一]", "[2二]", "[3三]", "[4四]", "[5五]", "[6六]", "[日天]")

CHINESE = DayWords(
    weekdays=tuple(f"(?:这|这个|本)?{_WEEK}{each}" for each in _ZH_DAYS),
    plurals=tuple(f"{_WEEK}?{each}" for each in _ZH_DAYS),
    months=("[1一]月", *(f"{number}月" for number in range(2, 13))),
    dates=(
        r"(?:(?P<year>\d{4})年)?{month}(?P<day>\d+|一)[号日]?",
        r"(?P<day>\d+|一)号",
    ),
    offsets={-1: "昨天", 0: "今天|今日", 1: "明天|明日|明儿", 2: "后天", 3: "大后天"},
    today_parts={"morning": "今[早晨]", "evening": "今晚", "night": "今夜"},
    every_part={"morning": "每[早晨]", "evening": "每晚"},
    parts={
        "morning": "早上|早晨|上午|清晨|清早|凌晨|一早|早(?=$)", "afternoon": "下午|中午",
        "evening": "晚上|傍晚|(?<=[天明后])晚", "night": "夜里|半夜|深夜",
    },
    ahead=r"(\d+|一)个?(?:天|星期|周|礼拜)(?:以?后|之后)|下个?(?:星期|周|礼拜)",
    week="星期|周|礼拜",
    every="每个?逢?|逢",
    every_day="每天|每日|天天",
    workdays="(?:每个?|在)?(?:工作日|平日|上班日)|平时",
    weekend=f"(?:每个?|在)?(?:{_WEEK}末|周末)",
    joint="和|、|跟|与",
    span=f"(?:从)?({_WEEK}?[\\d一日天])(?:到|至)({_WEEK}?[\\d一日天])",
    next="(?!)",
    next_week="^下个?(?=星期[\\d一日天]|周[\\d一日天]|礼拜[\\d一日天])",
    before="在",
    feasts={(12, 25): "圣诞节?", (1, 1): "元旦", (10, 1): "国庆节?", (12, 24): "平安夜"},
    has_spaces=False,
)  # fmt: skip

LANGUAGES: Mapping[str, DayWords] = {
    "en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "zh": CHINESE,
}  # fmt: skip
