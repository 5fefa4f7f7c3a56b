"""Covers units.intent.skills.weather, units.intent.skills.calendar and how they read questions."""

import pytest

from tests.support.units.skill_talk import talk

WEATHER = {
    "state": "sunny",
    "temperature": 12,
    "forecast": {"condition": "rainy", "high": 15.2, "low": 6, "probability": 70},
}
APPOINTMENTS = {"events": [{"date": "2027-03-04", "time": "10:00", "summary": "dentist"}]}
FAR = "I know the weather of this place only."
LATER = "I have no forecast for that time."


@pytest.mark.parametrize(
    ("text", "date", "answer"),
    [
        ("what's the weather", "2027-03-03", "It is sunny and 12 degrees now. Today rainy, 6 to 15 degrees."),
        ("hey could you tell me if it will rain tomorrow", "2027-03-04", "Yes, tomorrow it is going to rain, with 70"),
        ("do i need my umbrella on friday", "2027-03-05", "Yes, on Friday it is going to rain, with 70"),
        ("chance of showers tonight", "2027-03-03", "Yes, tonight it is going to rain, with 70"),
        ("how cold is it going to get tomorrow night", "2027-03-04", "Tomorrow it will be 6 to 15 degrees."),
        ("any snow expected today", "2027-03-03", "No, today it is not going to snow."),
        ("is it foggy in lisbon right now", "2027-03-03", FAR),
        ("oslo weather for tomorrow", "2027-03-04", FAR),
        ("will it be windy next week", "2027-03-03", LATER),
    ],
)
def test_the_weather_is_told(text: str, date: str, answer: str) -> None:
    """Of this place and the coming days."""
    told = talk(text, weather_get=WEATHER)

    assert told.calls == [("weather_get", {"date": date})]
    assert told.answer.startswith(answer)


@pytest.mark.parametrize(
    "text",
    [
        "how hot is lava",
        "how cold is it in the fridge",
        "what was the weather like yesterday",
        "set the temperature to 20 degrees",
        "what is 20 degrees celsius in fahrenheit",
        "it is raining today",
        "remind me to bring an umbrella tomorrow",
        "how do you say it is snowing in german",
        "play november rain",
    ],
)
def test_what_is_no_question_about_the_weather_is_left_alone(text: str) -> None:
    """Even if it speaks of rain."""
    assert all(name != "weather_get" for name, _ in talk(text, weather_get=WEATHER).calls)


@pytest.mark.parametrize(
    ("text", "date", "answer"),
    [
        ("what's on my calendar today", "2027-03-03", "You have one appointment today: dentist at 10:00."),
        ("do i have any meetings scheduled for tomorrow", "2027-03-04", "You have one appointment tomorrow: dentist"),
        ("is my haircut on the calendar for friday", "2027-03-05", "You have one appointment on Friday: dentist"),
        (
            "please read me my schedule for monday",
            "2027-03-08",
            "You have one appointment on Monday: dentist at 10:00.",
        ),
        ("when is my next appointment", "", "Your next appointment is tomorrow: dentist at 10:00."),
        ("what do i have planned for the twelfth of june", "", "I can tell you only of single days"),
    ],
)
def test_the_own_calendar_is_told(text: str, date: str, answer: str) -> None:
    """A day of the coming week, or what is next."""
    told = talk(text, calendar_get=APPOINTMENTS)

    assert told.calls == [("calendar_get", {"date": date})]
    assert told.answer.startswith(answer)


@pytest.mark.parametrize(
    "text",
    [
        "add lunch with kim to my calendar for friday",
        "cancel my meeting tomorrow",
        "clear my schedule for today",
        "schedule a meeting on monday",
        "how do i set up a meeting",
        "what is your schedule",
        "when was the calendar invented",
    ],
)
def test_what_is_to_be_changed_is_for_no_skill(text: str) -> None:
    """The board writes into no calendar."""
    assert talk(text, calendar_get=APPOINTMENTS).answer == ""


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("is it going to snow in denver this weekend", "I have no weather."),
        ("what does my agenda look like next week", "I have no calendar."),
        ("what's my next meeting", "I have no calendar."),
    ],
)
def test_without_a_home_assistant_it_says_so(text: str, answer: str) -> None:
    """And what would help."""
    assert talk(text, reasons={"weather": "not_configured", "calendar": "not_configured"}).answer.startswith(answer)
