"""Topics about which the model knows nothing: it must say so, and name them."""

from __future__ import annotations

from train.corpus.everyday_words import POOLS, Pool
from train.corpus.refusals import SURNAMES

CONTESTS = (
    "the world cup", "the election", "the super bowl", "the league", "the game yesterday", "the match last night",
    "the elections in France", "the Oscar for best film", "the Nobel Prize", "the song contest", "the Tour de France",
    "the race on Sunday", "the cup final", "the tennis final", "the gold medal", "the derby", "the Grammys",
    "the lottery",
    "the European championship", "the chess world championship", "the formula one race", "the boxing match",
    "the playoffs",
    "the Olympics in 1936", "the marathon", "the ski race", "the hockey game", "the debate", "the war of 1812",
    "the quiz show",
)  # fmt: skip
TALL = (
    "the Eiffel Tower", "Mount Everest", "Mount Fuji", "the Empire State Building", "Big Ben", "a giraffe",
    "the Burj Khalifa", "the Statue of Liberty", "Kilimanjaro", "the Matterhorn", "Niagara Falls", "a redwood tree",
    "the Brandenburg Gate", "the tallest man", "the Shard", "Mont Blanc", "the leaning tower of Pisa", "Ben Nevis",
    "the Golden Gate Bridge", "the Space Needle", "the Great Pyramid", "a polar bear", "the Zugspitze", "K2", "Denali",
    "the tallest building in the world", "Cologne Cathedral", "a blue whale", "the Great Wall", "the London Eye",
)  # fmt: skip
EVENTS = (
    "the French Revolution", "the Second World War", "the fall of Rome", "the moon landing",
    "the sinking of the Titanic",
    "the Battle of Hastings", "the invention of the telephone", "the discovery of America", "the Great Fire of London",
    "the first Olympic Games", "the Black Death", "the fall of the Berlin Wall", "the invention of printing",
    "the first flight", "the civil war", "the Boston Tea Party", "the gold rush", "the end of the ice age",
    "the birth of Napoleon", "the Russian Revolution", "the first world cup", "the founding of Rome", "Woodstock",
    "the first television program", "the building of the pyramids", "the opening of the Suez Canal",
    "the stock market crash",
    "the invention of the wheel", "the Magna Carta", "the first heart transplant",
)  # fmt: skip
GOODS = (
    "a new iPhone", "a liter of milk", "a Tesla", "gold", "a ticket to New York", "bitcoin", "a flat in London",
    "petrol",
    "a barrel of oil", "an electric bike", "a loaf of bread", "a cinema ticket", "a house in Berlin", "diesel",
    "a taxi to the airport",
    "a cup of coffee in Paris", "a PlayStation", "a haircut", "a washing machine", "silver", "a train ticket to Munich",
    "electricity", "a Big Mac", "a horse", "a private jet", "a night in a hotel", "butter", "a share of Apple",
    "a stamp",
    "a driving licence", "a passport", "a pizza at the corner", "heating oil", "a kilo of tomatoes",
)  # fmt: skip
SHOPS = (
    "the pharmacy", "the supermarket", "the post office", "the library", "the bank", "the swimming pool", "the museum",
    "the bakery", "the town hall", "the hardware store", "the zoo", "Ikea", "the barber", "the cinema", "the gym",
    "the doctor's office", "the garden center", "the pizza place", "the butcher", "the recycling center", "Walmart",
    "Aldi",
    "the gas station", "the train station", "the cafe around the corner", "the school", "the kiosk", "the car wash",
)  # fmt: skip
BRANDS = (
    "Samsung", "Sony", "Bosch", "Apple", "Google", "Microsoft", "Toyota", "BMW", "Ford", "Nike", "Ikea", "Lego",
    "Amazon",
    "Netflix", "Nintendo", "Philips", "Siemens", "Volkswagen", "Adidas", "Coca-Cola", "Spotify", "Tesla", "Intel",
    "Huawei",
)  # fmt: skip
PRODUCTS = (
    "the new iPhone", "the latest Samsung phone", "a robot vacuum", "this laptop", "the new Tesla", "an air fryer",
    "the PS5",
    "electric cars", "the Kindle", "heat pumps", "solar panels", "the Apple Watch", "Windows 11", "Android phones",
    "Netflix",
    "the new album of Adele", "the last Marvel film", "the iPad", "noise cancelling headphones", "smart locks",
    "e-scooters",
    "the Nintendo Switch", "the Raspberry Pi", "a gas grill", "this vacuum cleaner", "organic food", "cheap wine",
    "Ikea beds",
)  # fmt: skip
RARE_WORDS = (
    "serendipity", "entropy", "onomatopoeia", "ubiquitous", "ephemeral", "zeitgeist", "quixotic", "perspicacious",
    "sonder",
    "petrichor", "defenestration", "gerrymandering", "schadenfreude", "hubris", "nihilism", "osmosis", "mitosis",
    "syzygy",
    "obfuscate", "pulchritude", "tachyon", "fiduciary", "amortization", "subpoena", "filibuster", "epistemology",
    "ontology",
    "hegemony", "juxtaposition", "sesquipedalian", "limerence", "palimpsest", "apotheosis", "kerfuffle", "bamboozle",
    "lugubrious", "obsequious", "vicissitude", "zephyr", "quagmire", "penumbra", "anathema", "mellifluous", "cacophony",
)  # fmt: skip
WORKS = (
    "Hamlet", "the Bible", "War and Peace", "Harry Potter", "the Lord of the Rings", "Moby Dick", "the Odyssey",
    "Faust",
    "Romeo and Juliet", "Star Wars", "Titanic", "Casablanca", "the Mona Lisa", "the Great Gatsby", "Don Quixote",
    "Dracula",
    "Frankenstein", "the Hobbit", "Pride and Prejudice", "the Godfather", "Pulp Fiction", "the Matrix",
    "Game of Thrones",
    "Breaking Bad", "Friends", "Bohemian Rhapsody", "Imagine", "Hey Jude", "Thriller", "the Magic Flute",
    "Oliver Twist",
    "the news of today", "this article", "my email", "the meeting of yesterday", "chapter three",
    "the plot of Inception",
)  # fmt: skip
TOWNS = (
    "Springfield", "Leeds", "Lyon", "Graz", "Seville", "Gdansk", "Bologna", "Ghent", "Bergen", "Nagoya", "Lagos",
    "Lima",
    "Denver", "Phoenix", "Perth", "Cork", "Dresden", "Nantes", "Porto", "Izmir", "Mumbai", "Accra", "Quito", "Hanoi",
    "Tallinn",
    "Cardiff", "Basel", "Kazan", "Osaka", "Cusco", "Winnipeg", "Toledo", "Bristol", "Utrecht", "Malmo", "Zagreb",
    "Riga",
)  # fmt: skip
REGIONS = (
    "Mongolia", "Kazakhstan", "Andorra", "Mali", "Laos", "Bhutan", "Nepal", "Angola", "Zambia", "Uganda", "Togo",
    "Fiji",
    "Malta", "Bolivia", "Ecuador", "Panama", "Haiti", "Somalia", "Morocco", "Cambodia", "Serbia", "Croatia", "Moldova",
    "Estonia", "Albania", "Paraguay", "California", "Bavaria", "Ohio", "Queensland", "Sardinia", "Alaska", "Hawaii",
    "Tibet",
)  # fmt: skip
SCIENCE = (
    "the speed of sound", "the weight of the earth", "the distance to Pluto", "the melting point of iron",
    "the mass of an electron",
    "the square root of two hundred", "the chemical formula of aspirin", "the atomic number of gold",
    "the age of the universe",
    "the diameter of Mars", "the depth of the ocean", "the boiling point of mercury", "the half-life of uranium",
    "the speed of light",
    "the length of the Nile", "the population of China", "the size of Russia", "the number of stars",
    "the value of pi to ten digits",
    "the density of lead", "the temperature on Venus", "the genome of a mouse", "the formula for the volume of a cone",
)  # fmt: skip
FAMOUS_ROLES = (
    "the president of France", "the king of Spain", "the prime minister", "the mayor of London", "the pope",
    "the chancellor",
    "the richest man in the world", "the president of Brazil", "the queen of Denmark", "the boss of Google",
    "the captain of the team",
    "the coach of Liverpool", "the inventor of the zipper", "the singer of Queen", "the author of Dune",
    "the painter of Guernica",
    "the first man in space", "the tallest woman", "the oldest person", "the emperor of Japan", "the head of the UN",
    "the actor who plays Batman", "the winner of the last song contest", "the drummer of the Beatles",
    "the governor of Texas",
)  # fmt: skip
HOWTOS = (
    "fix a leaking tap", "change a tyre", "tie a tie", "build a shed", "file my taxes", "repair a bike chain",
    "bake sourdough bread",
    "remove a wine stain", "write a cover letter", "install a printer", "knit a sweater", "brew beer",
    "grow avocados", "sharpen a knife",
    "unblock a drain", "plaster a wall", "make sushi", "train a puppy", "get a visa", "change a fuse", "fold a swan",
    "make candles",
    "fly a plane", "start a business", "buy shares", "clean a carpet", "hang wallpaper", "make cheese",
    "play the trumpet", "repair my phone",
    "renew my passport", "get rid of moss", "polish silver", "tune a guitar", "iron a shirt", "open a jammed jar",
)  # fmt: skip
UNKNOWN_POOLS = {
    "contest": Pool(CONTESTS), "tall": Pool(TALL), "event": Pool(EVENTS), "goods": Pool(GOODS), "shop": Pool(SHOPS),
    "brand": Pool(BRANDS, True), "product": Pool(PRODUCTS), "word": Pool(RARE_WORDS, True), "work": Pool(WORKS),
    "town": Pool(TOWNS, True), "region": Pool(REGIONS, True), "quantity": Pool(SCIENCE), "role": Pool(FAMOUS_ROLES),
    "task": Pool(HOWTOS), "surname": Pool(SURNAMES, True), "person": POOLS["person"], "language": POOLS["language"],
    "plain": Pool(("water", "thank you", "good morning", "house", "love", "dog", "beer", "apple", "friend",
    "I am hungry", "cheese",
                   "where is the station", "happy birthday", "sun", "tree", "goodbye", "butterfly", "I love you",
                   "bread", "yes")),
}  # fmt: skip
"""The slots of the files in `data/unknown`."""
