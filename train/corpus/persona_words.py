"""Places and people for long system prompts: what is said there, and how customers ask for it."""

from __future__ import annotations

from dataclasses import dataclass

PLACES = (
    "shop", "bakery", "book shop", "bike shop", "flower shop", "pet shop", "hotel", "guest house", "museum",
    "restaurant",
    "cafe", "library", "gym", "campsite", "swimming pool", "cinema", "theater", "zoo", "school", "hair salon",
    "pharmacy",
    "car park", "ski school", "language school", "music school", "garden center", "toy shop", "shoe shop", "tailor's",
    "repair shop", "farm shop", "wine cellar", "art gallery", "botanical garden", "youth hostel", "boat rental",
    "escape room",
)  # fmt: skip
ROLES = (
    "cook", "manager", "owner", "guide", "cleaner", "gardener", "trainer", "cashier", "janitor", "head of the kitchen",
    "porter", "apprentice", "director", "waiter", "lifeguard", "librarian", "mechanic", "security guard", "secretary",
    "baker", "night watchman", "receptionist", "accountant", "coach", "florist",
)  # fmt: skip
ITEMS = (
    "a coffee", "a tea", "a cheese sandwich", "a slice of cake", "a bread roll", "a ticket", "a child's ticket",
    "a family ticket", "a guided tour", "a single room", "a double room", "a haircut", "a repair", "a postcard",
    "a map",
    "a day pass", "a bottle of water", "a bouquet of roses", "a jar of honey", "a kilo of apples",
    "a loaf of rye bread",
    "a bike rental", "a locker", "a towel", "a parking space", "a book bag", "a massage", "a lesson", "a bowl of soup",
    "a pizza", "an ice cream", "a lemonade", "a calendar", "a poster", "a wooden toy", "a hot chocolate",
    "a boat for an hour",
    "a month at the gym", "a swimming cap", "a bag of popcorn", "a glass of wine", "a breakfast", "a dinner for two",
)  # fmt: skip
SPOTS = (
    "the toilets", "the exit", "the lift", "the cash desk", "the café", "the cloakroom", "the lockers", "the garden",
    "the first aid kit", "the lost property", "the play corner", "the dinosaurs", "the paintings", "the coins",
    "the mummies",
    "the cook books", "the travel books", "the maps", "the changing rooms", "the sauna", "the breakfast room",
    "the bar",
    "the reading room", "the children's section", "the model railway", "the clocks", "the swords", "the stage",
    "the office",
)  # fmt: skip
WHERE = (
    "on the first floor", "on the second floor", "on the ground floor", "in the basement", "next to the entrance",
    "behind the stairs", "in room three", "in room seven", "at the end of the corridor", "to the left of the door",
    "in the courtyard", "on the third floor", "beside the lift", "in the west wing", "in the east wing", "on the roof",
    "opposite the cash desk", "in hall two", "through the glass door", "down the stairs on the right",
)  # fmt: skip
HOURS = (
    "six in the morning", "seven in the morning", "half past seven", "eight in the morning", "8:30",
    "nine in the morning",
    "9:30", "ten in the morning", "10:30", "eleven in the morning", "noon", "7 am", "8 am", "9 am", "10 am",
)  # fmt: skip
EVENINGS = (
    "four in the afternoon", "five in the afternoon", "six in the evening", "half past six", "18:30",
    "seven in the evening",
    "eight in the evening", "9 pm", "10 pm", "ten at night", "midnight", "5 pm", "6 pm", "7:30 pm", "20:15",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DISHES = (
    "pumpkin soup", "lentil stew", "fish cakes", "mushroom risotto", "roast beef", "vegetable lasagna", "potato salad",
    "chicken curry", "apple strudel", "onion tart", "bean chili", "spinach dumplings", "tomato soup", "cheese noodles",
)  # fmt: skip
EVENTS = (
    "the summer party", "the night of music", "the book sale", "the children's day", "the wine tasting", "the big quiz",
    "the open day", "the concert", "the craft market", "the reading", "the film night", "the dance course",
    "the flea market",
)  # fmt: skip
DATES = (
    "the third of May", "the twelfth of June", "the first Sunday in July", "the twentieth of October",
    "the last Friday of March",
    "the ninth of November", "the sixth of December", "the second of April", "the thirtieth of August",
    "the tenth of January",
)  # fmt: skip
RULES = (
    ("dogs", "Dogs are not allowed.", "Dogs are allowed on a lead."),
    ("smoking", "Smoking is not allowed.", "Smoking is allowed in the courtyard."),
    ("photos", "Photos are not allowed.", "Photos are allowed without flash."),
    ("food", "Own food is not allowed.", "Own food is allowed."),
    ("paying by card", "Paying by card is not possible.", "Paying by card is possible."),
    ("children under six", "Children under six are not allowed in.", "Children under six get in free."),
    ("bikes", "Bikes must stay outside.", "Bikes may be taken inside."),
    ("wheelchairs", "Wheelchairs cannot get in.", "Wheelchairs can get in everywhere."),
    ("late arrivals", "Late arrivals are not let in.", "Late arrivals are let in quietly."),
    ("vouchers", "Vouchers are not accepted.", "Vouchers are accepted."),
)  # fmt: skip
"""A subject, and the rule that forbids it, and the one that allows it; the answer is the rule."""


@dataclass(frozen=True)
class FactKind:
    """A kind of fact: how a system prompt states it, and how it is answered."""

    stated: tuple[str, ...]
    answers: tuple[str, ...]


FACTS = {
    "opens": FactKind(
        ("The {place} opens at {it}.", "We open at {it}.", "Opening time is {it}.", "It opens every day at {it}."),
        ("We open at {it}.", "The {place} opens at {it}."),
    ),
    "closes": FactKind(
        ("The {place} closes at {it}.", "We close at {it}.", "Closing time is {it}.", "It closes at {it}."),
        ("We close at {it}.", "The {place} closes at {it}."),
    ),
    "day off": FactKind(
        ("The {place} is closed on {it}.", "We are closed on {it}.", "On {it} it is closed."),
        ("We are closed on {it}.", "The {place} is closed on {it}."),
    ),
    "address": FactKind(
        ("The address is {it}.", "You find us at {it}.", "The {place} is at {it}."),
        ("You find us at {it}.", "The address is {it}."),
    ),
    "phone": FactKind(
        ("The phone number is {it}.", "Our telephone number is {it}.", "Guests can call {it}."),
        ("Our phone number is {it}.", "You can call {it}."),
    ),
    "wifi": FactKind(
        (
            "The wifi password is {it}.",
            "Guests use the wifi with the password {it}.",
            "The password of the wifi is {it}.",
        ),
        ("The wifi password is {it}.",),
    ),
    "founded": FactKind(
        ("The {place} was founded in {it}.", "It has existed since {it}.", "The {place} opened in the year {it}."),
        ("Since {it}.", "The {place} was founded in {it}."),
    ),
    "special": FactKind(
        ("Today's special is {it}.", "The dish of the day is {it}.", "Today the kitchen recommends {it}."),
        ("Today we recommend {it}.", "Today's special is {it}."),
    ),
    "price": FactKind(
        ("{what} costs {it}.", "The price of {what} is {it}.", "For {what} we take {it}.", "{what}: {it}."),
        ("{what} costs {it}.", "That's {it}."),
    ),
    "spot": FactKind(
        ("Visitors find {what} {it}.", "You find {what} {it}.", "{what}: {it}."),
        ("You find {what} {it}.", "{what}: {it}."),
    ),
    "staff": FactKind(
        ("The {what} is called {it}.", "The name of the {what} is {it}.", "{it} is the {what}."),
        ("The {what} is called {it}.", "That's {it}."),
    ),
    "event": FactKind(
        ("{what} is on {it}.", "{what} takes place on {it}.", "On {it} there is {what}."), ("{what} is on {it}.",)
    ),
    "rule": FactKind(("{it}",), ("{it}",)),
}
MANNERS = (
    "Be friendly and brief.", "Answer in short sentences.", "Always stay polite.",
    "You help visitors with their questions.",
    "Never invent anything.", "If you don't know something, say so.", "Keep your answers short.",
    "Speak in simple words.",
    "You work at the front desk.", "People ask you many different things.", "Do not talk about other places.",
    "You are patient with children and old people.", "Guests come from all over the world.",
    "Answer only what you are asked.",
    "Do not give medical advice.", "Everybody is welcome here.", "Use the information below.",
    "You are proud of the place.",
)  # fmt: skip
OPENINGS = (
    "You are {name}, the assistant of the {place} \"{title}\".",
    "You are the voice of the {place} \"{title}\". Your name is {name}.",
    "Your name is {name}. You work for the {place} \"{title}\".",
    "You are {name}. You answer the questions of visitors of the {place} \"{title}\".",
)  # fmt: skip
TITLES = (
    "Golden {}", "{} Corner", "The Old {}", "{} and Sons", "Little {}", "Blue {}", "{} House", "The {} Garden",
    "Villa {}", "Green {}",
    "{} Hall", "Chez {}", "Casa {}", "The {} Inn", "{} Point", "Sunny {}",
)  # fmt: skip
NOT_TOLD = (
    "I don't know that, sorry.", "That I don't know. Please ask the staff.", "I'm sorry, I don't know that.",
    "I have no information about that, I don't know.", "I don't know. That's not among the things I was told.",
)  # fmt: skip
BEFORE = (
    "Ahoy!",
    "Meow!",
    "Well, well.",
    "My dear guest,",
    "Servus!",
    "Beep boop.",
    "Good question.",
    "At your service.",
    "Yo!",
    "Hark!",
)
AFTER = (
    "Over and out.",
    "Have a sunny day!",
    "Meow.",
    "At your service!",
    "Always at your side.",
    "Cheers!",
    "So it is.",
    "Thank you for asking.",
)
RULE_BEFORE = (
    "Begin every answer with \"{}\".", "Every answer of yours starts with \"{}\".", "Always begin with \"{}\".",
    "Start each reply with the words \"{}\".",
)  # fmt: skip
RULE_AFTER = (
    "End every answer with \"{}\".", "Every answer of yours ends with \"{}\".", "Always close with \"{}\".",
    "Finish each reply with the words \"{}\".",
)  # fmt: skip
CHARACTERS = (
    "a grumpy old pirate", "a cheerful robot", "a wise owl", "a clumsy wizard", "a friendly ghost", "a proud knight",
    "a shy dragon",
    "a lighthouse keeper", "a space captain", "a talking teapot", "an English butler", "a garden gnome",
    "a detective", "a sleepy cat",
    "a village baker", "a train conductor", "a poet", "a fairy", "an explorer", "a circus clown", "a mountain guide",
    "a retired sailor",
)  # fmt: skip
TRAITS = {
    "home": FactKind(("You live {it}.", "Your home is {it}."), ("I live {it}.",)),
    "pet": FactKind(("You have a {what} called {it}.", "Your {what} is called {it}."), ("My {what} is called {it}.",)),
    "food": FactKind(("You love {it}.", "Your favorite food is {it}."), ("I love {it}.",)),
    "fear": FactKind(("You are afraid of {it}.", "You fear nothing but {it}."), ("I'm afraid of {it}.",)),
    "age": FactKind(("You are {it} years old.", "Your age is {it} years."), ("I'm {it} years old.",)),
    "friend": FactKind(("Your best friend is {it}.", "{it} is your best friend."), ("My best friend is {it}.",)),
    "color": FactKind(("Your favorite color is {it}.", "You only wear {it}."), ("{it}, of course.",)),
    "dream": FactKind(("You dream of {it}.", "Your great wish is {it}."), ("I dream of {it}.",)),
}
HOMES = (
    "in a mill",
    "on an island",
    "in a tower",
    "under a bridge",
    "by the sea",
    "in an old castle",
    "on the moon",
    "in a tree house",
    "in the harbor",
    "in a cave",
)
DREAMS = (
    "a new ship",
    "a quiet holiday",
    "a golden crown",
    "a garden of roses",
    "flying to the stars",
    "a warm scarf",
    "a big library",
    "a boat of my own",
)
