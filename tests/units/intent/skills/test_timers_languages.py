"""Covers units.intent.skills.timers, timer_words: timers, alarms and reminders in four languages beside English."""

from typing import Any

import pytest

from tests.support.units.timer_board import Speaker

Expected = list[tuple[Any, ...]]

SAID: tuple[tuple[str, str, Expected, str], ...] = (
    ("de", "stell einen Timer auf fünf Minuten", [("timer_start", 300.0)], "Der Timer läuft 5 Minuten."),
    (
        "de",
        "kannst du mir einen Timer auf eineinhalb Stunden stellen",
        [("timer_start", 5400.0)],
        "Der Timer läuft 1 Stunde und 30 Minuten.",
    ),
    (
        "de",
        "Stelle bitte einen Pizzatimer auf zwölf Minuten",
        [("timer_start", 720.0, "Pizza")],
        "Der Timer „Pizza“ läuft 12 Minuten.",
    ),
    ("de", "Timer für die Nudeln 8 Minuten", [("timer_start", 480.0, "Nudeln")], "Der Timer „Nudeln“ läuft 8 Minuten."),
    ("de", "ich muss einen Timer für drei Minuten stellen", [("timer_start", 180.0)], "Der Timer läuft 3 Minuten."),
    (
        "de",
        "stell einen täglichen Wecker auf 7 Uhr",
        [("alarm_set", "07:00", [0, 1, 2, 3, 4, 5, 6], "")],
        "Der Wecker klingelt jeden Tag um 7 Uhr.",
    ),
    ("de", "ich muss um 6 Uhr raus", [("alarm_set", "06:00", [], "")], "Ich wecke dich morgen um 6 Uhr."),
    ("fr", "règle le réveil sur 6h45", [("alarm_set", "06:45", [], "")], "L'alarme est réglée sur 6 h 45, demain."),
    ("fr", "il me faut un minuteur de 10 minutes", [("timer_start", 600.0)], "Le minuteur est réglé sur 10 minutes."),
    ("es", "pon la alarma para 11 PM", [("alarm_set", "23:00", [], "")], "La alarma sonará hoy a las 23:00."),
    (
        "es",
        "pon una alarma para el mediodía de mañana",
        [("alarm_set", "12:00", [], "2026-11-23")],
        "La alarma sonará mañana a las 12:00.",
    ),
    (
        "es",
        "establecer una alarma para las 6:40",
        [("alarm_set", "06:40", [], "")],
        "La alarma sonará mañana a las 6:40.",
    ),
    (
        "es",
        "programa una alarma para las 7 pm del viernes",
        [("alarm_set", "19:00", [], "2026-11-27")],
        "La alarma sonará el viernes a las 19:00.",
    ),
    (
        "es",
        "pon alarmas para las 6 am y las 6:20 am",
        [("alarm_set", "06:00", [], ""), ("alarm_set", "06:20", [], "")],
        "La alarma sonará mañana a las 6:00. La alarma sonará mañana a las 6:20.",
    ),
    ("es", "recuérdame regar las plantas", [], "¿Cuándo te lo recuerdo?"),
    (
        "de",
        "erinnere mich daran, den Müll um 18 Uhr rauszubringen",
        [("alarm_set", "18:00", [], "", "Müll rauszubringen", True)],
        "Ich erinnere dich heute um 18 Uhr: Müll rauszubringen.",
    ),
    ("de", "erinnere mich, die Blumen zu gießen", [], "Wann soll ich dich erinnern?"),
    ("de", "benachrichtige uns in zwölf Minuten", [("timer_start", 720.0)], "Der Timer läuft 12 Minuten."),
    (
        "de",
        "einen Wecker für 3 Uhr nachmittags",
        [("alarm_set", "15:00", [], "")],
        "Der Wecker klingelt heute um 15 Uhr.",
    ),
    ("zh-CN", "显示我的所有的闹钟", [("timer_list",)], "没有闹钟。"),
    ("zh-CN", "明早七点的闹钟", [("alarm_set", "07:00", [], "2026-11-23")], "闹钟已设在明天7点。"),
    ("zh-CN", "闹钟定在晚上十点", [("alarm_set", "22:00", [], "")], "闹钟已设在今天22点。"),
    ("zh-CN", "把闹钟设为七点", [("alarm_set", "07:00", [], "")], "闹钟已设在明天7点。"),
    (
        "de",
        "weck mich werktags um halb sieben",
        [("alarm_set", "06:30", [0, 1, 2, 3, 4], "")],
        "Ich wecke dich werktags um 6:30 Uhr.",
    ),
    (
        "de",
        "kannst du mich morgen um 7 Uhr wecken",
        [("alarm_set", "07:00", [], "2026-11-23")],
        "Ich wecke dich morgen um 7 Uhr.",
    ),
    (
        "de",
        "erinnere mich in zehn Minuten an die Wäsche",
        [("timer_start", 600.0, "Wäsche", True)],
        "Ich erinnere dich in 10 Minuten: Wäsche.",
    ),
    (
        "de",
        "stell einen Timer auf 5 Minuten und mach die desk lamp aus",
        [("timer_start", 300.0), ("turn_off", "desk lamp")],
        "Der Timer läuft 5 Minuten. desk lamp ausgeschaltet.",
    ),
    ("fr", "mets un minuteur de cinq minutes", [("timer_start", 300.0)], "Le minuteur est réglé sur 5 minutes."),
    (
        "fr",
        "peux-tu mettre un minuteur d'une demi-heure s'il te plaît",
        [("timer_start", 1800.0)],
        "Le minuteur est réglé sur 30 minutes.",
    ),
    (
        "fr",
        "lance un minuteur de dix minutes pour les pâtes",
        [("timer_start", 600.0, "pâtes")],
        "Le minuteur pâtes est réglé sur 10 minutes.",
    ),
    (
        "fr",
        "réveille-moi demain à sept heures et demie",
        [("alarm_set", "07:30", [], "2026-11-23")],
        "Je te réveille à 7 h 30, demain.",
    ),
    (
        "fr",
        "rappelle-moi d'appeler maman dans dix minutes",
        [("timer_start", 600.0, "appeler maman", True)],
        "Je te le rappelle dans 10 minutes : appeler maman.",
    ),
    (
        "es",
        "pon un temporizador de cinco minutos",
        [("timer_start", 300.0)],
        "El temporizador está puesto para 5 minutos.",
    ),
    (
        "es",
        "puedes ponerme un temporizador de hora y media por favor",
        [("timer_start", 5400.0)],
        "El temporizador está puesto para 1 hora y 30 minutos.",
    ),
    (
        "es",
        "ponme un temporizador para la pizza de doce minutos",
        [("timer_start", 720.0, "pizza")],
        "El temporizador pizza está puesto para 12 minutos.",
    ),
    (
        "es",
        "despiértame mañana a las siete y media",
        [("alarm_set", "07:30", [], "2026-11-23")],
        "Te despertaré mañana a las 7:30.",
    ),
    (
        "es",
        "recuérdame llamar a mamá en diez minutos",
        [("timer_start", 600.0, "llamar a mamá", True)],
        "Te lo recordaré en 10 minutos: llamar a mamá.",
    ),
    ("zh-CN", "设置一个五分钟的计时器", [("timer_start", 300.0)], "计时器已设为5分钟。"),
    ("zh-CN", "请帮我设一个九十分钟的披萨计时器", [("timer_start", 5400.0, "披萨")], "披萨计时器已设为1小时30分钟。"),
    ("zh-CN", "倒计时三十秒", [("timer_start", 30.0)], "计时器已设为30秒。"),
    ("zh-CN", "明天早上六点半叫我起床", [("alarm_set", "06:30", [], "2026-11-23")], "明天6点30分叫你。"),
    (
        "zh-CN",
        "十分钟后提醒我打电话给妈妈",
        [("timer_start", 600.0, "打电话给妈妈", True)],
        "10分钟后提醒你:打电话给妈妈。",
    ),
)


@pytest.mark.parametrize(("language", "text", "calls", "answer"), SAID)
def test_timers_are_set(language: str, text: str, calls: Expected, answer: str) -> None:
    """As people say it in each language."""
    assert Speaker(language).say(text) == (calls, answer)


OF_ONE = (
    ("de", "wie lange läuft der Pizza-Timer noch", [("timer_list",)], "Noch 10 Minuten auf dem Timer „Pizza“."),
    ("de", "welche Timer laufen", [("timer_list",)], "Noch 10 Minuten auf dem Timer „Pizza“."),
    (
        "de",
        "noch fünf Minuten",
        [("timer_list",), ("timer_change", 1, 300.0)],
        "Der Timer „Pizza“ läuft jetzt noch 15 Minuten.",
    ),
    (
        "de",
        "verlängere den Timer um fünf Minuten",
        [("timer_list",), ("timer_change", 1, 300.0)],
        "Der Timer „Pizza“ läuft jetzt noch 15 Minuten.",
    ),
    ("de", "brich den Timer ab", [("timer_list",), ("timer_cancel", 1)], "Der Timer „Pizza“ ist gelöscht."),
    (
        "de",
        "halte den Timer an",
        [("timer_list",), ("timer_pause", 1)],
        "Der Timer „Pizza“ ist angehalten, es bleiben 10 Minuten.",
    ),
    (
        "fr",
        "combien de temps reste-t-il sur le minuteur pizza",
        [("timer_list",)],
        "Il reste 10 minutes sur le minuteur Pizza.",
    ),
    ("fr", "quels minuteurs sont en cours", [("timer_list",)], "Il reste 10 minutes sur le minuteur Pizza."),
    (
        "fr",
        "ajoute cinq minutes au minuteur",
        [("timer_list",), ("timer_change", 1, 300.0)],
        "Il reste maintenant 15 minutes sur le minuteur Pizza.",
    ),
    ("fr", "annule le minuteur pizza", [("timer_list",), ("timer_cancel", 1)], "C'est annulé : le minuteur Pizza."),
    (
        "fr",
        "mets le minuteur en pause",
        [("timer_list",), ("timer_pause", 1)],
        "Le minuteur Pizza est en pause, il reste 10 minutes.",
    ),
    (
        "es",
        "cuánto tiempo queda en el temporizador de la pizza",
        [("timer_list",)],
        "Quedan 10 minutos en el temporizador Pizza.",
    ),
    ("es", "qué temporizadores tengo", [("timer_list",)], "Quedan 10 minutos en el temporizador Pizza."),
    (
        "es",
        "cinco minutos más",
        [("timer_list",), ("timer_change", 1, 300.0)],
        "Ahora quedan 15 minutos en el temporizador Pizza.",
    ),
    ("es", "cancela el temporizador", [("timer_list",), ("timer_cancel", 1)], "He cancelado el temporizador Pizza."),
    ("zh-CN", "计时器还剩多久", [("timer_list",)], "Pizza计时器还剩10分钟。"),
    (
        "de",
        "füge dem Timer noch 3 Minuten hinzu",
        [("timer_list",), ("timer_change", 1, 180.0)],
        "Der Timer „Pizza“ läuft jetzt noch 13 Minuten.",
    ),
    (
        "es",
        "añada 3 minutos al temporizador",
        [("timer_list",), ("timer_change", 1, 180.0)],
        "Ahora quedan 13 minutos en el temporizador Pizza.",
    ),
    ("fr", "est-ce que j'ai un minuteur en cours", [("timer_list",)], "Il reste 10 minutes sur le minuteur Pizza."),
    ("zh-CN", "有哪些计时器", [("timer_list",)], "Pizza计时器还剩10分钟。"),
    ("zh-CN", "再加五分钟", [("timer_list",), ("timer_change", 1, 300.0)], "Pizza计时器现在还剩15分钟。"),
    ("zh-CN", "取消第一个计时器", [("timer_list",), ("timer_cancel", 1)], "Pizza计时器已取消。"),
)


@pytest.mark.parametrize(("language", "text", "calls", "answer"), OF_ONE)
def test_a_timer_is_told_changed_and_cancelled(language: str, text: str, calls: Expected, answer: str) -> None:
    """There is one."""
    somebody = Speaker(language)
    somebody.timers.add(600, name="Pizza")

    assert somebody.say(text) == (calls, answer)


@pytest.mark.parametrize(
    ("language", "stop", "snooze"),
    [
        ("de", "stopp", "schlummern"),
        ("fr", "stop", "snooze"),
        ("es", "para", "pospón la alarma"),
        ("zh-CN", "停", "再睡一会儿"),
    ],
)
def test_what_rings_is_put_off_and_stopped(language: str, stop: str, snooze: str) -> None:
    """And "stop" is all right where nothing rings."""
    somebody = Speaker(language)
    row = somebody.timers.add(0, state="ringing")

    assert somebody.say(snooze)[0] == [("timer_snooze",)]
    row["state"] = "ringing"
    assert somebody.say(stop)[0] == [("timer_stop",)]
    assert somebody.timers.rows == []
    assert somebody.answer(stop) in ("In Ordnung", "D'accord", "De acuerdo", "好的")


@pytest.mark.parametrize(
    ("language", "text", "question", "reply", "answer"),
    [
        ("de", "stell einen Timer", "Wie lange?", "zehn Minuten", "Der Timer läuft 10 Minuten."),
        ("fr", "mets un minuteur", "Pour combien de temps ?", "dix minutes", "Le minuteur est réglé sur 10 minutes."),
        ("es", "pon un temporizador", "¿Para cuánto tiempo?", "diez", "El temporizador está puesto para 10 minutos."),
        ("zh-CN", "设置计时器", "多长时间?", "十分钟", "计时器已设为10分钟。"),
    ],
)
def test_what_is_missing_is_asked(language: str, text: str, question: str, reply: str, answer: str) -> None:
    """In the language of the sentence."""
    somebody = Speaker(language)

    assert somebody.answer(text) == question
    assert somebody.answer(reply) == answer


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "was ist ein Timer"),
        ("de", "der Wecker ist kaputt"),
        ("de", "ich habe gestern einen Timer gestellt"),
        ("de", "stell keinen Timer"),
        ("de", "wecke keine schlafenden Hunde"),
        ("de", "erinnere mich was ich gesagt habe"),
        ("de", "wie lange dauert ein Fußballspiel"),
        ("de", "lösch meinen Termin"),
        ("de", "fünf Minuten"),
        ("de", "stell einen Wecker für alle 20 Minuten"),
        ("es", "pon una alarma cada 20 minutos"),
        ("fr", "mets une alarme toutes les 20 minutes"),
        ("zh-CN", "设置闹钟每20分钟响一次"),
        ("es", "pon un recordatorio 20 minutos antes de la cita"),
        ("de", "erzähl mir etwas über Wecker"),
        ("fr", "qu'est-ce qu'un minuteur"),
        ("fr", "le minuteur est cassé"),
        ("fr", "j'ai mis un minuteur hier"),
        ("fr", "annule mon rendez-vous"),
        ("fr", "cinq minutes"),
        ("fr", "combien de temps dure un match"),
        ("fr", "parle-moi des réveils"),
        ("es", "qué es un temporizador"),
        ("es", "ayer puse un temporizador"),
        ("es", "cancela mi cita"),
        ("es", "la alarma está rota"),
        ("es", "cinco minutos"),
        ("es", "el temporizador de 10 minutos ya sonó"),
        ("de", "der Timer für 10 Minuten ist abgelaufen"),
        ("fr", "le minuteur de 10 minutes a sonné"),
        ("es", "cuánto dura un partido"),
        ("zh-CN", "什么是计时器"),
        ("zh-CN", "我昨天设了一个计时器"),
        ("zh-CN", "计时器坏了"),
        ("zh-CN", "取消我的预约"),
        ("zh-CN", "五分钟"),
        ("zh-CN", "不要设闹钟"),
    ],
)
def test_other_sentences_are_for_a_model(language: str, text: str) -> None:
    """Statements and questions about other things."""
    somebody = Speaker(language)
    calls, answer = somebody.say(text)

    assert (calls, answer, somebody.timers.rows) == ([], "", [])
