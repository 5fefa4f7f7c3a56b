"""The orders in which a sum can be asked for: the sum alone is what remains of "how much do i get if i add 5 and 3"."""

from collections.abc import Mapping

from units.intent.skills.question_words import Replacements

_WHO = r"(?: (?:you|i|we|one|they|somebody|someone))?"

_ENGLISH: Replacements = (
    (
        r"(?:what|how much|how many) (?:do|does|would|will|did|should|can|could|might)(?: you| i| we| one| it| that) "
        r"(?:get|have|be left with|end up with|make|obtain|be|come to|receive|still have|find|equal)(?: left| over)*"
        rf"(?: if| when| by| from| after| for| with| doing)?{_WHO} (.+)",
        r"\1",
    ),
    (
        r"(?:how much|what|how many) (?:is|are|will be|would be|remains|remain|results|comes out|will|would|does)"
        r"(?: (?:left|remaining|the result|the answer|left over|it|there|be|remain|come out|happen|the total))*"
        rf" (?:if|when|after|from|by){_WHO} (.+)",
        r"\1",
    ),
    (rf"(?:what (?:happens|would happen|comes out)|what) (?:if|when){_WHO} (.+)", r"\1"),
    (
        r"(?:how (?:do|would|can) (?:you|i|we) |with )"
        r"(?:do|solve|calculate|compute|work out|figure out|find|get)? ?(.+)",
        r"what is \1",
    ),
    (r"(?:what about|how about|suppose|say|if|when)(?: i| you| we| one)? (.+)", r"\1"),
    (
        r"(?:what is |what are |what will be |what would be )?(?:the )?(?:correct |right |exact )?(?:answer|result|"
        r"solution|value|outcome|calculation|math|maths|equation|math problem)(?: to| of| for| when| if| from| is| on)*"
        r"(?: (?:the|this))?(?: (?:problem|equation|expression|question|calculation|sum))?(?: you| i| we| of|:)* (.+)",
        r"what is \1",
    ),
    (
        r"(?:do|solve|calculate|compute|work out|figure out|evaluate|perform|run|crunch|resolve|"
        r"total)(?: the| this| my| me|"
        r" some)?(?: quick)?(?: math| maths| sum| calculation| problem| equation| numbers| operation| value)*"
        r"(?: of| for| on| with|:)? (.+)",
        r"what is \1",
    ),
    (
        r"(.+?),? (?:what|how much|how many)(?:'s| do| would| will| does| is| are| did)?(?: i| you| we| that| it| this|"
        r" there| the (?:answer|result|total|sum))*(?: get| have| make| be| left| equal| come to| add "
        r"up to| remain| is|"
        r" makes| remains| total| add up| come out)*(?: left| in total| over| then| now| to)*",
        r"what is \1",
    ),
    (
        r"(.+?),? (?:and )?(?:the (?:answer|result|total)|is equal to|is equals to|equals to|equals|"
        r"equal|=|makes)(?: is)?(?: what)?",
        r"what is \1",
    ),
    (r"(?:what number|how many|how much|what value|which number) (?:is|are|makes) (.+)", r"what is \1"),
    (r"(.+?) (?:gives?|leaves?|yields?|results? in)(?: me| you| us)?(?: what| how many| how much)?", r"\1"),
    (r"(.*)sum total(.*)", r"\1sum\2"),
    (r"what is (.+) (?:then|equal|equal to|equals|make|makes|equals to|come to|is)", r"what is \1"),
    (r"what (?:is|are|do|does|would|will) ((?:add|subtract|multiply|divide|take).+)", r"\1"),
    (r"(?:what is |by |when |after |from )?(?:the )?adding (.+)", r"add \1"),
    (r"(?:what is |by |when |after |from )?(?:the )?subtracting (.+)", r"subtract \1"),
    (r"(?:what is |by |when |after |from )?(?:the )?taking (.+)", r"take \1"),
    (r"(?:what is |by |when |after |from )?(?:the )?multiplying (.+)", r"multiply \1"),
    (r"(?:what is |by |when |after |from )?(?:the )?dividing (.+)", r"divide \1"),
    (r"(?:added|add) (.+)", r"add \1"),
    (r"subtracted (.+)", r"subtract \1"),
    (r"took (.+)", r"take \1"),
    (r"multiplied (.+)", r"multiply \1"),
    (r"divided (.+)", r"divide \1"),
)

_GERMAN: Replacements = (
    (
        r"(?:was ist |wie lautet |wie ist )?(?:das |die |der )?(?:richtige )?(?:ergebnis|lösung|antwort|resultat|wert|"
        r"rechnung|summe|aufgabe)(?: von| aus| auf| für| zu| der rechnung| der aufgabe|,? wenn (?:ich|"
        r"man|du)| ist|:)+ (.+)",
        r"was ist \1",
    ),
    (
        r"(?:was|wie viel) (?:kommt|bekomme|bekommt|kriege|ergibt|gibt|ist|bleibt|habe|macht)(?: ich| man| es| das)?"
        r"(?: dabei| da| denn)?(?: heraus| raus| übrig)?,?(?: bei|,? wenn(?: ich| man| du| wir)?) (.+)",
        r"was ist \1",
    ),
    (
        r"(?:berechne|rechne|löse|addiere|kalkuliere)(?: mir| mal| bitte| die (?:aufgabe|rechnung))* (.+?)(?: aus)?",
        r"was ist \1",
    ),
    (r"was ist (.+?)(?: aus| zusammen gerechnet| rechnest| rechne)", r"was ist \1"),
)

_FRENCH: Replacements = (
    (
        r"(?:quel est |quelle est |c'est quoi |donne |trouve )?(?:le |la )?(?:résultat|réponse|solution|valeur|calcul)"
        r"(?: de l'opération| du calcul| de| à| pour| quand on|:)* (.+)",
        r"combien font \1",
    ),
    (
        r"(?:combien|qu'est-ce que|que)(?: ça| cela)? (?:fait|font|donne|donnent|vaut)(?: si (?:je|on|tu))?,? (.+)",
        r"combien font \1",
    ),
    (r"(?:ça|cela) (?:fait|donne) (?:combien|quoi) (.+)", r"combien font \1"),
    (r"(.+?),? (?:ça |cela )?(?:donne|fait|font|vaut|égale)(?: combien| quoi)?", r"combien font \1"),
    (r"(?:calcule|calculer|calculez|fais|faites)(?: le calcul| moi| l'opération)?(?: de|:)? (.+)", r"combien font \1"),
)

_SPANISH: Replacements = (
    (
        r"(?:cuál es |cuánto es |qué es |dame |dime )?(?:el |la )?(?:resultado|respuesta|solución|valor|cálculo)"
        r"(?: de la operación| de| a| para| si|:)* (.+)",
        r"cuánto es \1",
    ),
    (
        r"(?:cuánto|qué)(?: me)? (?:da|dan|sale|resulta|queda|obtengo|hace|hacen|suman|sería|serían)(?: si| de)? (.+)",
        r"cuánto es \1",
    ),
    (r"(?:calcula|calcular|haz|resuelve|resolver)(?: la operación| el cálculo)?(?: de|:)? (.+)", r"cuánto es \1"),
    (r"(.+?),? (?:cuánto (?:es|da|son|sale|hace)|es|son|da|igual|es igual a|igual a)(?: cuánto)?", r"cuánto es \1"),
)

_CHINESE: Replacements = (
    (r"(.+)的([两二三四五六七八九十百\d]+)倍(?:是多少|等于多少|是几|多少)?", r"\1乘\2"),
    (r"(.+)(?:一共|总共|合计)(?:是多少|等于多少|多少)", r"\1等于多少"),
    (r"(?:求|问|计算|算)(.+)", r"\1等于多少"),
)

ORDERS: Mapping[str, Replacements] = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "zh-CN": _CHINESE,
}
