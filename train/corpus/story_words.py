"""Characters, places, plots and phrasings that ask for a story."""

from __future__ import annotations

from train.corpus.base import Phrasings

KINDS = (
    "fox", "cat", "dog", "dragon", "bear", "rabbit", "mouse", "owl", "frog", "robot", "princess", "prince",
    "knight", "wizard", "witch", "pirate", "bird", "fish", "turtle", "horse", "unicorn", "elephant", "lion",
    "tiger", "monkey", "penguin", "squirrel", "hedgehog", "duck", "goose", "pig", "cow", "sheep", "goat",
    "snail", "bee", "butterfly", "spider", "whale", "dolphin", "octopus", "crab", "giant", "dwarf", "elf",
    "fairy", "ghost", "monster", "mermaid", "king", "queen", "farmer", "baker", "painter", "gardener",
    "sailor", "doctor", "teacher", "girl", "boy", "old man", "astronaut", "alien", "snowman", "cloud",
    "star", "lamp", "toaster", "train", "boat", "car", "bicycle", "clock", "teapot", "shoe", "pencil",
    "book", "computer", "tree", "flower", "mushroom", "pumpkin", "potato", "apple", "dinosaur", "wolf",
    "deer", "kangaroo", "koala", "panda", "parrot", "chicken", "donkey", "camel", "hamster", "bat", "ant",
    "worm", "crocodile", "zebra", "giraffe", "moose", "badger", "beaver", "otter", "seal", "swan", "kitten",
    "puppy", "lighthouse", "piano", "kite", "balloon", "umbrella", "spoon", "moonbeam", "troll", "ninja",
)  # fmt: skip
FRIENDS = (
    "owl", "mouse", "rabbit", "squirrel", "turtle", "fox", "duck", "hedgehog", "frog", "bear", "cat",
    "dog", "goat", "crow", "badger", "beaver", "hen", "pony", "butterfly", "snail",
)  # fmt: skip
GIRLS = (
    "Luna", "Rosie", "Bella", "Daisy", "Nina", "Lily", "Coco", "Molly", "Ruby", "Hazel", "Poppy", "Tilly", "Mimi",
    "Clover", "Penny", "Zoë", "Amélie", "Kiki", "Willow", "Flora", "Nelly",
)  # fmt: skip
BOYS = (
    "Milo", "Pip", "Oscar", "Finn", "Max", "Toby", "Rusty", "Benny", "Jasper", "Otto", "Barnaby", "Felix",
    "Bruno", "Leo", "Sammy", "Rufus", "Theo", "Gustav", "Dexter", "Hugo",
)  # fmt: skip
NAMES = (*GIRLS, *BOYS)
FEMALE = ("princess", "witch", "fairy", "mermaid", "queen", "girl", "cow", "chicken", "hen")
MALE = ("prince", "king", "boy", "old man", "wizard", "knight", "dwarf")
PLACES = {
    "forest": "in the forest", "castle": "in the castle", "village": "in the village",
    "mountains": "in the mountains", "sea": "by the sea", "lake": "by the lake", "island": "on the island",
    "desert": "in the desert", "city": "in the city", "farm": "on the farm", "garden": "in the garden",
    "valley": "in the valley", "jungle": "in the jungle", "river": "by the river", "moon": "on the moon",
    "school": "at the school", "meadow": "in the meadow", "cave": "in the cave", "swamp": "in the swamp",
    "snow": "in the snow", "space": "in space", "harbor": "at the harbor", "library": "in the library",
    "kitchen": "in the kitchen", "tower": "in the tower", "hills": "in the hills", "park": "in the park",
    "ocean": "in the ocean", "zoo": "at the zoo", "circus": "at the circus", "museum": "in the museum",
}  # fmt: skip
THINGS = (
    "golden key", "red ball", "silver bell", "small lantern", "blue scarf", "wooden flute", "music box",
    "green hat", "shiny stone", "silver spoon", "little drum", "warm blanket", "paper boat", "glass marble",
)  # fmt: skip
FOODS = (
    "apple pie", "honey cake", "pancakes", "carrot soup", "berry jam", "warm bread", "chocolate cake",
    "plum cake", "hot cocoa", "sweet cookies",
)  # fmt: skip
OPENINGS = (
    "Once upon a time there was a [little|young|small|brave|clever|friendly|curious] {kind} named {name}, "
    "who lived {place}.",
    "Long ago there lived a [little|young|small|brave|clever|friendly|curious] {kind} called {name} {place}.",
    "There once was a [little|young|small|brave|clever|friendly|curious] {kind} named {name}, who had a home {place}.",
)
HABITS = (
    "{name} was [kind to everyone|always in a good mood] and loved to [explore|sing|dance|play|help others].",
    "Every morning {name} got up early and [greeted the sun|went for a walk|sang a happy song].",
    "Everyone knew {name}, because nobody could [laugh|sing|tell tales|whistle] so well.",
    "{name} dreamed of [a great adventure|seeing the wide world|finding a true friend].",
)
ONE_DAY = ("One day", "One morning", "One evening", "One sunny day", "One cold day")
LATER = ("The next day", "A week later", "Some time later", "When spring came", "A few days later")
PLOTS = {
    "lost": (
        "{name} walked too far and could not find the way home.",
        "[Everything looked strange|All the paths looked the same], and it was getting dark.",
        "[Then|Suddenly] {name} heard a soft voice: it was {friend}, a [wise|kind|old] {fkind}.",
        '"Don\'t be afraid," said {friend}, "I know every path around here."',
        "Together they walked [under the stars|through the night] and sang to keep up their courage.",
        "When they reached the door, {name} invited {friend} in for {food}.",
    ),
    "treasure": (
        "{name} found an old map under a [stone|big root|broken chair].",
        "It showed the way to a hidden treasure, and {name} set out at once.",
        "On the way {name} met {friend} the {fkind}, who wanted to come along.",
        "They [climbed over rocks|crossed a deep stream|crawled through a tunnel] until they found a chest.",
        "Inside there was no gold, but a {thing} and a letter.",
        'The letter said: "The best treasure is a friend on the way."',
        "{name} and {friend} laughed, because they knew that it was true.",
    ),
    "storm": (
        "dark clouds came up and a great storm began.",
        "The wind howled, and the rain [drummed on the roof|fell like a wall].",
        "{name} saw that {friend} the {fkind} was outside, wet and [shivering|frightened].",
        "[Without thinking twice|Quickly] {name} ran out and brought {friend} to a safe, dry place.",
        "They [wrapped themselves in a blanket|sat close together], ate {food}, and told each other tales "
        "until the storm was over.",
        "In the morning a bright rainbow stood in the sky.",
    ),
    "race": (
        "a big race was announced, and everyone wanted to win.",
        "{name} trained every day, but {friend} the {fkind} was much faster.",
        "On the day of the race they all started with a loud cheer.",
        "Halfway there {friend} [stumbled and fell|got stuck in the mud].",
        "{name} could have won, but stopped and helped {friend} up.",
        "They crossed the line together, last of all, and still everyone clapped for them.",
        "As a prize they shared a big plate of {food}.",
    ),
    "birthday": (
        "it was {name}'s birthday, but nobody seemed to remember it.",
        "{name} [sat alone|waited by the window] and felt a little sad.",
        "Then {friend} the {fkind} came and asked for help with something heavy.",
        "{name} [sighed|nodded] and went along, because helping is always right.",
        'But when they opened the door, all the friends were there and shouted: "Surprise!"',
        "There was {food} for everyone, and {name} got a {thing} as a present.",
        "They danced until the moon came up.",
    ),
    "dark": (
        "the light went out, and {name} was afraid of the dark.",
        "Every [shadow|sound] seemed to be a monster.",
        "{friend} the {fkind} came by with a small candle.",
        '"Look," said {friend}, "the monster is only a [coat on a hook|branch in the wind]."',
        "{name} looked closely and had to laugh.",
        "From then on the two friends watched the stars together every night, and the dark was beautiful.",
    ),
    "missing": (
        "{name} noticed that the {thing} was gone.",
        "{name} looked [under the table|behind the door] and in every [box|corner], but it was nowhere.",
        "{friend} the {fkind} offered to help, and together they followed some tiny footprints.",
        "The footprints led to a small nest, where a baby bird slept beside the {thing}.",
        '"It only wanted something [warm|shiny] to hold," whispered {friend}.',
        "{name} smiled and let the little bird keep it.",
        "Giving felt even better than having.",
    ),
    "lonely": (
        "{name} felt lonely, because there was nobody to play with.",
        'So {name} painted a sign that said: "Friend wanted!"',
        "[For hours|All day] nobody came, and {name} almost gave up.",
        "Then {friend}, a shy {fkind}, knocked softly at the door.",
        '"I was looking for a friend too," said {friend}.',
        "They [played hide and seek|built a tower|told each other stories] and ate {food} until evening.",
        "{name} was never lonely again.",
    ),
    "music": (
        "{name} heard wonderful music from far away.",
        "{name} followed the sound and found {friend} the {fkind}, who was playing alone.",
        '"Please teach me," said {name}, and {friend} agreed.',
        "At first every note was wrong, and [the birds flew away|even the stones seemed to complain].",
        "But {name} practiced every day and never gave up.",
        "At the summer festival the two played together, and everyone danced.",
        "{friend} gave {name} a {thing} to remember that day.",
    ),
    "stuck": (
        "{name} heard a cry for help from a deep hole.",
        "At the bottom sat {friend}, a [small|frightened] {fkind}, who could not climb out.",
        '"Hold on, I will get you out," called {name}.',
        "{name} tied a long rope to a tree and let it down.",
        "{name} pulled and pulled, until {friend} was back in the sunshine.",
        "{friend} was so thankful that they shared all the {food} that was left.",
    ),
    "wish": (
        "{name} saw a star fall from the sky.",
        'The star landed softly in the grass and said: "You may make one wish."',
        "{name} thought of [gold|toys|a palace], but then remembered {friend} the {fkind}, who was ill.",
        '"I wish that {friend} gets well again," said {name}.',
        "The star glowed brightly and rose back into the sky.",
        "The next morning {friend} stood at the door, healthy and happy, with a plate of {food}.",
        "{name} knew that no wish could have been better.",
    ),
    "bridge": (
        "the old bridge broke, and nobody could get to the other side.",
        "Everyone [complained|shook their heads], but {name} had an idea.",
        '"If we all work together, we can build a new one," said {name}.',
        "{friend} the {fkind} brought wood, others brought ropes and nails.",
        "They worked for three days, and {name} cooked {food} for all the helpers.",
        "When the new bridge was ready, they hung a {thing} on it for luck.",
    ),
    "seed": (
        "{name} found a strange little seed.",
        "{name} put it into the ground and gave it water every day.",
        "{friend} the {fkind} laughed and said that nothing would ever grow there.",
        "But {name} was patient, and one morning there was a tiny green leaf.",
        "The plant grew and grew, until it was as tall as a house and full of sweet fruit.",
        "{name} shared the fruit with everyone, and {friend} helped to make {food} from it.",
    ),
    "noise": (
        "a strange noise came from behind the wall.",
        "It went [knock, knock, knock|scratch, scratch, scratch], and nobody dared to look.",
        "{name} took a lantern and [went in slowly|opened the door carefully].",
        "There sat {friend}, a tiny {fkind}, who tried to open a box with a {thing} in it.",
        "Everyone laughed, and {name} helped to open the box.",
        "Afterwards they all ate {food}, and {friend} was allowed to stay.",
    ),
}
ENDINGS = (
    "And from that day on, {name} [was the happiest {kind} of all|had a friend for life].",
    "That night {name} fell asleep with a smile.",
    "And if you ever [pass by|come there], you may still hear {name} laugh.",
    "So {name} learned that [kindness always comes back|together everything is easier|courage grows with every step].",
    "And they all lived happily ever after.",
)
FORMS = Phrasings(
    [
        "tell me a story",
        "[can|could] you tell me a story",
        "I want [a story|to hear a story]",
        "please tell me a story",
        "tell a story",
        "[can|could|would] you please tell me a story",
        "a story",
        "tell [us|the kids] a story",
        "I'd like to hear a story",
        "do you know a story",
        "tell me a [short|nice|good|funny|bedtime|little|fairy tale] story",
        "write [me|] a story",
        "give me a story",
        "let's hear a story",
        "make up a story",
        "tell me a fairy tale",
        "write a [short|funny|nice|little] story",
        "invent a story",
        "tell me a tale",
        "read me a story",
        "do you know any stories",
        "story please",
        "story time! tell me a story",
        "I would love a story",
        "[can|could] you make up a story",
        "[can|could] you write a story",
        "would you tell me a story",
        "tell me a [bedtime|good night] story",
        "I can't sleep, tell me a story",
        "I feel like hearing a story",
        "how about a story",
        "[a|one] story please",
        "please, a story",
        "a [short|little|nice|bedtime] story please",
        "story",
        "storytime",
        "a tale please",
        "give us a story please",
        "[can|could] I [hear|have] a story",
    ]
)
LONG_FORMS = Phrasings(
    [
        "tell me a long story",
        "tell me a very long story",
        "tell me a [really|very] long story",
        "[can|could] you tell me a long story",
        "I want [a long story|to hear a long story]",
        "[can|could] you tell me a very long story",
        "please tell me a very long story",
        "tell me the longest story you know",
        "write a long story",
        "tell me a very very long story",
        "tell a long story",
        "I'd like a very long story",
        "a very long story please",
        "could you please tell me a long story",
        "write me a very long story",
        "tell me a long [bedtime|fairy tale|adventure] story",
        "tell me a long tale",
        "give me a long story",
        "tell me a story that is very long",
        "make up a very long story",
    ]
)
ANOTHER = Phrasings(
    [
        "another story",
        "tell me another story",
        "one more story",
        "another story please",
        "[can|could] you tell me another story",
        "now tell me another story",
        "tell me one more story",
        "a different story",
        "and another story",
        "tell me a different story",
        "more stories",
        "a new story please",
        "I want another story",
        "another one",
        "one more",
        "again",
        "tell me another one",
        "another one please",
        "one more please",
    ]
)
