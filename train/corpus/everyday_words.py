"""Words for the slots of everyday talk."""

from __future__ import annotations

from dataclasses import dataclass

from train.corpus.names import PEOPLE
from train.corpus.personal_words import HOBBIES


@dataclass(frozen=True)
class Pool:
    """The words of a slot; may the slot have a word that does not exist?"""

    words: tuple[str, ...]
    may_be_invented: bool = False


FOODS = (
    "pizza", "pasta", "soup", "curry", "salad", "fried rice", "fish and chips", "pancakes", "burgers", "tacos", "sushi",
    "lasagna", "roast chicken", "mashed potatoes", "meatballs", "noodles", "chili", "stew", "risotto", "dumplings",
    "omelette", "quiche", "lentils", "goulash", "paella", "falafel", "couscous", "ramen", "steak", "sausages",
    "apple pie", "waffles", "sandwiches", "porridge", "scrambled eggs", "french fries", "ratatouille", "moussaka",
    "spaghetti", "mac and cheese", "pierogi", "burritos", "gnocchi", "tofu", "baked beans", "cheesecake", "brownies",
)  # fmt: skip
DRINKS = (
    "coffee", "tea", "hot chocolate", "lemonade", "orange juice", "beer", "wine", "milk", "water", "cola", "green tea",
    "cocoa", "espresso", "ginger tea", "apple juice", "herbal tea", "cider", "ginger ale", "iced tea", "cappuccino",
)  # fmt: skip
PLACES = (
    "Rome", "Paris", "London", "Spain", "Greece", "Italy", "Norway", "Portugal", "Vienna", "Prague", "Berlin", "Dublin",
    "Scotland", "Iceland", "Croatia", "Japan", "Thailand", "Mexico", "Canada", "New York", "Chicago", "Lisbon", "Oslo",
    "Amsterdam", "Barcelona", "Bali", "Cyprus", "Malta", "Cornwall", "Bavaria", "Florida", "Texas", "Kenya", "Egypt",
    "Morocco", "India", "Sydney", "Warsaw", "Budapest", "Copenhagen", "Manchester", "Boston", "Tuscany", "Provence",
)  # fmt: skip
PETS = (
    "dog",
    "cat",
    "rabbit",
    "hamster",
    "parrot",
    "guinea pig",
    "puppy",
    "kitten",
    "turtle",
    "budgie",
    "goldfish",
    "horse",
)
PET_NAMES = (
    "Rex", "Bella", "Luna", "Max", "Coco", "Milo", "Simba", "Rocky", "Lucky", "Whiskers", "Biscuit", "Pepper", "Shadow",
    "Oreo", "Ginger", "Buddy", "Smokey", "Tiger", "Fluffy", "Muffin", "Socks", "Felix", "Bruno", "Nala", "Pippin",
    "Waffle",
)  # fmt: skip
RELATIVES = (
    "sister", "brother", "mother", "father", "mom", "dad", "mum", "grandma", "grandpa", "aunt", "uncle", "cousin",
    "son",
    "daughter", "wife", "husband", "niece", "nephew", "partner", "girlfriend", "boyfriend", "best friend",
)  # fmt: skip
SPORTS = (
    "football", "tennis", "swimming", "basketball", "running", "cycling", "yoga", "volleyball", "hockey", "golf",
    "badminton", "rugby", "climbing", "boxing", "karate", "skiing", "baseball", "rowing", "handball", "dancing",
)  # fmt: skip
SUBJECTS = (
    "math", "maths", "history", "biology", "chemistry", "physics", "geography", "English", "art", "music", "Spanish",
    "French",
    "German", "latin", "economics", "computer science", "religion", "gym class", "literature", "science",
)  # fmt: skip
JOBS = (
    "nurse", "teacher", "carpenter", "bus driver", "programmer", "cook", "waiter", "gardener", "doctor", "painter",
    "mechanic", "police officer", "farmer", "baker", "hairdresser", "plumber", "lawyer", "musician", "pilot",
    "librarian",
    "student", "firefighter", "cleaner", "shop assistant", "vet", "dentist", "electrician", "postman", "writer",
    "designer",
)  # fmt: skip
FILMS = (
    "a western", "a comedy", "a thriller", "a documentary", "a cartoon", "a horror film", "a love story", "a musical",
    "a science fiction film", "a crime series", "a cooking show", "a quiz show", "an old black and white film",
    "a war film", "a film about dinosaurs", "a film about pirates", "a film about robots", "an action film",
)  # fmt: skip
MUSIC = (
    "jazz", "rock", "pop", "blues", "techno", "classical music", "folk songs", "hip hop", "country", "opera", "reggae",
    "heavy metal", "soul", "punk", "film music", "piano music", "brass bands", "samba", "swing", "lullabies",
)  # fmt: skip
INSTRUMENTS = (
    "piano", "guitar", "violin", "flute", "trumpet", "drums", "cello", "saxophone", "accordion", "clarinet", "harp",
    "ukulele", "recorder", "trombone", "bass",
)  # fmt: skip
COLORS = (
    "red", "blue", "green", "yellow", "orange", "purple", "pink", "black", "white", "brown", "gray", "turquoise",
    "teal",
    "violet", "gold", "silver", "beige", "crimson", "navy blue", "mint green",
)  # fmt: skip
LANGUAGES = (
    "German", "French", "Spanish", "Italian", "Chinese", "Japanese", "Russian", "Polish", "Dutch", "Portuguese",
    "Arabic",
    "Turkish", "Swedish", "Hindi", "Korean", "Greek", "Czech", "Danish", "Finnish", "Hungarian", "Welsh", "Latin",
)  # fmt: skip
GAMES = (
    "chess", "checkers", "cards", "tic tac toe", "hide and seek", "monopoly", "poker", "hangman", "bingo", "dominoes",
    "battleship", "twenty questions", "truth or dare", "I spy", "backgammon", "ludo", "scrabble",
)  # fmt: skip
BODY = ("head", "back", "stomach", "tooth", "knee", "throat", "ear", "foot", "neck", "shoulder", "belly", "leg", "hand")
DISHES = (
    "cake",
    "bread",
    "cookies",
    "a pie",
    "muffins",
    "soup",
    "jam",
    "a roast",
    "dinner",
    "lunch",
    "brownies",
    "rolls",
)
PLANTS = (
    "tomatoes", "roses", "basil", "tulips", "cucumbers", "sunflowers", "strawberries", "pumpkins", "an orchid",
    "a cactus",
    "lavender", "potatoes", "peppers", "apple trees", "herbs", "lettuce", "ferns", "beans",
)  # fmt: skip
CHORES = (
    "the laundry", "the dishes", "the ironing", "the windows", "the vacuuming", "the garden", "the taxes",
    "the shopping",
    "the bathroom", "the floors", "the paperwork", "the cooking", "the tidying",
)  # fmt: skip
THINGS = (
    "keys", "phone", "wallet", "glasses", "umbrella", "bike", "car", "laptop", "watch", "ring", "bag", "favorite cup",
    "headphones", "passport", "jacket", "camera", "book", "ticket", "remote", "scarf",
)  # fmt: skip
DAYS = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "tomorrow", "next week", "next month",
    "this weekend", "on Friday", "on Saturday", "in two weeks", "in the summer",
)  # fmt: skip
DAY_PLACES = ("today", "tomorrow", "tonight", "this weekend", "on Saturday", "next week", "this evening", "on Sunday")
ANIMALS = (
    "dogs", "cats", "horses", "elephants", "lions", "penguins", "dolphins", "spiders", "snakes", "owls", "bears",
    "wolves",
    "rabbits", "dinosaurs", "sharks", "monkeys", "butterflies", "bees", "foxes", "whales", "frogs", "hedgehogs",
    "tigers",
)  # fmt: skip
FEARS = (
    "spiders", "the dark", "flying", "heights", "dogs", "thunder", "the dentist", "snakes", "exams", "ghosts", "clowns",
    "deep water", "needles", "mice", "elevators", "speaking in public", "wasps", "monsters",
)  # fmt: skip
POOLS = {
    "food": Pool(FOODS), "drink": Pool(DRINKS), "place": Pool(PLACES, True), "pet": Pool(PETS),
    "petname": Pool(PET_NAMES, True), "person": Pool(PEOPLE, True), "relative": Pool(RELATIVES), "sport": Pool(SPORTS),
    "subject": Pool(SUBJECTS), "job": Pool(JOBS), "film": Pool(FILMS), "music": Pool(MUSIC),
    "instrument": Pool(INSTRUMENTS), "color": Pool(COLORS), "language": Pool(LANGUAGES), "game": Pool(GAMES),
    "body": Pool(BODY), "dish": Pool(DISHES), "plant": Pool(PLANTS), "chore": Pool(CHORES), "thing": Pool(THINGS),
    "day": Pool(DAYS), "when": Pool(DAY_PLACES), "animals": Pool(ANIMALS), "fear": Pool(FEARS),
    "hobby": Pool(HOBBIES, True),
    "otherfood": Pool(FOODS),
}  # fmt: skip
"""The slots of the files in `data/talk`."""
