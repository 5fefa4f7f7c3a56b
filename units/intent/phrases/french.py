"""The phrases of French."""

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

FRENCH = Language(
    fillers=listed(
        "hé, hey, bonjour, bonsoir, salut, ok, okay, alors, et, euh, bon, puis, maintenant, aussi, mais",
        "s'il te plaît, s'il vous plaît, ah, jarvis, oui, non, pardon, merci",
    ),
    questions=listed(
        "est-ce que?, est-ce qu'\\w*, est ce que?, qu'est-ce, qui, que, qu'\\w+, quoi, quel(?:le)?s?, où, quand",
        "comment, combien, pourquoi, est-(?:il|elle|ce|on), sont-(?:ils|elles|ce), est, sont, était, étaient",
        "y a-t-il, y a t il, y avait, il y a combien, as-tu, a-t-(?:il|elle|on), avez-vous, ai-je, sais-tu",
        "savez-vous, es-tu, dis-moi, dites-moi, à (?:quelle?|combien|qui), dans quelle?s?, peux-tu, pourrais-tu",
        "pouvez-vous, pourriez-vous, je me demande, je voudrais savoir, j'aimerais savoir, je veux savoir, vérifie",
        "avons-nous, fait-il, ont-(?:ils|elles), reste-t-il, de quelle?, depuis quand, c'est quoi, tu sais, puis-je",
        "dis moi",
    ),
    questions_inside=listed(
        "\\w+-t-(?:il|elle|on), (?:est|sont|était|étaient|fait|ont)-(?:il|elle|ils|elles|ce(?! que (?:tu|vous) p))",
        "(?:dis|dire|savoir|sais|vérifie|vérifier|regarde|demande|dites)(?:-moi)? (?:si|quel\\w*|combien|où|"
        "comment|ce que|qui), quel(?:le)?s? (?:est|sont|temps|heure), combien",
    ),
    polite=listed(
        "(?:est-ce que )?(?:tu (?:peux|pourrais|veux)|vous (?:pouvez|pourriez|voulez)|on (?:peut|pourrait))(?: bien)?",
        "(?:peux|pourrais|veux|voudrais)[- ]tu(?: bien)?, (?:pouvez|pourriez|voulez|voudriez)[- ]vous(?: bien)?",
        "(?:est-ce que )?(?:ça|cela) (?:te|vous) (?:dérange|dérangerait|ennuie), serait-il possible, est-il possible",
        "peut-on, pourrait-on, puis-je avoir, et si (?:on|tu), pourquoi ne pas",
        "(?:auriez|aurais)-(?:vous|tu) (?:la gentillesse|l'amabilité)",
    ),
    tells=listed("dire, dis, vérifier, expliquer, savoir, regarder si, montrer, compter"),
    verbs=listed(
        "dis à, préviens, allume[rsz]?, éteindre, éteins, éteignez, mets, mettre, mettez, règle[rz]?, régle[rz]",
        "ouvre, ouvrir, ouvrez, ferme[rz]?, verrouille[rz]?, déverrouille[rz]?, baisse[rz]?, monte[rz]?",
        "augmente[rz]?, diminue[rz]?, réduis, réduire, lance[rz]?, démarre[rz]?, arrête[rz]?, joue[rz]?, active[rz]?",
        "désactive[rz]?, change[rz]?, tamise[rz]?, éclaire[rz]?, coupe[rz]?, passe[rz]?, reprends, fais, faire",
        "chauffe[rz]?, rends, donne, remets, descends, relève, lève, tire, envoie, envoyer, rappelle, appelle, ajoute",
        "annule, pose, rallume, referme, laisse, stoppe, aère, commande, écris, bloque, débranche, branche, rallumer",
        "allumes, éteignes",
    ),
    wishes=listed(
        "plus, moins, sombre, noir, froid, chaud, fort, bruyant, lumineux, aussi, encore, je veux, je voudrais",
        "j'aimerais, il me faut, j'ai besoin, pour ?cent, degrés, allumée?s?, éteinte?s?, ouverte?s?, fermée?s?",
        "maximum, minimum, à fond, moitié, on n'y voit, on y voit rien, je ne vois, s'il te plaît, s'il vous plaît",
        "pareil, trop, bas, haut, silence, pause",
    ),
    statements=listed(
        "je, j'\\w+, nous, vous, tu, il, elle, ils, elles, on, c'\\w+, est, sont, était, ont, avait",
    ),
    negations=listed("ne, n'\\w+, pas, jamais, inutile de"),
    not_negations=listed(
        "n'oublie[sz]? pas, pas assez, pourquoi (?:ne )?pas, ou pas, n'est-ce pas, pas trop, pas de problème, pas mal",
        "pas si \\w+, ne (?:vois|voit|voyons) (?:rien|pas|plus), n'y voi[st] (?:rien|pas|plus), n'y a pas assez",
        "si (?:ce )?n'est pas, n'aime pas, ne me dérange pas",
    ),
    points=listed(
        "lui, ça, cela, ceci, cel(?:ui|le)-(?:ci|là), y, là, ici, (?<=-)(?:le|la|les)",
        "(?:l'|la |les |le )(?=\\w+ aussi), aussi, même, pareil, également, encore, autres?, elles?, ils?, celles?",
        "ceux, l'(?:allume|éteins|ouvre|ferme|éteindre|allumer|ouvrir)",
        "(?:le|la|les) (?=(?:mettre|monter|baisser|fermer|régler)), la même chose",
    ),
    here=listed("ici, la pièce, cette pièce, la salle"),
    every=listed("tou[ts], toutes?, chaque, partout, entière?, les deux"),
    excepts=listed("sauf, excepté, à part, hormis, à l'exception"),
    more=listed(
        "plus (?:fort|lumineux|lumineuse|chaud|clair|haut|vif|de), augmente[rz]?, monte[rz]?",
        "trop (?:sombre|froid|bas|faible), plus",
    ),
    less=listed(
        "moins, baisse[rz]?, diminue[rz]?, réduis, plus (?:bas|sombre|doux|frais|froid|doucement), tamise[rz]?",
        "descends, trop (?:clair|lumineux|lumineuse|chaud|fort|haut)",
    ),
    yes=listed(
        "oui, ouais, bien sûr, d'accord, ok, okay, exact, exactement, c'est ça, vas-y, allez, tout à fait",
        "s'il te plaît, si, s'il vous plaît, volontiers, certainement, fais-le, faites-le, absolument, parfait",
        "je veux bien, évidemment, c'est bien ça, correct, carrément",
    ),
    no=listed(
        "non, pas du tout, surtout pas, annule, annuler, laisse tomber, laisse, stop, arrête, jamais, faux",
        "ce n'est pas ça, pas maintenant, nan, oublie, oublie ça, pas ça",
    ),
    stops=listed(
        "virgule, rien, environ, le, la, les, l, un, une, des, du, de, d, au, aux, à, en, dans, sur, sous, par, pour",
        "avec, ou, est, sont, était, je, tu, il, on, nous, vous, me, te, se, moi, toi, mon, ma, mes, ton, ta, notre",
        "votre, ce, cet, cette, ces, peu, très, bien, si, soir, matin, nuit, jour, fait, c, qu, que, qui, a, j, s, n",
        "m, t, pièce, maison, appartement, couleur, cent, degré, pourcent, niveau, valeur, appareils?, veux, voudrais",
        "aimerais, peux, peut, vraiment, juste, petit, jusqu, beaucoup, température, luminosité, volume, doucement",
        "vite, tout de suite, chéri, complètement, clé, s'il, c'est, qu'il, dehors",
    ),
    hours_and_minutes=listed("heures?, minutes?"),
    point="virgule",
    halves="et demie?",
    values={
        "moitié|demie?": HALF, "quart": QUARTER, "3 quarts": THREE_QUARTERS, "tiers": THIRD,
        "2 tiers": TWO_THIRDS,
        "maximum|max|à fond|complètement|pleine?|entièrement": FULL, "minimum|min|muet|silence": LEAST,
        "double": (2.0,),
        "une?(?= (?:%|heure|minute|seconde|jour|semaine|degré|pour))": (1.0,), "midi": (12.0,), "minuit": (0.0, 12.0),
        "douzaine": (12.0,), "septante": (70.0,), "huitante": (80.0,), "nonante": (90.0,),
    },
    also=listed("aussi"),
)  # fmt: skip
