"""The words around timers and alarms in five languages, as patterns of plain text."""

from collections.abc import Mapping
from dataclasses import dataclass

from units.intent.skills.timer_edges import EDGES


@dataclass(frozen=True, eq=False)
class TimerWords:
    """How timers are described in one language."""

    timer: str
    alarm: str
    reminder: str
    plural: str
    """Forms of the three that are several."""

    all: str
    """Before the word: all of them."""

    article: str
    """What stands before a name and is no part of it."""

    ones: str
    """What stands for the word in a reply: "the second one"."""

    naming: str
    """Before a name that follows the word."""

    place: str
    """A room, with its name as the group."""

    place_joint: str
    """Between a name and a room."""

    dangling: str
    """At the edges of what stands around a length of time."""

    between: str
    """Between the lengths of several timers."""

    until: str
    """Before a time of day at which a timer rings."""

    no_name: str
    """Words that no name of a timer has."""

    joint: str
    other: str
    """Says that one more timer follows."""

    more_first: str
    """A length with its unit, and a second number without one."""

    more_last: str
    purpose: str
    """Beside an alarm: says only that it is one ("to wake me up")."""

    soonest: str
    """Before the word: the one that rings first."""

    no_first_word: str
    """Words that stand in no name before the word: of a verb that is not known here, or of a question."""

    more: str
    """What makes a length of time one that is added."""

    reminding: str
    """Before what somebody wants to be reminded of."""

    no_reminder: str
    """Beginnings of questions: "remind me what"."""

    repeated: str = "(?!)"
    """What rings again and again, which no timer here does: "every 30 minutes"."""

    glued: str = "(?!)()()"
    """A name and the word written as one, as two groups."""

    another: str = "(?!)"
    """Before a unit of time: one more of it."""

    one: str = ""

    spellings: tuple[tuple[str, str], ...] = ()
    """Patterns that are replaced first: other spellings, "mon - fri"."""

    clause: str = "(?!)"
    """Says of a timer only that it is there: "that i have set"."""

    interval: str = "(?!)"
    """Says that something is to happen again and again, after minutes or hours; of a text with digits."""

    weekly: str = "(?!)"
    """Beside an alarm: it rings every week, or every day."""

    limits: str = "(?!)"
    """Beside an alarm: it is not said of a moment but of a span, or of all others; of a text with digits."""

    doing: str = "(?!)"
    """Before what an alarm reminds of: "to take out the trash"."""

    not_done: str = "(?!)"
    """Words that are no part of that."""

    reason: str = "(?!)"
    """After an alarm: why somebody wants it."""

    no_alarm: str = ""
    """Who needs one of these may be shopping; any alarm in a language without them."""

    systems: str = ""
    """Names of alarms that are no alarm clocks: "fire"; any name in a language without them."""

    has_spaces: bool = True


ENGLISH = TimerWords(
    timer="timers?|countdowns?(?: timers?)?|count down timers?|stop ?(?:clock|watch)|timer's|timmer|tiemr",
    alarm="(?:(?:wake ?up|timer|reminder) )?alarms?(?: (?:clocks?|reminders?|timers?|times?))?|wake ?up (?:calls?"
    "|times?)",
    reminder="reminders?",
    plural="timers|countdowns|(?:(?:wake ?up|reminder|timer) )?alarms(?: timers?)?|alarm (?:clocks|times|reminders"
    "|timers)"
    "|wake ?up (?:calls|times)|reminders",
    all=r"^(?:all|every|each|both|any)(?: of)?(?: single)?(?= |$)",
    article=r"^(?:(?:an?|one|1|two|2|yet one|just one|some) more|yet another"
    r"|an?|the|my|our|your|me|us|that|this|these|those|another|new|one|two|three|2|3|4|some|active|current"
    r"|running|existing|other|next|upcoming|recurring|repeating|set|second(?= new)|single|simple|quick|short"
    r"|maybe|perhaps|like|just|also|nice|little|of|separate|extra|additional|different|remaining|preset|scheduled"
    r"|previous|temporary|regular|usual|brand|specific|recent|most recent)(?= |$)",
    ones=r"(?: |^)(?:one|ones|1)$",
    naming=r"^(?:(?:which is |that is |that's )?(?:called|named|labell?ed|titled)|with the (?:name|label|title)|for"
    r"|to|about"
    r"|of|as|and (?:call|name|label|title) it|call it|name it|on) ",
    place=r"in (?:the |my |our )?((?!the|\d)[\w' ]+)",
    place_joint=" in the ",
    dangling=r"^(?:(?:for|of|from|with|at|set|set for|lasting|going|running|that (?:lasts|runs|goes off)|which"
    r" (?:lasts|runs)|going"
    r" off|to go off|to ring|ringing|to run|length|duration)(?= (?:for|of|in|at|to|duration|called|named"
    r"|labell?ed)|$)|in$|to$"
    r"|as$|a$|an$|the$|my$|now$|only$|(?:go(?:es)? off|be set|set)$|(?:to|that|which) (?:go(?:es)? off|rings?"
    r"|sounds?|be set|is set)$"
    r"|(?:(?:to|that|which) )?(?:go(?:es)? off|rings?|sounds?|be set|is set|set)(?= (?:for|at|on|in|every|to|daily"
    r"|tomorrow"
    r"|tonight|today|\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|half|quarter)))"
    r"| (?:for|of|in|at|to|with|on|using|by|a|an|lasting|set for|that lasts|going off"
    r"|set|now|only|to go off|to ring|to sound|to be set)$|^(?:and|to)$|" + EDGES,
    between=r"(?:(?:,|and|another|one|a|second|also|for|of|then|more|plus|new|timer) ?)+",
    until=r"^(?:until|till|at|to go off at|ending at|that (?:ends|rings|goes off) at) ",
    no_name=r"\b(?:what|what's|whats|who|why|when|where|which|how|is|isn't|are|was|were|am|be|been|do|does|did"
    r"|don't|dont|not"
    r"|never|you|i|it|he|she|they|we|if|because|said|says|saying|about|should|could|would|can|will|has|had|have"
    r"|timers?"
    r"|alarms?|that|than|then|there|stop(?! *$)|talking|invented|exist|tell|explain|works|broken|lights?|needs?"
    r"|wants?|gets?|got|likes?|makes?|takes?|took|bought|uses?|used|broke|went|goes|rings?|rang|longer"
    r"|shorter|started|finished|ended|stopped|ran|failed|already|every|each|only|prior|until|till?|snooz\w+|instead"
    r"|weekly|monthly|hourly|daily|everyday|same|except|excluding|between|other|straight|central|eastern|from"
    r"|(?:this|next|last) (?:week|month|year|weekend)|the (?:week|weekend|month|year|day))\b"
    r"|\b(?:using|throughout|row|months?|today|tomorrow|tonight)\b|\bone for\b|^for |^times?$|\b[ap] ?m\b"
    r"|\d ?[ap]\.?m\b|\d:\d\d|^(?:months?|weeks?|years?)$|^(?:and|or|but|by|before|after|at|in|on|with)(?: |$)"
    r"|^(?:systems?|company|companies|apps?|sounds?|tones?|codes?|brands?|functions?|buttons?"
    r"|batter(?:y|ies)"
    r"|stores?|switch|relay|panel|song|band|movie)\b|^(?:off|up|out)\b",
    joint="and",
    other="another",
    more_first=r"(?:for )?(?:both )?(\d+|\w+(?: \w+)?) (minutes?|seconds?|hours?) and (?:(?:another|one|a second one|a"
    r" second) )?(?:one )?"
    r"(?:for )?(\d+|\w+)",
    more_last=r"(?:for |of )?(?:both |either )?(\d+|\w+) (?:and|or) (?:for )?(\d+|\w+) (minutes?|seconds?|hours?)",
    more=r"\b(?:more|another|extra|additional|longer|again|by|for|in|of)\b",
    purpose=r"(?:\b(?:to|that|which|so it|and have it|and|for|so you) )?(?:\b(?:will|would|should|can|could"
    r"|to) )?\b(?:(?:wake|waking)"
    r" (?:me|us)(?: up)?|(?:wake|waking) up (?:me|us)|(?:get|getting) (?:me|us) (?:up|out of bed)|(?:wake|waking|get"
    r"|getting) up(?= (?:with an|alarm|at|on|by|in|for|every|everyday|daily|tomorrow|\d)))\b"
    r"|\bto (?:remind|alert) (?:me|us)(?= (?:in|at|on|for|tomorrow|every|\d)|$)",
    soonest=r"^(?:(?:the|my|our) )?(?:very )?(?:next|upcoming|first|soonest|earliest|coming)(?: upcoming)?$",
    no_first_word=r"\b(?:the|me|us|my|your|our|please|a|an|for|i|you"
    r"|we|this|these|those|no|good|any)\b|^(?:sound|play|ring|need)$|^(?:place|fix|sert|re|repeat|put|have|get|let"
    r"|use|find|know|want)\b",
    reminding=r"^(?:to|about|of|that|i (?:need|have|want) to|for|not to)(?= )(?: (?:i|we) (?:need|have|want"
    r"|ought) to)? ?|^(?=not to)",
    spellings=(
        (r"[\"\u201c\u201d#*]|(?<!\w)'|'(?!\w)|\(s\)", " "),
        (r"\b(?:alram|alarum|alarm's|alarams?)\b", "alarm"),
        (r"\b(?:timmer|tiemr)\b", "timer"),
        (r"\b(set|create|make|add)(?: me)?(?: an?| the)? alert(?= (?:for|at|to|in) )", r"\1 an alarm"),
        (r"\b(?:tomm?orr?ow|tomor+ow|tomm?rr?ow|tommorr?ow|tmrw|tomoro|2morrow)\b", "tomorrow"),
        (r"\b(?:teusday|tuseday)\b", "tuesday"),
        (r"\b(?:wensday|wendsday|wednsday|wendesday)\b", "wednesday"),
        (r"\b(?:mintues|minuets|mintes|minuts)\b", "minutes"),
        (r"\b(today|tomorrow|tonight)'?s\b", r"\1"),
        (r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|morning|afternoon|evening)'s\b", r"\1"),
        (r"\btomorrow (morning|afternoon|evening)s\b", r"tomorrow \1"),
        (r"(?<=[a-z]) ?- ?(?=(?:mon|tue|wed|thu|fri|sat|sun))", " to "),
        (r"\bweek day", "weekday"),
        (r"\b(minute|second|hour)(s?) and (?=\w+ \1)", r"\1\2 another "),
    ),
    another=r"\banother (?=(?:hour|minute|second|half)\b)",
    one="an ",
    clause=r"\b(?:that |which )?(?:i|we|you)(?:'ve| have| had)?(?: just| already| previously| currently)? (?:set|made"
    r"|created|scheduled|added|saved|have|got|put)(?: up| set| on| scheduled| active| running)*(?: so far| right now"
    r"| now"
    r"| earlier)?(?= (?:for|at|on)\b|$)"
    r"|\b(?:that|which) (?:is|are|was|were)(?: currently| already)?(?: (?:set|on|active|running|scheduled|enabled"
    r"|turned on))?(?: up)?(?= (?:for|at|on|in)\b|$)"
    r"|(?<=alarm) (?:created|made|added)$|(?<!be )\b(?:set up|scheduled|currently set|already set|set) (?=(?:for|at"
    r"|on) )",
    interval=r"\b(?:every|each)(?: (?:\d[\d/.]*|other|single|few|couple|of|an?|half|quarter|and|so|1|one))*"
    r" ?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|m|h|s)\b|\b(?:intervals?|increments?|hourly)\b"
    r"|\b(?:minutes|hours) apart\b",
    weekly=r"\b(?:(?:to|and) (?:repeat|recur|re-?occur)|recurring|repeating|re-?occurr?ing|recurrent|weekly"
    r"|repeated)\b",
    limits=r"(?<!quarter )(?<!\d )(?<!minutes )\b(?:until|till?)\b|\b(?:except|excluding|unless|instead|between|other"
    r" than|but not|starting|beginning|if|while|during)\b",
    doing=r"^(?:(?:that|which|and) )?(?:(?:will )?(?:to )?(?:reminds?|reminding|alerts?|alerting|tells?"
    r"|telling) (?:me|us)"
    r"(?: that i (?:need|have) to| to| about| of| that)?|for me to|so i remember to|to)(?= (?!snooze|repeat|ring"
    r"|sound|go off|go$|start$|run$|end$|stop$|beep|buzz|last$|expire|be |remind (?:me|us)\b)[a-z])",
    not_done=r"\b(?:every|everyday|daily|weekly|each|seconds?|minutes?|hours?|half)\b|\d ?[ap]\.?m\b|\d:\d\d",
    reason=r" (?:so (?:that )?(?:i|we)|because|since|as) .+$",
    no_alarm=r"\b(?:clocks?|systems?|apps?)\b",
    systems=r"\b(?:fire|smoke|burglar|intruder|security|house|home|car|carbon|monoxide|co|door|window|garage|gas"
    r"|back ?door|water|leak"
    r"|flood|motion|system|panic|building|store|bank|baby|perimeter)\b",
    no_reminder=r"^(?:what|how|if|whether|why|who|whose|where|when|which|again|of the time|about the (?:time"
    r"|rules|plot)|that i (?:am|was)|me)\b",
)

GERMAN = TimerWords(
    timer="timers?|kurzzeitwecker|zeitschaltuhr|countdowns?|kurzzeitmesser|zeitmesser|eieruhr(?:en)?",
    alarm="weckers?|alarme?s?|weckzeit(?:en)?|weckrufe?",
    reminder="erinnerungen|erinnerung",
    plural="timers|alarme|weckzeiten|weckrufe|erinnerungen|countdowns|eieruhren",
    all=r"^(?:alle[rn]?|sämtliche|jede[nrs]?|beide)(?= |$)",
    article=r"^(?:der|die|das|den|dem|des|'?ne[nr]?|'n|ein|eine[nrms]?|mein|meine[nrms]?|unsere?n?|mir|uns|dieser|diesen"
    r"|diese|neue[nr]?"
    r"|weitere[nr]?|nächste[nrs]?|noch|zwei|2|3|laufende[nrs]?|aktuelle[nrs]?|aktive[nrs]?|gestellte[nrs]?|irgendwelche[nr]?|irgendeine?n?|(?:an|aus)?stehende[nr]?"
    r"|(?:vor|ein)?(?:ge|einge)stellte[nr]?|gesetzte[nr]?|bestehende[nr]?|nur|von dieser|zweiten(?="
    r" weiteren))(?= |$)",
    ones=r"(?: |^)(?:eine[nrs]?)$|(?<=e)$|(?<=en)$|(?<=er)$",
    naming=r"^(?:namens|mit (?:dem )?namen|genannt|für|zum|zur|mit der bezeichnung|an|über|und nenn(?:e)? ihn|von) ",
    place=r"(?:in der|im|in|in dem|auf dem|auf der) ((?!\d)[\w ]+)",
    place_joint=" im ",
    dangling=r"^(?:(?:auf|für|von|mit|über|mit einer (?:dauer|laufzeit|länge) von|um|der|dauer|in|nach)(?="
    r" (?:auf|für|von|mit|über"
    r"|namens|um|im|in|zum)|$)|den$|der$|die$|ein$|einen$|zu$|an$|ab$|aus$|nur$|jetzt$|eingestellt$|gestellt$|bitte$)"
    r"| (?:auf|für|von|mit|über|um|in|an|ein|zu|lang|nur|ab jetzt|von jetzt an|jetzt)$|^und$",
    between=r"(?:(?:,|und|noch|ein|eine|einen|einer|zweiten|weiteren|auch|auf|für|von|dann|plus|timer) ?)+",
    until=r"^(?:bis|um|bis um) ",
    no_name=r"\b(?:was|wer|wie|wo|wann|warum|wieso|welche[rsn]?|ist|sind|war|waren|bin|nicht|kein|keine[nrs]?"
    r"|ich|du|er|sie|es|wir"
    r"|ihr|wenn|ob|weil|sagt|sagte|dass|alle|jede[nrms]?|hat|habe|haben|soll|sollte|kann|wird|timers?|wecker|stellen"
    r"|starten|setzen|erklär|funktioniert"
    r"|hör|rede|länger|kürzer|einen|wurde|hatte|klingelte|geklingelt|abgelaufen|schon)\b"
    r"|^(?:und|oder|aber) ",
    joint="und",
    other="weiteren",
    more_first=r"(?:auf |für )?(\d+|\w+) (minuten?|sekunden?|stunden?) und (?:(?:noch )?(?:einen?|einen zweiten"
    r"|einen weiteren) )?"
    r"(?:auf |für )?(\d+|\w+)",
    more_last=r"(?:einen? )?(?:auf |für )?(\d+|\w+) und (?:(?:noch )?einen? )?(?:auf |für )?(\d+|\w+)"
    r" (minuten?|sekunden?|stunden?)",
    glued=r"\b(?!kurzzeit)(\w+?)(timers?|weckers?)\b",
    more=r"\b(?:mehr|weitere[nrs]?|noch|länger|zusätzliche?|um|extra|für)\b",
    purpose=r"\b(?:(?:um|damit er|der|sodass du) (?:mich|uns) (?:auf)?(?:zu)?(?:wecken|weckt|wecken soll|wecken kann)"
    r"|zum (?:aufwachen|aufstehen|wecken)|zu wecken)\b",
    soonest=r"^(?:(?:der|die|das|den|dem|mein|meine|meinen) )?(?:aller)?(?:nächste|erste|kommende|früheste)[nrs]?$",
    no_first_word=r"\b(?:der|die|das|den|dem|mir|mich|uns|bitte|ein|eine|einen|einem|ich|du|wir|kein|keine"
    r"|keinen|guter?|ist|war)\b",
    reminding=r"^(?:daran|dran|an|zu|dass|über|,|ans|um)(?= )(?: (?:dass|zu))?(?: (?:ich|den|die|das))? ?"
    r"|^(?=.*(?: zu \w+e?n|\w+zu\w+e?n)$)",
    repeated=r"\bjede[nr]? zweite[nr]?\b|\b(?:alle|jede[nr]?) (?:\w+ )?(?:minuten?|stunden?|sekunden?)\b",
    no_reminder=r"^(?:was|wie|ob|warum|wieso|wer|wo|wann|welche[rsn]?|wem|nicht)\b",
)

FRENCH = TimerWords(
    timer="minuteurs?|minuteries?|timers?|comptes? à rebours|chronomètres?|chronos?",
    alarm="alarmes?|réveils?|réveille matin",
    reminder="rappels?",
    plural="minuteurs|minuteries|timers|alarmes|réveils|rappels|chronos",
    all=r"^(?:tous|toutes|chaque|les deux)(?= |$)",
    article=r"^(?:un|une|le|la|les|l'|mon|ma|mes|notre|nos|ce|cet|cette|ces|moi|nous|prochaine?|nouveau|nouvelle|autre|quelconques?|petite?|simple"
    r"|deux|2|3|des|du|de la"
    r"|de l'|de|d')(?= |$|(?<='))",
    ones=r"^(?=(?:le|la) \w)|^(?:celui|celle)(?: (?:de|des|du))?(?= )",
    naming=r"^(?:appelée?|nommée?|intitulée?|du nom de|pour|de la|des|du|de l'|de|d'|que j'ai appelé) ?",
    place=r"(?:dans (?:la |le |l'|les )?|à la (?=cuisine|salle)|au (?=salon))((?!\d)[\w' ]+)",
    place_joint=" dans la ",
    dangling=r"^(?:(?:de|pour|d'|sur|à|avec|d'une durée|durée|dans|pendant)(?= (?:de|pour|d'|sur|à|dans|appelé"
    r"|nommé)|$)|(?:seulement|actuels?|actuelles?|existante?s?|active?s?|actifs|programmée?s?|réglée?s?|prévue?s?"
    r"|enregistrée?s?|en cours|que j'ai)(?= (?:de|pour|d'|sur|à|dans|demain|ce|cet)|$)|le$|la$|un$|une$"
    r"|en$)| (?:de|pour|d'|sur|à|en|avec|un|une)$|^et$|^d'$",
    between=r"(?:(?:,|et|un|une|autre|deuxième|second|aussi|de|pour|puis|plus|minuteur) ?)+",
    until=r"^(?:jusqu'à|à|jusque|qui sonne à) ",
    no_name=r"\b(?:que|quoi|qui|quel(?:le)?s?|comment|pourquoi|quand|où|est|sont|était|c'est|ne|pas|je|tu|il"
    r"|elle|on|nous|vous|ils|si|toutes|tous|chaque"
    r"|parce|dit|a|ai|as|minuteurs?|alarmes?|sonné|sonnait|sonne|fini|terminé|déjà|explique|marche|fonctionne"
    r"|arrête|parler)\b|^(?:et|ou|mais) ",
    joint="et",
    other="autre",
    more_first=r"(?:de |pour )?(\d+|\w+) (minutes?|secondes?|heures?) et (?:(?:un|une|un autre|un deuxième|un"
    r" second) )?"
    r"(?:de |pour )?(\d+|\w+)",
    more_last=r"(?:de |pour )?(\d+|\w+) et (?:de |pour )?(\d+|\w+) (minutes?|secondes?|heures?)",
    more=r"\b(?:de plus|plus|encore|supplémentaires?|autres?|pendant|pour)\b",
    purpose=r"\bpour (?:me|nous) (?:réveiller|lever)\b|\bpour (?:mon|le) réveil\b|\bqui (?:me|nous) réveille\b",
    soonest=r"^(?:(?:le|la|mon|ma) )?(?:prochaine?|première?|premier)$",
    no_first_word=r".",
    reminding=r"^(?:d'|de |que |qu'|à |pour )(?:je dois |il faut )?",
    repeated=r"\b(?:toutes les|chaque) (?:\w+ )?(?:minutes?|heures?|secondes?)\b",
    no_reminder=r"^(?:ce que|comment|si|pourquoi|qui|où|quand|quel)\b",
)

SPANISH = TimerWords(
    timer="temporizador(?:es)?|timers?|cuentas? (?:atrás|regresivas?)|cron[óo]metros?|minuteros?",
    alarm="alarmas?|despertador(?:es)?",
    reminder="recordatorios?",
    plural="temporizadores|timers|alarmas|despertadores|recordatorios|cronómetros",
    all=r"^(?:tod[oa]s|cada|ambos|ambas|los dos|las dos)(?= |$)",
    article=r"^(?:un|una|uno|el|la|los|las|mi|mis|nuestro|este|ese|esa|esta|otro|otra|pr[óo]xim[oa]|nuev[oa]s?|cualquier"
    r"|algun[oa]?s?|algún|ningun[oa]?|actuale?s?|solo|solamente|sólo|simple|lista de|última?(?= hora)"
    r"|dos|2|3|me|de"
    r"|del|en marcha)(?= |$)",
    ones=r"^(?=(?:el|la) \w)",
    naming=r"^(?:(?:que se )?llamad[oa]|con (?:el )?nombre(?: de)?|de nombre|para|de la|del|de los|de las|de"
    r"|titulad[oa]|a) ",
    place=r"en (?:la |el |mi )?((?!\d)[\w ]+)",
    place_joint=" en la ",
    dangling=r"^(?:(?:configurad[oa]s?|programad[oa]s?|establecid[oa]s?|actuale?s?|existentes|activ[oa]s?|puest[oa]s?"
    r"|prendid[oa]s?|pendientes?|corrientes?|activad[oa]s?|guardad[oa]s?|que tengo|recurrentes?|solamente|solo)"
    r"(?= (?:de|del|para|por|en|el|a|hoy|mañana|esta|los|las)|$)|(?:de|para|por|con|durante|a|en|que dure|desde"
    r"|a partir|partir)"
    r"(?= (?:de|para|por|con|en|llamad[oa]|a)|$)|el$|la$"
    r"|un$|una$|dentro$|ahora$)"
    r"| (?:de|para|por|con|a|en|que dure|un|una"
    r"|(?:desde|a partir de) ahora|(?:desde|a partir de) este momento|solamente|solo)$|^y$",
    between=r"(?:(?:,|y|e|otro|otra|uno|una|un|segundo|también|de|para|por|luego|más|temporizador) ?)+",
    until=r"^(?:hasta|a|que suene a) (?=las? |\d|medi|el )",
    no_name=r"\b(?:qué|que|quién|cómo|por qué|cuándo|dónde|cuál|es|son|era|está|no|yo|tú|él|ella|nosotros|si|cada|todos"
    r"|todas"
    r"|semanal|mensual"
    r"|porque|dijo|ha|he"
    r"|temporizador(?:es)?|alarmas?|son[óo]|suena|sonaba|sonado|termin[óo]|acab[óo]|estaba|fue|se|explica"
    r"|funciona|deja|hablar)\b|^(?:y|o|pero) ",
    joint="y",
    other="otro",
    more_first=r"(?:de |para )?(\d+|\w+) (minutos?|segundos?|horas?) y (?:(?:otro|otra|uno|un segundo) )?(?:de "
    r"|para )?(\d+|\w+)",
    more_last=r"(?:de |para )?(\d+|\w+) y (?:de |para )?(\d+|\w+) (minutos?|segundos?|horas?)",
    more=r"\b(?:más|otr[oa]s?|adicionales|durante|por|de más)\b",
    purpose=r"\bpara (?:despertarme|despertarnos|levantarme|que me despierte[s]?|levantarnos|despertar)\b"
    r"|\bque me despierte\b",
    soonest=r"^(?:(?:el|la|mi) )?(?:pr[óo]xim[oa]|primer[oa]?|siguiente)$",
    no_first_word=r".",
    reminding=r"^(?:que|de|a|para|sobre|lo de|del|por)(?= )(?: (?:tengo que|debo|hay que|la|el))? ?"
    r"|^(?=\w+[aeií]r(?:me|te|se|le|lo|la|los|las|les|nos|melo|mela|selo)?(?: |$))",
    repeated=r"\bcada otr[oa]\b|\bcada (?:\w+ )?(?:minutos?|horas?|segundos?)\b",
    no_reminder=r"^(?:qué|cómo|si|por qué|quién|dónde|cuándo|cuál)\b",
)

CHINESE = TimerWords(
    timer="计时器?|定时器?|倒计时|倒数|計時器",
    alarm="闹钟|闹铃|鬧鐘",
    reminder="提醒",
    plural="(?!)",
    all=r"所有的?|全部的?|^(?:全都|每个|两个都)",
    article=r"^(?:一个|1个|一(?!刻)|个|的|我的|那个|这个|下一个|新的?|另一个|另外一个|两个|一下|正在运行的|当前的?|关于|叫|为|[一1]?[项条份]|预设的?|现有的|已设置?的?|设置的|设定的)",
    ones=r"(?<=个)$|(?<=一)$|那个$|^(?=第)",
    naming=r"^(?:名叫|叫做|叫|名为|给|用来|用于|关于|的)",
    place=r"在?(客厅|厨房|卧室|书房|浴室|餐厅|阳台)的?",
    place_joint="",
    dangling=r"^(?:[设定调](?:定|置)?[为成到在]|为|到|在|的|时间|长度|时长|和|用|只|从?现在(?:开始|起)的?)+"
    r"|(?:的|到|和|为|在|一个|个|从?现在(?:开始|起)|响|响起|响铃)$",
    between=r"(?:和|还有|另一个|另外一个|一个|的|、|再来一个|跟|与)+",
    until=r"^(?:到|在)",
    no_name=r"什么|怎么|为什么|谁|哪|是|吗|呢|不|没|我|你|他|她|计时器|闹钟|如何|说|了|的话|如果|每|以内|直到|结束",
    joint="和",
    other="另",
    more_first=r"(\d+|[一二三四五六七八九十两]+)(分钟|秒钟?|小时)和(?:另一个)?(\d+|[一二三四五六七八九十两]+)",
    more_last=r"(\d+|[一二三四五六七八九十两]+)和(\d+|[一二三四五六七八九十两]+)(分钟|秒钟?|小时)",
    has_spaces=False,
    more=r"再|多|加|额外|延长",
    purpose=r"(?:来|用来|好)?(?:叫我起床|叫醒我|起床用|叫我)",
    soonest=r"^(?:我的?)?(?:下1?一?个|最近的?一?1?个?|第一个)的?$",
    no_first_word=r"推迟|延后|延迟|贪睡|响|暂停|关|停|别|改|查|看",
    reminding=r"^(?:要|去|我|该)+|^(?=.)",
    repeated=r"每(?:隔|过)?[\d一二三四五六七八九十两半]*个?(?:分[钟种]?|小时|秒)|以内",
    no_reminder=r"^(?:什么|怎么|为什么|谁|哪)|吗$|什么",
)

LANGUAGES: Mapping[str, TimerWords] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "zh": CHINESE,
}
