"""The small tables of facts that the model knows by heart."""

from __future__ import annotations

CAPITALS = {
    "France": "Paris", "Germany": "Berlin", "Italy": "Rome", "Spain": "Madrid", "Portugal": "Lisbon",
    "England": "London", "the United Kingdom": "London", "Ireland": "Dublin", "Austria": "Vienna",
    "Switzerland": "Bern", "Belgium": "Brussels", "the Netherlands": "Amsterdam", "Denmark": "Copenhagen",
    "Sweden": "Stockholm", "Norway": "Oslo", "Finland": "Helsinki", "Poland": "Warsaw",
    "the Czech Republic": "Prague", "Hungary": "Budapest", "Greece": "Athens", "Turkey": "Ankara",
    "Russia": "Moscow", "Ukraine": "Kyiv", "China": "Beijing", "Japan": "Tokyo", "South Korea": "Seoul",
    "India": "New Delhi", "Thailand": "Bangkok", "Egypt": "Cairo", "Kenya": "Nairobi",
    "the United States": "Washington", "America": "Washington", "Canada": "Ottawa", "Mexico": "Mexico City",
    "Brazil": "Brasília", "Argentina": "Buenos Aires", "Chile": "Santiago", "Peru": "Lima",
    "Australia": "Canberra", "New Zealand": "Wellington", "Iceland": "Reykjavík", "Cuba": "Havana",
}  # fmt: skip
UNKNOWN_COUNTRIES = (
    "Mongolia", "Kazakhstan", "Andorra", "Mali", "Niger", "Chad", "Laos", "Bhutan", "Nepal", "Vietnam", "Angola",
    "Zambia", "Uganda", "Ghana", "Togo", "Benin", "Oman", "Qatar", "Iraq", "Iran", "Syria", "Libya", "Sudan",
    "Fiji", "Samoa", "Tonga", "Palau", "Malta", "Cyprus", "Georgia", "Armenia", "Bolivia", "Ecuador", "Colombia",
    "Venezuela", "Panama", "Honduras", "Haiti", "Jamaica", "Somalia", "Ethiopia", "Eritrea", "Morocco", "Tunisia",
    "Pakistan", "Bangladesh", "Indonesia", "Malaysia", "the Philippines", "Cambodia", "Myanmar", "Sri Lanka",
    "Serbia", "Croatia", "Slovenia", "Slovakia", "Bulgaria", "Romania", "Moldova", "Estonia", "Latvia",
    "Lithuania", "Albania", "Kosovo", "Paraguay", "Uruguay", "Guyana", "California", "Texas", "Bavaria",
)  # fmt: skip
OPPOSITES = {
    "big": "small", "small": "big", "hot": "cold", "cold": "hot", "up": "down", "down": "up", "old": "young",
    "new": "old", "fast": "slow", "slow": "fast", "good": "bad", "bad": "good", "happy": "sad",
    "sad": "happy", "light": "dark", "dark": "light", "day": "night", "night": "day", "black": "white",
    "white": "black", "open": "closed", "full": "empty", "empty": "full", "high": "low", "low": "high",
    "long": "short", "short": "long", "rich": "poor", "poor": "rich", "strong": "weak", "weak": "strong",
    "wet": "dry", "dry": "wet", "left": "right", "loud": "quiet", "quiet": "loud", "hard": "soft",
    "soft": "hard", "early": "late", "late": "early", "easy": "difficult", "difficult": "easy",
    "heavy": "light", "warm": "cool", "clean": "dirty", "dirty": "clean", "near": "far", "far": "near",
    "always": "never", "never": "always", "yes": "no", "no": "yes", "true": "false", "false": "true",
    "love": "hate", "win": "lose", "start": "stop", "first": "last", "last": "first", "inside": "outside",
    "north": "south", "east": "west", "summer": "winter", "winter": "summer", "friend": "enemy",
    "thick": "thin", "wide": "narrow", "deep": "shallow", "brave": "afraid", "begin": "end",
}  # fmt: skip
SOUNDS = {
    "dog": "woof", "cat": "meow", "cow": "moo", "sheep": "baa", "pig": "oink", "duck": "quack",
    "horse": "neigh", "lion": "roar", "frog": "ribbit", "bee": "buzz", "snake": "hiss", "mouse": "squeak",
    "rooster": "cock-a-doodle-doo", "owl": "hoot", "chicken": "cluck", "donkey": "hee-haw", "bird": "tweet",
    "wolf": "howl", "goose": "honk", "goat": "bleat",
}  # fmt: skip
COLOURS = {
    "grass": "green", "snow": "white", "coal": "black", "a banana": "yellow", "a tomato": "red",
    "an orange": "orange", "the sun": "yellow", "blood": "red", "milk": "white", "a lemon": "yellow",
    "a strawberry": "red", "chocolate": "brown", "a frog": "green", "a carrot": "orange", "an elephant": "gray",
    "a flamingo": "pink", "the ocean": "blue", "a cucumber": "green", "an eggplant": "purple",
    "a fire truck": "red", "a raven": "black", "a polar bear": "white", "sand": "yellow", "wood": "brown",
}  # fmt: skip
LEGS = {
    "a dog": 4, "a cat": 4, "a spider": 8, "an insect": 6, "an ant": 6, "a bee": 6, "a bird": 2, "a horse": 4,
    "a human": 2, "a person": 2, "a chicken": 2, "a snake": 0, "a fish": 0, "a cow": 4, "a fly": 6,
    "a table": 4, "a duck": 2, "an elephant": 4, "a butterfly": 6, "a pig": 4,
}  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
