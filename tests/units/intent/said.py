"""What people say to a home in five languages, with what it means; and talk that means nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Said:
    """A sentence, with the intent and the values by which it is understood."""

    language: str
    text: str
    intent: str
    slots: Mapping[str, Any] = field(default_factory=dict)
    room: str = ""


def _en(text: str, intent: str, room: str = "", **slots: Any) -> Said:
    return Said("en", text, intent, slots, room)


def _de(text: str, intent: str, room: str = "", **slots: Any) -> Said:
    return Said("de", text, intent, slots, room)


def _fr(text: str, intent: str, room: str = "", **slots: Any) -> Said:
    return Said("fr", text, intent, slots, room)


def _es(text: str, intent: str, room: str = "", **slots: Any) -> Said:
    return Said("es", text, intent, slots, room)


def _zh(text: str, intent: str, room: str = "", **slots: Any) -> Said:
    return Said("zh-CN", text, intent, slots, room)


ON, OFF, ADJUST, STATE = "HassTurnOn", "HassTurnOff", "UnitdAdjust", "HassGetState"
LIGHT, POSITION, DEGREES, VOLUME = "HassLightSet", "HassSetPosition", "HassClimateSetTemperature", "HassSetVolume"
DARKER = {"quantity": "brightness", "direction": "down"}
BRIGHTER = {"quantity": "brightness", "direction": "up"}
LOUDER = {"quantity": "volume", "direction": "up"}
WARMER = {"quantity": "temperature", "direction": "up"}
SOUND = ["speaker", "receiver", ""]
EVERYTHING = ["light", "switch", "fan", "media_player", "climate"]
OPENINGS = ["door", "window", "garage", "gate"]
SEEN = ["motion", "occupancy", "presence"]

SAID = (
    # sets
    _en("kill every light", OFF, domain="light", scope="all"),
    _en("would you mind turning all the lamps off", OFF, domain="light", scope="all"),
    _en("every fan upstairs off please", OFF, domain="fan", floor="upstairs"),
    _en("power down everything in the garage", OFF, scope="all", area="garage"),
    _en("switch off everything in here", OFF, room="office", area="office"),
    _en("everything off except the tv", OFF, scope="all", except_device_class="tv"),
    _en("turn off everything but the lights", OFF, scope="all", except_domain="light"),
    _en("all lamps on except the floor lamp", ON, domain="light", scope="all", except_name="floor lamp"),
    _en("kill all lights except in the gym", OFF, domain="light", scope="all", except_area="gym"),
    _en("all the lights off but leave the night light on", OFF, domain="light", scope="all", except_name="night light"),
    _en("shut all the tvs off", OFF, domain="media_player", device_class="tv", scope="all"),
    _en("speakers off in the gym", OFF, domain="media_player", device_class=SOUND, area="gym"),
    _en("bolt all the doors", ON, domain="lock", scope="all"),
    _en("lock up", ON, domain="lock", scope="all"),
    _en("unlock every door", OFF, domain="lock", scope="all"),
    _en("pull down all the blinds", OFF, domain="cover", device_class="blind", scope="all"),
    _en("roll up the shutters in the kids room", ON, domain="cover", device_class="shutter", area="kids room"),
    _en("dining room and office lights off", OFF, domain="light", area="dining room", area2="office"),
    # one device, or some
    _en("would you mind switching the desk lamp off", OFF, name="desk lamp"),
    _en("wake up the printer", ON, name="printer"),
    _en("put the kettle on please", ON, name="kettle"),
    _en("stop the washing machine", OFF, name="washing machine"),
    _en("porch light and driveway light on", ON, name="porch light", name2="driveway light"),
    _en("shut the printer and the computer off", OFF, name="printer", name2="computer"),
    _en("put the office blinds down", OFF, name="office blinds"),
    _en("close the garage", OFF, domain="cover", device_class="garage"),
    _en("let's have a party", ON, name="party"),
    _en("give me some light", ON, room="gym", domain="light", area="gym"),
    # values
    _en("take the desk lamp down to a third", LIGHT, name="desk lamp", brightness=33),
    _en("put the chandelier at half", LIGHT, name="chandelier", brightness=50),
    _en("porch lights at full brightness", LIGHT, domain="light", area="porch", brightness=100),
    _en("make all the lights purple", LIGHT, domain="light", scope="all", color="purple"),
    _en("i'd like blue light now", LIGHT, room="gym", domain="light", area="gym", color="blue"),
    _en("open the kids room shutters a quarter", POSITION, name="kids room shutters", position=25),
    _en("half close the kitchen blinds", POSITION, name="kitchen blinds", position=50),
    _en("nineteen and a half degrees", DEGREES, room="office", domain="climate", area="office", temperature=19.5),
    _en("heat the bathroom to 24 degrees", DEGREES, domain="climate", area="bathroom", temperature=24),
    _en("gym speaker at three quarters volume", VOLUME, name="gym speaker", volume_level=75),
    # more and less
    _en("a bit brighter", ADJUST, **BRIGHTER, domain="light"),
    _en("way too bright in here", ADJUST, **DARKER, domain="light"),
    _en("dim the porch lights by 15 percent", ADJUST, **DARKER, domain="light", area="porch", step=15),
    _en("turn the chandelier down a little", ADJUST, **DARKER, name="chandelier"),
    _en("crank it up", ADJUST, **LOUDER, domain="media_player"),
    _en("make the bedroom tv louder", ADJUST, **LOUDER, name="bedroom tv"),
    _en("make it 2 degrees warmer in the office", ADJUST, **WARMER, domain="climate", area="office", step=2),
    _en("turn up the office heater", ADJUST, **WARMER, name="office heater"),
    _en("open the office blinds a bit more", ADJUST, quantity="position", direction="up", name="office blinds"),
    _en("speed up the gym fan", ADJUST, quantity="speed", direction="up", domain="fan", area="gym"),
    # questions
    _en("are the doors locked?", STATE, domain="lock", state="locked"),
    _en("have i locked the cellar door", STATE, name="cellar door", state="locked"),
    _en("did we leave any lights on upstairs", STATE, domain="light", state="on", floor="upstairs"),
    _en("what's still on in the office", STATE, domain=EVERYTHING, state="on", area="office"),
    _en("is anything open", STATE, domain="cover", device_class=OPENINGS, state="open"),
    _en("what's the brightness of the chandelier", STATE, name="chandelier"),
    _en("is there anyone in the hallway", STATE, domain="sensor", device_class=SEEN, state="on", area="hallway"),
    _en("how cold is it outside", "HassClimateGetTemperature", floor="outside"),
    # music, and an end
    _en("play some jazz", "HassMediaSearchAndPlay", room="gym", area="gym", search_query="jazz"),
    _en("put on the eagles on the gym speaker", "HassMediaSearchAndPlay", name="gym speaker", search_query="eagles"),
    _en("stop the music", "HassMediaPause", room="gym", area="gym"),
    _en("forget it", "UnitdStop"),
    # German
    _de("mach überall das Licht aus", OFF, domain="light", scope="all"),
    _de("mach alles im Büro aus", OFF, scope="all", area="Büro"),
    _de("alles ausschalten außer dem Fernseher", OFF, scope="all", except_device_class="tv"),
    _de("alle Lampen außer der Stehlampe ausmachen", OFF, domain="light", scope="all", except_name="Stehlampe"),
    _de("sperr alle Türen ab", ON, domain="lock", scope="all"),
    _de("fahr alle Rollläden runter", OFF, domain="cover", device_class="shutter", scope="all"),
    _de("könntest du bitte die Stehlampe ausmachen", OFF, name="Stehlampe"),
    _de("schalte den Drucker und die Stehlampe ab", OFF, name="Drucker", name2="Stehlampe"),
    _de("Küchenlampen an", ON, domain="light", area="Küche"),
    _de("dimm die Stehlampe auf die Hälfte", LIGHT, name="Stehlampe", brightness=50),
    _de("mach die Stehlampe grün", LIGHT, name="Stehlampe", color="green"),
    _de("im Schlafzimmer 19 Grad", DEGREES, domain="climate", area="Schlafzimmer", temperature=19),
    _de("die Küchenjalousie halb zu", POSITION, name="Küchenjalousie", position=50),
    _de("etwas heller bitte", ADJUST, **BRIGHTER, domain="light"),
    _de("es ist zu dunkel im Büro", ADJUST, **BRIGHTER, domain="light", area="Büro"),
    _de("dreh das Küchenradio lauter", ADJUST, **LOUDER, name="Küchenradio"),
    _de("dreh die Heizung im Bad auf", ADJUST, **WARMER, domain="climate", area="Bad"),
    _de("brennt noch Licht im Keller", STATE, domain="light", state="on", area="Keller"),
    _de("sind alle Türen abgeschlossen", STATE, domain="lock", state="locked"),
    _de("ist noch ein Fenster offen", STATE, domain="cover", device_class="window", state="open"),
    _de("vergiss es", "UnitdStop"),
    # French
    _fr("éteins tout dans le bureau", OFF, scope="all", area="bureau"),
    _fr("éteins tout sauf la télé", OFF, scope="all", except_device_class="tv"),
    _fr("allume toutes les lampes sauf le lampadaire", ON, domain="light", scope="all", except_name="lampadaire"),
    _fr("verrouille toutes les portes", ON, domain="lock", scope="all"),
    _fr("descends tous les volets", OFF, domain="cover", device_class="shutter", scope="all"),
    _fr("peux-tu éteindre l'imprimante", OFF, name="imprimante"),
    _fr("coupe le lampadaire et l'imprimante", OFF, name="lampadaire", name2="imprimante"),
    _fr("baisse le lampadaire à la moitié", LIGHT, name="lampadaire", brightness=50),
    _fr("mets toutes les lumières en rouge", LIGHT, domain="light", scope="all", color="red"),
    _fr("chauffe la salle de bain à 23 degrés", DEGREES, domain="climate", area="salle de bain", temperature=23),
    _fr("ferme le volet du salon à moitié", POSITION, name="volet du salon", position=50),
    _fr("un peu plus de lumière dans le bureau", ADJUST, **BRIGHTER, domain="light", area="bureau"),
    _fr("il fait trop froid ici", ADJUST, **WARMER, domain="climate"),
    _fr("mets la télé plus fort", ADJUST, **LOUDER, name="télévision"),
    _fr("est-ce que j'ai bien verrouillé la porte arrière", STATE, name="porte arrière", state="locked"),
    _fr("quelles lumières sont encore allumées", STATE, domain="light", state="on"),
    _fr("laisse tomber", "UnitdStop"),
    # Spanish
    _es("apaga todo en la oficina", OFF, scope="all", area="oficina"),
    _es("apaga todo menos la tele", OFF, scope="all", except_device_class="tv"),
    _es(
        "prende todas las lámparas salvo la lámpara de pie",
        ON,
        domain="light",
        scope="all",
        except_name="lámpara de pie",
    ),
    _es("cierra todas las puertas con llave", ON, domain="lock", scope="all"),
    _es("baja todas las persianas", OFF, domain="cover", device_class="blind", scope="all"),
    _es("quiero que apagues la impresora", OFF, name="impresora"),
    _es("apaga la impresora y la cafetera", OFF, name="impresora", name2="cafetera"),
    _es("pon la lámpara de pie a la mitad", LIGHT, name="lámpara de pie", brightness=50),
    _es("pon todas las luces en verde", LIGHT, domain="light", scope="all", color="green"),
    _es("calienta el baño a 23 grados", DEGREES, domain="climate", area="baño", temperature=23),
    _es(
        "baja las persianas del salón un poco",
        ADJUST,
        quantity="position",
        direction="down",
        name="persianas del salón",
    ),
    _es("un poco más de luz en la oficina", ADJUST, **BRIGHTER, domain="light", area="oficina"),
    _es("hace demasiado frío", ADJUST, **WARMER, domain="climate"),
    _es("sube la tele", ADJUST, **LOUDER, name="televisión"),
    _es("he cerrado la puerta trasera con llave", STATE, name="puerta trasera", state="locked"),
    _es("qué luces siguen encendidas", STATE, domain="light", state="on"),
    _es("olvídalo", "UnitdStop"),
    # Chinese
    _zh("把全屋的灯都关了", OFF, domain="light", scope="all"),
    _zh("书房的东西全部关掉", OFF, scope="all", area="书房"),
    _zh("除了电视其他东西都关掉", OFF, scope="all", except_device_class="tv"),
    _zh("除了落地灯以外所有灯都打开", ON, domain="light", scope="all", except_name="落地灯"),
    _zh("把所有的门锁好", ON, domain="lock", scope="all"),
    _zh("拉上所有窗帘", OFF, domain="cover", device_class="curtain", scope="all"),
    _zh("能不能帮我把打印机关掉", OFF, name="打印机"),
    _zh("关掉打印机和落地灯", OFF, name="打印机", name2="落地灯"),
    _zh("落地灯调到一半", LIGHT, name="落地灯", brightness=50),
    _zh("把所有灯变成红色", LIGHT, domain="light", scope="all", color="red"),
    _zh("浴室暖气调到23度", DEGREES, name="浴室暖气", temperature=23),
    _zh("客厅窗帘开一半", POSITION, name="客厅窗帘", position=50),
    _zh("书房再亮一点", ADJUST, **BRIGHTER, domain="light", area="书房"),
    _zh("太冷了", ADJUST, **WARMER, domain="climate"),
    _zh("把电视声音调大一点", ADJUST, **LOUDER, name="电视"),
    _zh("后门锁了没", STATE, name="后门", state="locked"),
    _zh("哪些灯还开着", STATE, domain="light", state="on"),
    _zh("算了", "UnitdStop"),
)

TALK = (
    ("en", "the lights in paris are beautiful"),
    ("en", "i turned off the lamp yesterday"),
    ("en", "don't turn on the light"),
    ("en", "do not lock the doors"),
    ("en", "i would never turn that lamp on"),
    ("en", "why is the floor lamp on"),
    ("en", "who turned off the table lamp"),
    ("en", "the floor lamp is broken"),
    ("en", "if the table lamp is on turn it off"),
    ("en", "how bright is the sun"),
    ("en", "how hot is the sun"),
    ("en", "what is the volume of a cube"),
    ("en", "this coffee is too strong"),
    ("en", "it is too late"),
    ("en", "it is warm today"),
    ("en", "close your eyes"),
    ("en", "raise your hand"),
    ("en", "turn the page"),
    ("en", "give me a break"),
    ("en", "let's play chess"),
    ("en", "play hide and seek with me"),
    ("en", "is everything alright"),
    ("en", "all good"),
    ("en", "the party was great"),
    ("en", "i want a new heater"),
    ("en", "lock and load"),
    ("de", "ich habe gestern die Stehlampe ausgeschaltet"),
    ("de", "schalte die Stehlampe nicht ein"),
    ("de", "warum ist die Stehlampe an"),
    ("de", "mach die Augen zu"),
    ("de", "es ist zu spät"),
    ("de", "wie hell ist der Mond"),
    ("de", "spiel mit mir"),
    ("de", "die Heizung ist kaputt"),
    ("fr", "j'ai éteint le lampadaire hier"),
    ("fr", "n'allume pas le lampadaire"),
    ("fr", "ferme les yeux"),
    ("fr", "mets la table"),
    ("fr", "joue avec moi"),
    ("fr", "l'état du salon"),
    ("fr", "c'est trop cher"),
    ("es", "ayer apagué la lámpara de pie"),
    ("es", "no enciendas la cafetera"),
    ("es", "cierra los ojos"),
    ("es", "pon la mesa"),
    ("es", "juega conmigo"),
    ("es", "es demasiado tarde"),
    ("zh-CN", "我昨天把落地灯关了"),
    ("zh-CN", "不要打开落地灯"),
    ("zh-CN", "别关电视"),
    ("zh-CN", "开门见山"),
    ("zh-CN", "太贵了"),
    ("zh-CN", "陪我玩"),
)
