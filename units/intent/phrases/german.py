"""The phrases of German."""

from units.intent.phrases.language import (
    FULL,
    HALF,
    LEAST,
    QUARTER,
    THIRD,
    THREE_QUARTERS,
    TWO_THIRDS,
    Language,
    listed,
)

GERMAN = Language(
    fillers=listed(
        "hey, hallo, hi, ok, okay, so, und, äh, ähm, also, dann, jetzt, aber, bitte, ach, jarvis, computer, ja, nein",
        "entschuldigung, sag mal, danke, mal, guten morgen, guten abend, na, du",
    ),
    questions=listed(
        "wer, was, wie, wo, wann, warum, wieso, weshalb, weswegen, wem, wen, woher, wohin, womit, welche[rsnm]?",
        "in welche[rnm], (?:um|auf|bei|seit|von|mit|in|an) (?:wie|was|wem|wann|wo|wieviel|welche[rnm]?), wieviele?",
        "ist, sind, bin, bist, war, waren, hat, hatte, hast, haben, habe, gibt, gab, brennt, brennen, läuft, laufen",
        "steht, stehen, leuchtet, leuchten, kann, können, darf, soll, sollte, wird, wurde, wurden, weisst, kennst",
        "sag mir, sagst, frag, funktioniert, funktionieren, ich (?:frage mich|möchte wissen|will wissen|wüsste gern)",
        "prüfe?, schau(?: mal)? (?:nach|ob), kannst, könntest, magst, muss, würdest, findest, meinst, glaubst, heizt",
        "dreht, spielt, zeigt, fährt, regnet",
    ),
    questions_inside=listed(
        "ob, oder nicht, stimmt's",
        "(?:sag|sage|sagen|verrate|weisst|wissen|erzähl|zeig)(?: mir| du| mal)* (?:wie|was|wo|wer|wann|"
        "welche[rsnm]?|wieviel)",
    ),
    polite=listed(
        "(?:kannst|könntest|würdest|magst|möchtest|willst) du, (?:können|könnten|würden|möchten) (?:sie|wir)",
        "könn(?:t|tet) ihr, (?:kann|könnte) (?:ich|man|jemand|bitte), würde es dir etwas ausmachen",
        "macht es dir etwas aus, darf ich (?:um|dich bitten), wärst du so (?:nett|lieb|freundlich)",
        "wären sie so (?:nett|freundlich), sei so (?:nett|lieb|gut), wie wär(?:e es|'s|s), wollen wir",
        "(?:machst|schaltest|stellst|drehst|öffnest|schliesst|fährst|spielst|dimmst|sperrst) du",
        "warum \\w+st du nicht",
    ),
    tells=listed(
        "sagen, verraten, prüfen, nachsehen, nachschauen, wissen, erklären, zeigen, überprüfen, zählen, erkennen",
        "nachgucken",
    ),
    verbs=listed(
        "sage?, schalte?, mache?, mach's, stelle?, drehe?, setze?, dimme?, öffne, schliesse?, sperre?, verriegel[en]?",
        "verriegle, entriegel[en]?, entriegle, entsperre?, fahre?, lasse?, hebe?, senke?, starte?, stoppe?, halte?",
        "pausiere?, spiele?, aktiviere?, deaktiviere?, erhöhe?, verringere?, reduziere?, ändere?, färbe?, gib, ziehe?",
        "regle, regele, heize?, kühle?, beende, lösche?, knipse?, tue?, bringe?, nimm, rolle?, kurble?, lüfte, sende",
        "schicke?, erinnere, rufe?, bestelle?, füge?, schreibe?, giesse?, sauge?, putze?, hole?, wecke?, beleuchte",
        "erhelle, verdunkle",
        "\\w*(?:schalten|machen|stellen|drehen|öffnen|schliessen|dimmen|sperren|fahren|spielen|riegeln|setzen|"
        "regeln|heizen), \\w*(?:kühlen|ziehen|starten|stoppen|pausieren|aktivieren|senden|schicken|lassen|lassen)",
    ),
    wishes=listed(
        "an, aus, ein, auf, zu, hoch, runter, rauf, herunter, hinunter, ab, heller, dunkler, lauter, leiser, wärmer",
        "kälter, kühler, höher, niedriger, mehr, weniger, dunkel, hell, kalt, heiss, warm, laut, leise, stickig",
        "ich will, ich möchte, ich hätte gerne?, ich brauche?, wir brauchen, wir wollen, wir möchten, soll, sollen",
        "bitte, auch, nochmal, prozent, grad, maximum, minimum, halb, voll, schneller, langsamer, seh(?:e)? nichts",
        "nichts sehen, friere?, schwitze, ruhe, genauso, stattdessen, licht",
    ),
    statements=listed("ich, wir, er, sie, ihr, du, ist, sind, war, waren, habe, hat, haben, hatte"),
    negations=listed("nicht, kein, keine, keinen, keinem, keiner, niemals, nie"),
    not_negations=listed(
        "nicht vergessen, vergiss nicht, nicht (?:hell|warm|laut|kalt|dunkel|kühl) genug, nicht genug, warum nicht",
        "oder nicht, nicht nur, warum \\w+st du nicht, nicht mehr sehen, kein problem, sehe? nicht",
        "nicht so (?:hell|laut|dunkel|kalt|warm), wenn nicht, falls nicht, weiss nicht",
        "(?:könn\\w+|kannst|würdest) du nicht, keine luft, nicht wahr",
    ),
    points=listed(
        "es, das, dies, diese[rsnm]?, sie, ihn, ihm, dort, da, hier, auch, gleichen?, dasselbe, selben?, nochmal",
        "noch einmal, genauso, ebenfalls, andere[rsnm]?, beide, wieder, jene[rsnm]?, übrigen",
    ),
    here=listed("hier, hier drin, (?:in )?diesem (?:zimmer|raum), (?:das|im) zimmer, (?:den|im) raum"),
    every=listed(
        "alle[rsnm]?, jede[rsnm]?, alles, sämtliche[rn]?, beide[rn]?, überall, ganze[rsn]?, gesamte[rsn]?",
    ),
    excepts=listed("ausser, bis auf, ausgenommen, abgesehen von, nur nicht"),
    more=listed(
        "heller, lauter, wärmer, höher, mehr, hoch, rauf, auf, erhöhe?, zu (?:dunkel|kalt|leise|niedrig), schneller",
        "stärker, friere?, so dunkel, so kalt",
    ),
    less=listed(
        "dunkler, leiser, kälter, kühler, niedriger, weniger, runter, herunter, verringere?, reduziere?, senke?",
        "dimme?, zu (?:hell|warm|heiss|laut|hoch), langsamer, schwächer, schwitze, so hell, so laut",
    ),
    yes=listed(
        "ja, jawohl, jo, jep, genau, richtig, klar, sicher, ok, okay, gerne?, mach das, tu das, mach es, bitte",
        "stimmt, natürlich, na klar, mach, selbstverständlich, einverstanden, in ordnung, doch, auf jeden fall",
        "korrekt, mach mal",
    ),
    no=listed(
        "nein, nee, ne, nö, nicht, lieber nicht, besser nicht, auf keinen fall, stopp, stop, abbrechen, vergiss es",
        "lass es, lass das, falsch, schon gut, egal, bloss nicht, keinesfalls",
    ),
    stops=listed(
        "komma, etwa, jetzt mal, der, die, das, den, dem, des, eine[nmr]?, ein, im, in, am, bei, vom, von, zum, zur",
        "mit, für, oder, ist, sind, war, ich, er, wir, ihr, mir, mich, dir, uns, mein\\w*, unser\\w*, etwas, bisschen",
        "wenig, sehr, ganz, viel, nur, noch, schon, gleich, heute, abend, nacht, morgen, doch, gerade, zimmer, raum",
        "haus, wohnung, farbe, wird, werden, möchte, will, hätte, gerne?, könnte, kann, um, bis, stufe, wert, geräte?",
        "sich, man, zeit, lang, kurz, ziemlich, total, echt, wirklich, beim, ins, ans, aufs, helligkeit, temperatur",
        "lautstärke, viel zu, hab, habe, hier drin, drinnen, draussen, schnell, sofort, langsam, alexa, lieber, liebe",
        "schatz, leute, bin, komplett, unten, oben",
    ),
    hours_and_minutes=listed("stunden?, minuten?"),
    point="komma",
    halves="(?:und )?(?:ein(?:e|en|s)? ?)?halb(?:e|en|er|es)?",
    values={
        "halb(?:e|en|er|es)?|hälfte": HALF, "viertel": QUARTER, "3 ?viertel|dreiviertel": THREE_QUARTERS,
        "drittel": THIRD,
        "2 ?drittel|zweidrittel": TWO_THIRDS, "anderthalb|eineinhalb": (1.5,), "doppelt|zwo": (2.0,),
        "hundert": (100.0,), "mittag": (12.0,),
        "ganz|voll(?:e|er|en|ständig)?|maximum|maximal(?:e|er|en)?|komplett|höchste[nrs]?": FULL,
        "mitternacht": (0.0, 12.0),
        "minimum|minimal(?:e|er|en)?|niedrigste[nrs]?|stumm": LEAST,
        "ein(?:e|en|er|em|s)?(?= (?:%|prozent|stunde|minute|sekunde|tag|woche|grad|stufe))": (1.0,),
    },
    also=listed("auch, ebenfalls"),
)  # fmt: skip
