"""What each language says around a question without changing it, and the orders in which a question can be said.

All are patterns of regular expressions for a text in lower case with plain apostrophes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Replacements = tuple[tuple[str, str], ...]
"""Patterns, each with what it is replaced by."""


@dataclass(frozen=True)
class QuestionWords:
    """The patterns of one language."""

    before: str = "(?!)"
    after: str = "(?!)"
    spellings: Replacements = ()
    orders: Replacements = ()
    """A whole question, and the same one in the usual order."""


_KNOW = (
    r"(?:know|find out|learn|hear|see|check|get|have|ask(?: you)?|be told|figure out|work out|understand|calculate|"
    r"compute|convert)"
)
_ENGLISH = QuestionWords(
    before=(
        r"(?:(?:would|do) you mind|(?:is|would) it (?:be )?possible|are you able|do me a favou?r and)"
        r"(?: to)? (?:tell|telling|give|giving|show|showing|know|knowing)(?: me| us)?|"
        r"hey|hi|hello|ok|okay|so|well|u+h+m*|u+m+|er+m*|hm+|oh|sorry|excuse me|pardon(?: me)?|please|and|then|but|"
        r"listen|alright|all right|yo|dude|buddy|mate|man|dear|computer|assistant|olly|alexa|"
        r"siri|google|jarvis|cortana|nabu|mycroft|by the way|just|actually|quick|"
        r"quickly|real quick|quick question|one question|a question|question|i have a (?:quick )?question|"
        r"if you (?:can|could|would|please|don't mind|know)|for me|now|"
        r"(?:(?:can|could|would|will|may|might) (?:you|someone|somebody|anyone|anybody) )?(?:please |kindly |just |"
        r"possibly |quickly |maybe |perhaps |also |be so kind (?:and|as to) |be able to )*"
        r"(?:tell|give|show|read|get|find|say to|inform|remind)(?: to)? (?:me|us)(?: again| please| quickly| exactly)?"
        r"(?: about| on| of)?|"
        r"(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody)(?: please| kindly| just| possibly| quickly| "
        r"maybe| perhaps| also)*(?: help me(?: to)?)?|"
        r"(?:can|could|may) (?:i|we)(?: please| just)* (?:have|get|know|ask|see|hear)(?: you)?|"
        r"let (?:me|us) know|find out|find|say|check|look up|look at|figure out|work out|determine|"
        r"help me(?: to)?(?: with| find| figure out| work out)?|"
        r"(?:do|would|did|does) (?:you|anyone|anybody|someone) (?:happen to |maybe |possibly |by any chance |perhaps )*"
        r"(?:know|have any idea|have an idea|have a clue)(?: of| about)?|you know|"
        r"(?:is there )?any (?:idea|clue|chance (?:that )?you (?:know|can tell me))(?: of| about)?|"
        rf"(?:i|we)(?:'d| would| do|'ll)? (?:just |really |only |kind of |also |simply |urgently )*"
        rf"(?:want|wanted|need|needed|like|love|wish|have|got|'ve got|wanna|am trying|was trying|got)"
        rf"(?: you)?(?: to)? (?:{_KNOW}|tell me|give me|show me)|"
        rf"i(?:'m| am) (?:just )?(?:trying to {_KNOW}|wondering|curious|asking(?: you)?|not sure|unsure|looking for|"
        r"interested in)(?: about)?|"
        r"i was (?:just )?(?:wondering|asking)|i wonder|wondering|"
        r"(?:what )?i(?:'d| would)? (?:want|need|like)(?: to know)? is|(?:my|the) question is|"
        r"i (?:really |just )?(?:don't know|do not know|forgot|forget|have forgotten|can't remember|cannot remember|"
        r"have no idea|lost track of)(?= (?:what|which|when|how|the|today))|"
        r"i(?:'d| would)? (?:just |really |urgently )*(?:need|want|like)(?= (?:the|today|current|exact|\d))"
    ),
    after=(
        r"please and thank you|please|pls|thanks(?: a lot)?|thank you(?: very much)?|for me|exactly|precisely|again|"
        r"then|anyway|anyways|"
        r"by any chance|do you know|you know|can you tell me|could you tell me|please tell me|tell me|buddy|mate|man|"
        r"dude|dear|real quick|really quick|quickly|quick|if you (?:know|can|could|please|would|don't mind)|i wonder|"
        r"huh|eh|or what|roughly|approximately|or so|total|in total|altogether|all together|just curious|"
        r"any idea|cheers|my friend|sir|madam|bro|(?:so )?i (?:need|want|would like|'d like) to know"
    ),
    spellings=(
        (r"\b(?:what|wat|wot|wht|waht|whta|wht)'?(?:s| iz)\b", "what is"),
        (r"\b(?:wat|wot|wht|waht|whta|whatt)\b", "what"),
        (r"\bwhat're\b", "what are"),
        (r"\b(what|when|it|that)'ll\b", r"\1 will"),
        (r"\b(when|how|where)'?s\b", r"\1 is"),
        (r"\b(?:it|that)'?s\b(?! (?:own|name))", "it is"),
        (r"\bi'm\b", "i am"),
        (r"\bi've\b", "i have"),
        (r"\bu\b", "you"),
        (r"\b(?:pls|plz|pleas|plese|plase)\b", "please"),
        (r"\b(?:tiem|tme|tim|tyme)\b", "time"),
        (r"\btime ?zones?\b", "time zone"),
        (r"\btoday ?'?s\b", "today's"),
        (r"\b(?:toady|todya|2day)\b", "today"),
        (r"\b(?:tmrw|tomm?orr?ow|tomm?orr?w|tomoro|2morrow)\b", "tomorrow"),
        (r"\b(?:wensday|wendsday|wednsday|wendesday)\b", "wednesday"),
        (r"\b(?:thrusday|thurday)\b", "thursday"),
        (r"\bfebuary\b", "february"),
        (r"\bchri?s?t?mas\b|\bxmas\b|\bx-mas\b", "christmas"),
        (r"\b(?:is it|it is) (?:gonna|going to) be\b", "will it be"),
        (r"\b(?:is|are) (.+) (?:gonna|going to) be\b", r"will \1 be"),
        (r"\bgonna\b", "going to"),
        (r"\b(?:celcius|celsious|celsuis|centigrades?)\b", "celsius"),
        (r"\b(?:farenheit|fahrenhiet|farenhite|fahrenheight|fahrenhite|farhenheit)\b", "fahrenheit"),
        (r"\b(?:killometers|kilometeres|kilomiters|kilometters)\b", "kilometers"),
        (
            r"\b(?<!new )(ml|km|cm|mm|kg|lb|oz|gb|mb|tb|ft|yd|cl|dl|kb|hr|inch|foot|cup|pint|mile|pound|gallon|liter|"
            r"litre|meter|metre|gram|kilo|ounce|quart|yard|mph|hour|minute|second|day|week|month|year|"
            r"teaspoon|tablespoon)'s\b",
            r"\1",
        ),
        (r"\binchs\b", "inches"),
        (r"\b(?:squareroot|sqrt|square route)\b", "square root"),
        (r"\b(?:devided|divded|divied|deviding)\b", "divided"),
        (r"\bdevide\b", "divide"),
        (r"\b(?:mutliplied|multipled|multiplyed|multiplicated)\b", "multiplied"),
        (r"\b(?:mutliply|multiplicate|multipy)\b", "multiply"),
        (
            r"\b(?:substract|subract|subtrac|subtrack|subtact|substact|subtarct|sutract|subtrat)(?=\b|ed\b|ing\b)",
            "subtract",
        ),
        (r"\b(\d[\d.]*) doubled\b", r"double \1"),
        (r"\b(divided?|multipl(?:y|ied)|times) (?:buy|bye|bi)\b", r"\1 by"),
        (r"\b(?<!square )(?<!cube )(?<!cubed )(?<!th )root (?=\d)", "square root of "),
        (r"\b(?:a|one) dozen (?=plus|minus|times|divided|and \d)|(?<=times )(?:a|one) dozen\b", "12 "),
        (r"\b(?:persent|precent|procent)\b", "percent"),
    ),
    orders=(
        (
            r"((?:in|at|over in|on|for|after|from) (?!(?:what|which|how)\b)[^,]+?),? ((?:what|which|how late|when) .+)",
            r"\2 \1",
        ),
        (r"(.+?),? (?:is|are|was|will be) (?:what|when)", r"what is \1"),
        (
            r"(.+?),? (?:is|falls|lands|comes|happens|was|fell|will be)(?: on)? (?:what|which) (day|"
            r"date|weekday|day of the week)",
            r"what \2 is \1",
        ),
        (
            r"(?:on |for )?(.+?),? (?:what|which) (day|date|weekday|day of the week) (?:is|was|will|"
            r"would) (?:that|it|this)(?: be)?",
            r"what \2 is \1",
        ),
        (
            r"(?:what|which) (day of the week|time|day|date|weekday|year|month) (?:it is|we are)((?: .+)?)",
            r"what \1 is it\2",
        ),
        (
            r"(?:what|which) (day of the week|day|date|weekday) (?!is |was |will )(.+) (is|was|will be)",
            r"what \1 \3 \2",
        ),
        (r"(?:what|which) (?!is |was |are )(.+) (is|are|was)", r"what \2 \1"),
        (r"when (.+) (is|was|will be)", r"when \2 \1"),
        (r"how (long|far) it is (.+)", r"how \1 is it \2"),
    ),
)

_GERMAN = QuestionWords(
    before=(
        r"hey|hallo|ok|okay|also|na|äh+m*|hm+|sorry|entschuldigung|entschuldige|verzeihung|bitte|und|dann|mal|schnell|"
        r"nur|eine frage|kurze frage|frage|du|sag|"
        r"(?:(?:kannst|könntest|würdest|willst|magst) du |(?:können|könnten|würden) sie )?(?:mir |uns )?(?:bitte |mal |"
        r"kurz |schnell |vielleicht |eben |doch |genau |bitte mal )*(?:sagen|verraten|mitteilen|nennen|ausrechnen|"
        r"berechnen|rechnen)|"
        r"(?:(?:kannst|könntest|würdest) du|(?:können|könnten|würden) sie)(?: mir| uns| bitte| mal| kurz| schnell|"
        r" vielleicht)*|"
        r"(?:sag|sage|verrat|verrate|nenn|nenne|gib|zeig|zeige)(?: mir| uns| mal)+(?: bitte| mal| kurz| schnell)*|"
        r"(?:weißt|weisst) du(?: vielleicht| zufällig)?|wissen sie(?: vielleicht)?|"
        r"ich (?:möchte|will|würde gerne?|muss|wüsste gerne?)(?: gerne?| mal| bitte)*(?: wissen)?|"
        r"mich (?:würde interessieren|interessiert)|ich frage mich|keine ahnung|ich weiß nicht|ich brauche|"
        r"(?:ich )?(?:wüsste|würde) gern[e]?(?: wissen)?|hast du eine ahnung|kannst du (?:mal )?(?:nachsehen|schauen)|"
        r"schau mal|kurz|was glaubst du|finde heraus|"
        r"rechne (?:mir |mal |bitte |doch |kurz |schnell )*aus|"
        r"hilf mir(?: mal| bitte)*(?: bei (?:mathe|den hausaufgaben))?"
    ),
    after=(
        r"bitte|danke|dankeschön|eigentlich|denn|nochmal|noch mal|genau|ungefähr|weißt du das|sag mal|sagen|"
        r"wissen|ausrechnen|verraten|berechnen"
    ),
    spellings=(
        (r"\b(?:was|wie)'?s\b", "was ist"),
        (r"\bwie ?viel uhr\b", "wie viel uhr"),
        (r"\bwieviel\b", "wie viel"),
        (r"\bist'?s\b", "ist es"),
        (r"\bspaet\b", "spät"),
        (r"\bmultiplizirt\b", "multipliziert"),
        (r"\b(?:geteilt|dividiert)(?= \d)", "geteilt durch"),
    ),
    orders=(
        (r"(in [^,]+?),? (wie (?:spät|viel uhr) .+)", r"\2 \1"),
        (r"(.+?),? (?:ist|sind|macht|macht das|ergibt|gibt|ergibt was) (?:was|wie viel)", r"was ist \1"),
        (r"was (.+) (?:ist|sind|ergibt|macht|gibt)", r"was ist \1"),
        (r"wie viel (.+) (?:ist|sind|ergibt|macht)", r"was ist \1"),
        (r"wie (spät|viel uhr) es (?:ist|jetzt ist|gerade ist)((?: .+)?)", r"wie \1 ist es\2"),
        (r"wie (spät|viel uhr) es (in .+) ist", r"wie \1 ist es \2"),
        (r"(?:welcher|welchen) tag (?:heute ist|es ist|wir heute haben|wir haben)", "welcher tag ist heute"),
    ),
)

_FRENCH = QuestionWords(
    before=(
        r"hé|hey|salut|bonjour|ok|alors|et|euh+|bon|ben|pardon|excuse-moi|excusez-moi|s'il te pla[iî]t|"
        r"s'il vous pla[iî]t|dis|dis donc|vite|juste|une question|donc|"
        r"(?:est-ce que )?(?:tu peux|tu pourrais|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|vous pouvez) "
        r"(?:me |nous )?(?:dire|donner|indiquer|calculer|rappeler)|"
        r"(?:dis|dites|donne|donnez|indique|rappelle|calcule)[- ](?:moi|nous)|"
        r"(?:est-ce que )?(?:tu sais|sais-tu|vous savez|savez-vous|tu connais|connais-tu)|"
        r"(?:je|j')\s?(?:voudrais|veux|aimerais|souhaite|souhaiterais|dois|ai besoin de|ai besoin d')(?: bien)? "
        r"(?:savoir|connaître|connaitre|avoir)|je me demande|j'ai besoin de|"
        r"(?:j'aimerais|je voudrais) que tu me dises|serait-il possible de (?:savoir|connaître)|au fait|est-ce que"
    ),
    after=r"s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|merci|exactement|déjà|au juste|environ|tu sais",
    spellings=(
        (r"\bqu'est ce que?\b", "qu'est-ce que"),
        (r"\bquel heure\b", "quelle heure"),
        (r"\best il\b", "est-il"),
        (r"\bquelle heure (?:c'est|est-ce qu'il est|qu'il est)\b", "quelle heure est-il"),
    ),
    orders=(
        (r"((?:dans|à|en|au|aux) [^,]+?),? ((?:il est )?quelle heure .+)", r"\2 \1"),
        (
            r"(.+?),? (?:ça fait|cela fait|fait|font|est égal à|égale|égalent|c'est) (?:combien|quoi)",
            r"combien font \1",
        ),
        (r"(?:combien|ce que) (.+) (?:fait|font|vaut)", r"combien font \1"),
    ),
)

_SPANISH = QuestionWords(
    before=(
        r"hola|oye|eh+|ok|vale|bueno|pues|y|perdón|perdona|disculpa|disculpe|por favor|una pregunta|rápido|entonces|"
        r"(?:me )?(?:puedes|podrías|puede|podría|quieres) (?:decirme|decir|darme|dar|calcular|indicarme)|"
        r"(?:dime|dígame|digame|dame|deme|indícame|calcula|calcúlame)(?: por favor)?|me (?:dices|das|puedes decir)|"
        r"(?:sabes|sabe|sabrías)(?: decirme)?|(?:quiero|quisiera|necesito|me gustaría|quería) (?:saber|conocer|tener)|"
        r"necesito|me pregunto|quisiera que me digas|me podrías (?:decir|calcular)|me calculas|qué tal|"
        r"(?:serías|sería) (?:tan amable de|posible) (?:decirme|saber)|buenas|dígame|cuéntame|a ver|yo quiero saber|"
        r"(?:me ayudas|ayúdame|me puedes ayudar)(?: con (?:una cuenta|esto|un cálculo|la tarea|mi tarea|matemáticas))?|"
        r"ahorita|fíjate|saca|sácame"
    ),
    after=r"por favor|porfa|porfis|gracias|exactamente|más o menos|sabes|ahora|ahora mismo",
    spellings=(
        (r"\bque (hora|día|dia|fecha|año|mes)\b", r"qué \1"),
        (r"\bdia(s?)\b", r"día\1"),
        (r"\bcuanto(s?)\b", r"cuánto\1"),
        (r"\bcuanta(s?)\b", r"cuánta\1"),
        (r"\bcual\b", "cuál"),
        (r"\b(?:ahorita|orita|horita)\b", "ahora"),
        (r"\b(?:por )?(?:allá|allí|acá|aquí) en\b", "en"),
        (r"\brestan\b", "faltan"),
        (r"\bdividido (?=\d)", "dividido por "),
        (r"\b(\d+) a la (?:potencia )?(\d+)\b", r"\1 elevado a \2"),
        (r"\belevado al (cubo|cuadrado)", r"al \1"),
    ),
    orders=(
        (r"((?:en|dentro de|después de) [^,]+?),? (qué (?:hora|horas) .+)", r"\2 \1"),
        (r"(.+?),? (?:es|son|da|dan|igual a|es igual a) cuánto", r"cuánto es \1"),
        (r"cuánto (?!es |son )(.+) (?:es|son|da)", r"cuánto es \1"),
    ),
)

_CHINESE = QuestionWords(
    before=(
        r"嗯|呃|那|那么|请问|请|你好|麻烦|麻烦你|你|能不能|能|可以|可不可以|帮我|帮忙|告诉我|给我|"
        r"我想知道|我要知道|知道|知不知道|查一下|看看|看一下|说一下|算一下|算算|计算一下|计算|快|一下"
    ),
    after=r"呢|啊|呀|吗|吧|谢谢|好吗|可以吗|是多少啊|了",
    orders=(
        (r"(.+?)(?:的结果|的答案)(是多少|是什么|等于多少|是几)", r"\1是多少"),
        (r"(.+)(?:等于|是)(?:什么|啥)", r"\1等于多少"),
    ),
)

LANGUAGES: Mapping[str, QuestionWords] = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "zh-CN": _CHINESE,
}
