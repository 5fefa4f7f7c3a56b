"""The phrases of Spanish."""

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

SPANISH = Language(
    fillers=listed(
        "oye, hola, hey, ok, okay, vale, entonces, y, eh, bueno, pues, ahora, también, pero, por favor, jarvis, sí",
        "perdona, perdón, oiga, gracias, buenos días, buenas noches",
    ),
    questions=listed(
        "qué, que(?! se), cuál(?:es)?, cual(?:es)?, quién(?:es)?, cómo, cuándo, dónde, cu[áa]nt[oa]s?, por qué, a qué",
        "en qué, de qué, está, están, estaba, estaban, es, son, era, hay(?! que), había, ha, han, has, he, tengo",
        "tienes, tenemos, sabes, sabe, dime, dígame, puedes, podrías, me pregunto, quiero saber, quisiera saber",
        "me gustaría saber, comprueba, verifica, funciona, funcionan, queda, sigue, siguen, dejé, cerré, apagué",
        "encendí, cerraste, apagaste, encendiste, a cuánt[oa]s?",
    ),
    questions_inside=listed(
        "(?:dime|decir|decirme|saber|sabes|comprueba|comprobar|verifica|mira|pregunto|pregunta) (?:si|qué|cuál\\w*|"
        "cuánt\\w+|dónde|cómo|quién), verdad$",
    ),
    polite=listed(
        "(?:me |nos )?(?:apagas|enciendes|prendes|abres|cierras|pones|subes|bajas)",
        "(?:me |nos |lo |la |los |las )?(?:puedes|podrías|puede|podría|podéis|pueden|podrían|podemos|quieres|"
        "querrías|quiere), (?:te|le) importar?ía, (?:te|le) importa, ser[ií]as? tan amable, sería posible",
        "es posible(?= \\w+r\\b), qué tal si, por qué no, harías el favor, me haces el favor, puedo (?:tener|pedirte)",
        "(?:hazme|haz) el favor",
    ),
    tells=listed(
        "decir\\w*, dime, comprobar, verificar, explicar\\w*, saber, mirar, informar\\w*, contar\\w*, mostrar\\w*",
    ),
    verbs=listed(
        "dile, avisa\\w*, enci[eé]nd[ea]\\w*, encender\\w*, apag(?:a|ar|ue|ad)\\w*, apág\\w+, pon, poner\\w*, ponga",
        "ponl[oae]s?, pón\\w+, [aá]bre\\w*, abrir\\w*, abra, ci[eé]rr[ae]\\w*, cerrar\\w*, (?:des)?bloque\\w+",
        "(?:des)?bloqué\\w+, sub[ea]\\w*, súb\\w+, subir\\w*, baj[ae]\\w*, báj\\w+, bajar\\w*, aument[ae]\\w*",
        "disminuy[ea]\\w*, reduc[ei]\\w*, reduzca, cambi[ae]\\w*, cámbia\\w*, ajust[ae]\\w*, activ[ae]\\w*",
        "desactiv[ae]\\w*, iniciar?, inicie, empieza, para, parar, detén\\w*, detener, reproduc[ei]\\w*, reproduzca",
        "aten[uú][ae]\\w*, ilumin[ae], prend[ea]\\w*, prénd\\w+, calient[ae], calentar, enfr[ií][ae]\\w*, haz\\w*",
        "hacer, dale, dame, deja, establec[ea]\\w*, fij[ae], configura, coloca, conecta, desconecta, quita, envía\\w*",
        "manda\\w*, recuérda\\w*, llama, añade, agrega, cancela, levanta, oscurece\\w*, aclara, silencia, pausa",
        "continúa, ech[ae], crea, riega",
    ),
    wishes=listed(
        "más, menos, oscur[oa], clar[oa], frío, calor, fuerte, brillante, también, otra vez, quiero, queremos",
        "quisiera, necesito, necesitamos, me gustaría, por ?ciento, grados, encendid[oa]s?, apagad[oa]s?",
        "abiert[oa]s?, cerrad[oa]s?, máximo, mínimo, mitad, demasiado, no veo, por favor, igual, arriba, abajo",
        "silencio, tope",
    ),
    statements=listed("yo, tengo, tienes, tiene, tenemos, es, son, era, eran, fue, hay, había"),
    negations=listed(
        "no(?! *(?:,|$|puedes|podrías|te importa)), nunca, jamás, tampoco, deja de, ni se te ocurra",
    ),
    not_negations=listed(
        "no (?:te )?olvides?, no (?:hay|es|está) (?:suficiente|bastante)\\w*, por qué no, o no, no veo, no se ve",
        "no solo, si no, no hay (?:luz|problema), no me gusta, no sé, no (?:está|hace|es) tan, cómo no, no puedo ver",
        "no me importa",
    ),
    points=listed(
        "lo, eso, esto, es[ea]s?, est[ea]s?, ést[ea]s?, aquell[oa]s?, ahí, allí, allá, aquí, también, mism[oa]s?",
        "otra vez, de nuevo, igual, otr[oa]s?, ambos, ambas, ell[oa]s?, \\w*(?:á|é|í|ó)\\w+(?:la|lo|las|los)",
        "\\w+r(?:la|lo|las|los), (?:abre|cierra|enciende|apaga|pon|sube|baja|haz)(?:la|lo|las|los)",
        "la (?=puedes|podrías), las (?=puedes|podrías)",
    ),
    here=listed("aquí, (?:la|esta) habitación, este cuarto, el cuarto"),
    every=listed("tod[oa]s?, cada, ambos, ambas, enter[oa], las dos, los dos"),
    excepts=listed("excepto, salvo, menos(?= (?:el|la|los|las)), aparte de, con excepción"),
    more=listed(
        "más, sub[eia]\\w*, súb\\w+, aument[ae]\\w*, demasiado (?:oscuro|frío|bajo), tan oscuro",
    ),
    less=listed(
        "menos, baj[ae]\\w*, báj\\w+, reduc\\w+, disminuy[ea], más (?:bajo|oscuro|fresco|frío|suave|despacio|tenue)",
        "aten[uú][ae]\\w*, demasiad[oa] (?:brillante|claro|calor|alto|fuerte|caliente|luz)",
    ),
    yes=listed(
        "sí, si, claro, claro que sí, por supuesto, vale, de acuerdo, ok, okay, exacto, exactamente, correcto, eso es",
        "hazlo, por favor, adelante, desde luego, así es, bueno, perfecto, afirmativo, dale, venga, cómo no, seguro",
        "eso",
    ),
    no=listed(
        "no, para nada, cancela, cancelar, déjalo, olvídalo, para, mejor no, nunca, en absoluto, stop, ahora no",
        "es[ae] no, incorrecto, negativo, no hace falta",
    ),
    stops=listed(
        "coma, punto, nada, el, la, los, las, un, una, unos, unas, de, del, al, a, en, para, con, sin, o, está, están",
        "yo, tú, él, nosotros, me, te, se, nos, mi, mis, tu, tus, su, nuestr[oa], muy, bien, poco, poquito, tan",
        "tanto, mucho, hoy, noche, mañana, tarde, hay, que, hace, casa, cuarto, habitación, color, ciento, grado",
        "nivel, valor, aparato, dispositivos, favor, solo, hasta, ya, algo, realmente, ser, es, temperatura, brillo",
        "volumen, intensidad, rápido, ahora mismo, cariño, mí, por, completamente, dentro, fuera",
    ),
    hours_and_minutes=listed("horas?, minutos?"),
    point="(?:coma|punto)",
    halves="y medi[oa]",
    values={
        "mitad|medi[oa]": HALF, "(?:un )?cuarto(?= de)": QUARTER, "3 cuartos": THREE_QUARTERS, "tercio": THIRD,
        "2 tercios": TWO_THIRDS, "máximo|máxima|tope|del todo|completamente|completo|por completo": FULL,
        "mínimo|mínima|silencio": LEAST, "un[oa]?(?= (?:%|hora|minuto|segundo|día|semana|grado|por))": (1.0,),
        "doble": (2.0,), "mediodía": (12.0,), "medianoche": (0.0, 12.0), "docena": (12.0,),
    },
    also=listed("también"),
)  # fmt: skip
