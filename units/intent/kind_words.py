"""The words that people use for kinds of devices, in five languages.

A word may stand for several kinds: a door is opened by a motor or locked. Words for what is felt stand for the kind
that changes it: in a dark room people mean the lights.
"""

from units.intent.spelling import joined

_WORDS: dict[str, tuple[str, ...]] = {
    "light": (
        "light, lights, lighting, lamp, lamps, bulb, bulbs, lightbulb, lightbulbs, led, leds, chandelier, spotlight, "
        "spotlights, spots, lantern, brightness, dark, darker, darkness, bright, brighter, brightly, dim, dimmer",
        "licht, lichter, lichts, lichtern, lampe, lampen, leuchte, leuchten, beleuchtung, birne, "
        "glühbirne, strahler, "
        "helligkeit, dunkel, dunkler, hell, heller, dimmen, dimm, dimme",
        "lumière, lumières, lampe, lampes, éclairage, ampoule, ampoules, plafonnier, lampadaire, spots, luminosité, "
        "sombre, noir, clair, tamise, tamiser",
        "luz, luces, lámpara, lámparas, foco, focos, bombilla, bombillas, iluminación, brillo, oscuro, "
        "claro, atenúa, "
        "atenuar",
        "灯, 灯光, 台灯, 电灯, 吊灯, 落地灯, 照明, 亮度, 太暗, 太亮, 调亮, 调暗, 亮一点, 暗一点",
    ),
    "switch": (
        "switches, plug, plugs, socket, sockets, outlet, outlets, power strip",
        "steckdose, steckdosen, schalter, stecker",
        "prise, prises, interrupteur, interrupteurs",
        "enchufe, enchufes, interruptor, interruptores, toma",
        "插座, 开关, 插头",
    ),
    "fan": (
        "fan, fans, ventilator, ventilators, stuffy, airflow",
        "ventilator, ventilatoren, lüfter, lüftung, stickig",
        "ventilateur, ventilateurs, ventilation, hotte",
        "ventilador, ventiladores, extractor",
        "风扇, 电扇, 吊扇, 排气扇, 换气扇",
    ),
    "cover": (
        "blind, blinds, curtain, curtains, shutter, shutters, shade, shades, awning, awnings, drape, drapes, cover, "
        "covers, door, doors, garage door, gate, gates, window, windows, roller, rollers",
        "rollo, rollos, rolllade, rollladen, rolladen, rolläden, jalousie, jalousien, vorhang, vorhänge, markise, "
        "gardine, gardinen, tor, tore, garagentor, tür, türen, fenster",
        "store, stores, volet, volets, rideau, rideaux, persienne, persiennes, porte, portes, portail, fenêtre, "
        "fenêtres, auvent",
        "persiana, persianas, cortina, cortinas, estor, estores, toldo, puerta, puertas, portón, ventana, ventanas",
        "窗帘, 百叶窗, 卷帘, 窗户, 窗, 门, 车库门, 遮阳篷",
    ),
    "climate": (
        "heater, heaters, heating, thermostat, thermostats, radiator, radiators, temperature, ac, a c, air con, "
        "air conditioner, air conditioners, air conditioning, aircon, climate, boiler, degrees, cold, colder, warm, "
        "warmer, hot, hotter, cool, cooler, chilly, freezing, heat",
        "heizung, heizungen, heizkörper, thermostat, klimaanlage, klima, temperatur, grad, kalt, kälter, "
        "warm, wärmer, "
        "heiß, kühl, kühler",
        "chauffage, radiateur, radiateurs, thermostat, climatisation, climatiseur, clim, température, degrés, froid, "
        "chaud",
        "calefacción, calefactor, radiador, radiadores, termostato, aire acondicionado, clima, temperatura, grados, "
        "frío, calor, caliente",
        "空调, 暖气, 恒温器, 温度, 地暖, 取暖器, 加热器, 太冷, 太热, 好冷, 好热",
    ),
    "media": (
        "tv, tvs, telly, television, televisions, speaker, speakers, radio, stereo, soundbar, music, song, songs, "
        "volume, sound, playlist, media player, media players, player, projector, loud, louder, quieter, "
        "movie, film, album, play, playing, pause, mute, unmute",
        "fernseher, fernsehen, lautsprecher, radio, musik, lied, lautstärke, anlage, stereoanlage, box, "
        "leiser, lauter, "
        "beamer, ton, spiel, spiele, abspielen, pausiere",
        "télé, télévision, téléviseur, enceinte, enceintes, haut parleur, radio, musique, chanson, volume, "
        "son, chaîne, joue, jouer, mets pause",
        "tele, televisión, televisor, altavoz, altavoces, radio, música, canción, volumen, sonido, "
        "equipo de música, reproduce, reproducir, pausa",
        "电视, 电视机, 音箱, 音响, 收音机, 音乐, 歌, 音量, 播放器, 大声, 小声, 播放, 暂停",
    ),
    "lock": (
        "lock, locks, door, doors, deadbolt, gate",
        "schloss, schlösser, tür, türen, haustür, türschloss",
        "serrure, serrures, verrou, verrous, porte, portes",
        "cerradura, cerraduras, cerrojo, puerta, puertas",
        "锁, 门锁, 门",
    ),
    "scene": (
        "scene, scenes, mood, mode",
        "szene, szenen, stimmung, modus",
        "scène, scènes, ambiance, mode",
        "escena, escenas, ambiente, modo",
        "场景, 模式",
    ),
    "sensor": (
        "sensor, sensors, humidity, thermometer, temperature, moisture, battery, pressure, power consumption, co2, "
        "air quality",
        "sensor, sensoren, luftfeuchtigkeit, feuchtigkeit, thermometer, temperatur, batterie, akku, verbrauch",
        "capteur, capteurs, humidité, thermomètre, température, batterie, consommation",
        "sensor, sensores, humedad, termómetro, temperatura, batería, consumo",
        "传感器, 湿度, 温度计, 温度, 电量, 空气质量",
    ),
    "camera": (
        "camera, cameras, cam, webcam, cctv",
        "kamera, kameras, überwachungskamera",
        "caméra, caméras",
        "cámara, cámaras",
        "摄像头, 摄像机, 监控",
    ),
}  # fmt: skip


def _kinds_by_word() -> dict[str, tuple[str, ...]]:
    kinds: dict[str, tuple[str, ...]] = {}
    for kind, lines in _WORDS.items():
        for word in ", ".join(lines).split(", "):
            kinds[joined(word)] = tuple(dict.fromkeys((*kinds.get(joined(word), ()), kind)))
    return kinds


KINDS_BY_WORD = _kinds_by_word()
"""By a word or several, spelled as `spelling.joined` does, the kinds that it stands for."""

KINDS = tuple(_WORDS)

COMPOUND_ENDS = tuple(
    (joined(end), kinds)
    for end, kinds in {
        "lampe": ("light",), "lampen": ("light",), "licht": ("light",), "lichter": ("light",), "leuchte": ("light",),
        "beleuchtung": ("light",), "rollo": ("cover",), "rollos": ("cover",), "jalousie": ("cover",),
        "jalousien": ("cover",), "vorhang": ("cover",), "vorhänge": ("cover",), "fenster": ("cover",),
        "heizung": ("climate",), "thermostat": ("climate",), "ventilator": ("fan",), "lüfter": ("fan",),
        "steckdose": ("switch",), "fernseher": ("media",), "lautsprecher": ("media",), "radio": ("media",),
        "kamera": ("camera",), "tür": ("cover", "lock"), "light": ("light",), "lights": ("light",), "lamp": ("light",),
    }.items()
)  # fmt: skip
"""The ends of German compounds (and of words that a transcript runs together) and the kinds that they stand for."""

FAMILIES = {
    joined(word): family
    for family, words in {
        "door": "door, doors, garage door, gate, gates, tür, türen, tor, tore, garagentor, haustür, porte, "
        "portes, portail, puerta, puertas, portón, 门, 车库门",
        "window": "window, windows, fenster, fenêtre, fenêtres, ventana, ventanas, 窗户, 窗",
        "awning": "awning, awnings, markise, auvent, toldo, 遮阳篷",
        "shade": "blind, blinds, curtain, curtains, shutter, shutters, shade, shades, drape, drapes, roller, "
        "rollers, rollo, rollos, rolllade, rollladen, rolladen, rolläden, jalousie, jalousien, vorhang, "
        "vorhänge, gardine, gardinen, store, stores, volet, volets, rideau, rideaux, persienne, persiennes, "
        "persiana, persianas, cortina, cortinas, estor, estores, 窗帘, 百叶窗, 卷帘",
        "tv": "tv, tvs, telly, television, televisions, fernseher, fernsehen, télé, télévision, "
        "téléviseur, tele, televisión, televisor, 电视, 电视机",
        "speaker": "speaker, speakers, radio, stereo, soundbar, lautsprecher, box, enceinte, enceintes, "
        "haut parleur, altavoz, altavoces, 音箱, 音响, 收音机",
    }.items()
    for word in words.split(", ")
}
"""By a word for a kind, which of the kind it means."""

CLASS_FAMILIES = {
    ("cover", "door"): "door", ("cover", "garage"): "door", ("cover", "gate"): "door", ("cover", "window"): "window",
    ("cover", "awning"): "awning", ("cover", "blind"): "shade", ("cover", "curtain"): "shade",
    ("cover", "shade"): "shade", ("cover", "shutter"): "shade", ("media", "tv"): "tv", ("media", "speaker"): "speaker",
    ("media", "receiver"): "speaker",
}  # fmt: skip
"""The same by kind and device class."""

_VAGUE = (
    "brightness, dark, darker, darkness, bright, brighter, brightly, dim, dimmer, stuffy, airflow, "
    "temperature, degrees, cold, colder, warm, warmer, hot, hotter, cool, cooler, chilly, freezing, heat, "
    "volume, sound, loud, louder, quieter, play, playing, pause, mute, unmute, mood, mode, battery, "
    "pressure, helligkeit, dunkel, dunkler, hell, heller, dimmen, dimm, dimme, stickig, temperatur, grad, "
    "kalt, kälter, wärmer, heiß, kühl, kühler, lautstärke, leiser, lauter, ton, spiel, spiele, abspielen, "
    "pausiere, modus, stimmung, luminosité, sombre, noir, clair, tamise, tamiser, température, degrés, "
    "froid, chaud, son, joue, jouer, ambiance, brillo, oscuro, claro, atenúa, atenuar, temperatura, grados, "
    "frío, calor, caliente, volumen, sonido, reproduce, reproducir, pausa, ambiente, modo, 亮度, 太暗, 太亮, "
    "调亮, 调暗, 亮一点, 暗一点, 温度, 太冷, 太热, 好冷, 好热, 音量, 大声, 小声, 播放, 暂停, 模式"
)
VAGUE = frozenset(map(joined, _VAGUE.split(", ")))
"""Words for values and for what is felt."""
