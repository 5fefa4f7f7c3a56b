"""The rooms and things that larger houses add, in each language.

No sentence of the check names one of them. A core room gets nothing but sockets, so that its lights stay what they are.
"""

from dataclasses import dataclass

Room = tuple[str, str]  # name, floor
Thing = tuple[str, str, str]  # pattern of the name, kind, device_class


@dataclass(frozen=True)
class Added:
    """What a language adds to its core house."""

    rooms: tuple[Room, ...]
    things: tuple[Thing, ...]
    sockets: tuple[tuple[str, str], ...] = ()  # near misses of names: name, area of the core house


ENGLISH = Added(
    rooms=(
        ("attic", "upstairs"),
        ("library", "upstairs"),
        ("workshop", "basement"),
        ("guest house", "outbuildings"),
        ("pantry", "downstairs"),
        ("studio", "upstairs"),
        ("conservatory", "downstairs"),
        ("sauna", "basement"),
        ("greenhouse", "outbuildings"),
        ("loft", "upstairs"),
        ("storage room", "basement"),
        ("home cinema", "basement"),
        ("tree house", "outbuildings"),
        ("lobby", "downstairs"),
        ("hobby room", "basement"),
        ("carport", "outside"),
        ("utility room", "downstairs"),
        ("granny flat", "upstairs"),
        ("server room", "basement"),
        ("mud room", "downstairs"),
        ("craft room", "upstairs"),
        ("boathouse", "outbuildings"),
        ("meeting room", "downstairs"),
        ("stable", "outbuildings"),
        ("reception", "downstairs"),
        ("archive", "basement"),
        ("sewing room", "upstairs"),
        ("tea room", "downstairs"),
        ("rooftop", "outside"),
        ("courtyard", "outside"),
        ("cloakroom", "downstairs"),
        ("spa", "basement"),
        ("barn", "outbuildings"),
        ("winter garden", "downstairs"),
        ("photo lab", "basement"),
    ),
    things=(
        ("{room} light", "light", ""),
        ("{room} ceiling light", "light", ""),
        ("{room} wall lamp", "light", ""),
        ("{room} socket", "switch", ""),
        ("{room} blinds", "cover", "blind"),
        ("{room} window", "sensor", "window"),
        ("{room} speaker", "media", "speaker"),
        ("{room} fan", "fan", ""),
        ("{room} heater", "climate", ""),
        ("{room} door", "lock", ""),
        ("{room} motion sensor", "sensor", "motion"),
        ("{room} humidity", "sensor", "humidity"),
    ),
    sockets=(
        ("kitchen mixer socket", "kitchen"),
        ("office scanner socket", "office"),
        ("bedroom charger socket", "bedroom"),
        ("garage charger", "garage"),
        ("living room amplifier socket", "living room"),
        ("bathroom shaver socket", "bathroom"),
        ("gym treadmill", "gym"),
        ("patio grill socket", "patio"),
    ),
)

GERMAN = Added(
    rooms=(
        ("Gästezimmer", "Obergeschoss"),
        ("Hobbyraum", "Untergeschoss"),
        ("Dachboden", "Obergeschoss"),
        ("Bibliothek", "Erdgeschoss"),
        ("Sauna", "Untergeschoss"),
        ("Wintergarten", "Erdgeschoss"),
        ("Vorratskammer", "Erdgeschoss"),
    ),
    things=(
        ("{room} Licht", "light", ""),
        ("{room} Deckenlampe", "light", ""),
        ("{room} Steckdose", "switch", ""),
        ("{room} Rollladen", "cover", "shutter"),
        ("{room} Fenster", "sensor", "window"),
        ("{room} Lautsprecher", "media", "speaker"),
        ("{room} Ventilator", "fan", ""),
        ("{room} Heizkörper", "climate", ""),
        ("{room} Tür", "lock", ""),
        ("{room} Bewegungsmelder", "sensor", "motion"),
    ),
)

FRENCH = Added(
    rooms=(
        ("bibliothèque", "étage"),
        ("buanderie", "sous-sol"),
        ("véranda", "rez-de-chaussée"),
        ("mezzanine", "étage"),
        ("serre", "dehors"),
        ("mansarde", "étage"),
        ("réserve", "sous-sol"),
    ),
    things=(
        ("lumière de la {room}", "light", ""),
        ("plafonnier de la {room}", "light", ""),
        ("prise de la {room}", "switch", ""),
        ("volet de la {room}", "cover", "shutter"),
        ("fenêtre de la {room}", "sensor", "window"),
        ("enceinte de la {room}", "media", "speaker"),
        ("ventilateur de la {room}", "fan", ""),
        ("radiateur de la {room}", "climate", ""),
        ("porte de la {room}", "lock", ""),
        ("détecteur de mouvement de la {room}", "sensor", "motion"),
    ),
)

SPANISH = Added(
    rooms=(
        ("biblioteca", "planta alta"),
        ("lavandería", "planta baja"),
        ("buhardilla", "planta alta"),
        ("bodega", "subterráneo"),
        ("galería", "planta baja"),
        ("despensa", "planta baja"),
        ("sauna", "subterráneo"),
    ),
    things=(
        ("luz de la {room}", "light", ""),
        ("lámpara de techo de la {room}", "light", ""),
        ("enchufe de la {room}", "switch", ""),
        ("persianas de la {room}", "cover", "blind"),
        ("ventana de la {room}", "sensor", "window"),
        ("altavoz de la {room}", "media", "speaker"),
        ("ventilador de la {room}", "fan", ""),
        ("radiador de la {room}", "climate", ""),
        ("puerta de la {room}", "lock", ""),
        ("sensor de movimiento de la {room}", "sensor", "motion"),
    ),
)

CHINESE = Added(
    rooms=(
        ("阁楼", "二楼"),
        ("储藏室", "一楼"),
        ("健身房", "负一楼"),
        ("茶室", "一楼"),
        ("影音室", "负一楼"),
        ("次卧", "二楼"),
        ("餐厅", "一楼"),
    ),
    things=(
        ("{room}灯", "light", ""),
        ("{room}吊灯", "light", ""),
        ("{room}插座", "switch", ""),
        ("{room}窗帘", "cover", "curtain"),
        ("{room}窗户", "sensor", "window"),
        ("{room}音箱", "media", "speaker"),
        ("{room}风扇", "fan", ""),
        ("{room}空调", "climate", ""),
        ("{room}门", "lock", ""),
        ("{room}人体传感器", "sensor", "motion"),
    ),
)

ADDED = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "zh": CHINESE}
