"""The phrases of English."""

from units.intent.phrases.language import (
    FULL,
    HALF,
    LEAST,
    QUARTER,
    THIRD,
    THREE_QUARTERS,
    TWO_THIRDS,
    Language,
    listed,
)

ENGLISH = Language(
    fillers=listed(
        "hey, hi, hello, ok, okay, so, and, um, uh, well, then, now, also, but, please, just, oh, alright, all right",
        "jarvis, computer, yes, no, sorry, excuse me, thanks, thank you, maybe, perhaps, quickly, yo, good morning",
        "good evening",
    ),
    questions=listed(
        "did, do, does, is, are, am, was, were, has, have, had, which, what, what's, whats, what're, where, where's",
        "when, who, who's, whose, why, how, how's, isn't, aren't, wasn't, weren't, didn't, doesn't",
        "don't (?:you|we|i), hasn't, haven't, can, could, will, would, should, shall, may, might, i wonder",
        "i'd like to know, i want to know, let me know, tell me, check, remind me (?:what|how|if|whether), report",
        "any idea, i am not sure, i'm not sure",
    ),
    questions_inside=listed(
        "whether",
        "(?:tell|ask|know|check|see|say|wonder|sure|remember|find out|asking|wondering) (?:me )?(?:if|what|which|"
        "how|when|where|who|why)",
    ),
    polite=listed(
        "(?:could|can|may|might)(?= .*(?:be|go|have|get|start|stop|come)(?: |$))",
        "(?:could|can|would|will|won't|can't|couldn't|wouldn't) (?:you|we|u|i|someone|somebody|anyone|ya)",
        "(?:would|do) you mind, do you think you (?:could|can), why don't (?:you|we), why not, shall we",
        "(?:would|is) it (?:be )?(?:possible|ok|okay|all right) (?:to|for you to|if), may (?:i|we), how about \\w+ing",
        "what about \\w+ing, is there any chance you could, any chance you could, do me a favou?r",
        "i was wondering if you could, i wonder if you could, do it, do that, do the same",
        "is there a way (?:to|you could)",
    ),
    tells=listed(
        "tell (?:me|us), say (?:if|what|whether|how|which|that), see if, see whether, know, check, find out, explain",
        "remember, believe, imagine, guess, recommend, show me, describe, list, hear, count, look up, report",
        "remind me what",
    ),
    verbs=listed(
        "tell, take, inform, notify, announce, broadcast, turn, switch, set, put, make, dim, brighten, darken, open, close",
        "shut, lock, unlock, raise, lower, start, stop, pause, play, resume, continue, activate, deactivate, enable",
        "disable, run, change, increase, decrease, reduce, adjust, bring, give, kill, cut, light(?= (?:the|up|a|my))",
        "illuminate, heat, cool, warm, mute, unmute, skip, let, move, drop, crank, roll, draw, hold, pull, drive",
        "power, flip, hit, get, keep, leave, send, add, cancel, remind, water, feed, call, clean, vacuum, mow, order",
        "begin, launch, trigger, bump, boost, fade, blast, secure, undo, use, ring, fill, wake, charge, brew, write",
        "note, record, schedule, create, arm, disarm, ventilate, shade, press, toggle, reset, restart, slide, lift",
        "delete, remove, text, message, slow, speed, tone, tune, turning, switching, setting, opening, closing",
        "locking, unlocking, dimming, lowering, raising, playing, starting, stopping, pausing, putting, making",
        "retract, extend, extinguish, douse, swap, select",
    ),
    wishes=listed(
        "on, off, up, down, out, brighter, darker, dimmer, louder, quieter, softer, warmer, cooler, colder, hotter",
        "higher, faster, slower, more, less, again, dark, bright, cold, hot, warm, loud, quiet, chilly, freezing",
        "stuffy, gloomy, boiling, noisy, i want, we want, i need, we need, i'd like, i would like, we'd like",
        "should be, can't see, cannot see, too, as well, instead, full, maximum, minimum, max, half, halfway, please",
        "percent, degrees, closed, locked, silence, glare, sweating, shivering, can't hear, cannot hear",
    ),
    statements=listed("i, we, you, he, she, they, there, i'm, is, are, was, were, am, have, has, had"),
    negations=listed(
        "don't, dont, do not, never, not, mustn't, shouldn't, no need, needn't, no longer, nobody should",
    ),
    not_negations=listed(
        "(?:is|are|'s|was|'re) (?:still |just |really |quite |even )?not, why (?:not|don't (?:you|we)), if not",
        "or not, (?:don't|do not|never) forget(?: to)?, not only, not too, not so, don't mind, could not, can not",
        "never mind, (?:i|we|they|you) (?:do not|don't|dont) (?:like|know|think|see|care|understand|feel|mind|have)",
        "not enough, not (?:bright|warm|loud|light|dark|cold|hot|cool) enough, don't you think, don't worry",
    ),
    points=listed(
        "it, its, it's, that, this, these, those, them, they, there, here, too, also, same, again, as well, one, ones",
        "other, both, him, her, back, likewise, another, the rest",
    ),
    here=listed("here, the room, this room, this place, the area"),
    every=listed("all, every, everything, each, both, everywhere, whole, entire, any"),
    excepts=listed(
        "except, except for, but not, apart from, other than, excluding, but(?= the), besides, aside from",
    ),
    more=listed(
        "brighter, louder, warmer, hotter, higher, more, up, raise, increase, brighten, faster, lighter, boost, bump",
        "add, too (?:dark|cold|quiet|dim|low|slow|chilly), so dark, so cold, freezing, chilly, crank, speed up",
        "can't see, can't hear",
    ),
    less=listed(
        "darker, dimmer, quieter, softer, cooler, colder, lower, less, down, decrease, reduce, slower, dim, drop",
        "darken, too (?:bright|hot|warm|loud|high|fast|light), sweating, fade, slow down, so bright, so loud, so hot",
    ),
    yes=listed(
        "yes, yeah, yep, yup, ya, sure, sure thing, ok, okay, of course, right, correct, exactly, do it, do that",
        "go ahead, please do, please, that one, that's right, thats right, that's it, i do, affirmative, absolutely",
        "definitely, indeed, certainly, you should, that is right, by all means, alright, all right, fine, go for it",
        "that's the one, yes i do",
    ),
    no=listed(
        "no, nope, nah, no way, don't, do not, stop, never mind, nevermind, cancel, not that one, wrong, forget it",
        "leave it, please don't, rather not, better not, negative, not now, that's wrong, no i don't, don't do it",
    ),
    stops=listed(
        "point, anything, nothing, something, anymore, any more, turned, switched, set to, the, an, my, our, your",
        "his, their, be, been, being, we, you, he, she, who, to, in, at, of, for, with, from, by, into, onto, about",
        "as, if, so, very, really, quite, bit, little, lot, some, slightly, much, left, tonight, today, morning",
        "evening, night, moment, seconds?, days?, would, could, can, will, shall, only, or, when, while, still, yet",
        "i'm, that's, let's, us, rooms?, house, home, place, colou?rs?, levels?, value, settings?, temperature",
        "brightness, volume, celsius, fahrenheit, status, state, around, over, under, through, completely, fully",
        "time, pls, devices?, things?, feels?, looks?, getting, gets, going, goes, for me, real, actually, goddamn",
        "pretty, bloody, gonna, wanna, lower, inside, outside, everybody, everyone, guys, honey, buddy, mate, dear",
        "later, soon, until, maximum, am, are, is, i, me, thanks, cheers, immediately, right away, asap, currently",
        "at once, darling, gently, slowly, kindly",
    ),
    hours_and_minutes=listed("hours?, minutes?"),
    point="point",
    halves="and a half",
    values={
        "half(?:way)?": HALF, "quarter": QUARTER, "3[- ]quarters?": THREE_QUARTERS, "(?:a|one)[- ]third": THIRD,
        "2[- ]thirds": TWO_THIRDS, "minimum|min|lowest|least|dimmest|mute|silence": LEAST,
        "full|fully|maximum|max|all the way|completely|highest|brightest|loudest|wide open": FULL,
        "(?:an?|one)(?= (?:%|hour|minute|second|day|week|degree|step))": (1.0,),
        "a couple(?: of)?|twice": (2.0,),
        "hundred": (100.0,), "a dozen": (12.0,), "noon|midday": (12.0,), "midnight": (0.0, 12.0),
        "an hour and a half": (1.5,),
    },
    contractions=listed(
        "(?:i|it|that|what|who|where|there|here|he|she|how) s, (?:i|it|that|we|you|they|he|she|there) d, i m",
        "(?:i|it|we|you|they|that) ll, (?:we|you|they) re, (?:i|we|you|they) ve",
        "(?:can|don|won|isn|aren|wasn|weren|doesn|didn|haven|hasn|couldn|wouldn|shouldn) t, let s",
    ),
    clause_starts=listed(
        "because, 'cause, cause, since, so(?= (?:i|we|it|that|please|can|could|do|turn|switch|shut|put|make|open|close|start|stop|set|lock) ), and, but, please, it's, its, it is, it was, it feels, that's, this is, i'm, im",
        "i am, i can't, i cant, i cannot, i can, i could, i need, i have, i've, i burned, i think, i want, i hear, i heard, we're, we are",
        "we have, we've, we need, we want, they're, they are, there's, there is, he's, she's, somebody is, someone is, before we",
        "before i, before you, my (?:\\w+) (?:is|are|has), the \\w+(?:'s| is| are) (?:too|so|here|up|asleep|coming|sleeping|cold)",
        "can you, could you, would you, will you, can we, could we, how (?:hot|cold|warm|bright|loud), what's, what is",
        "time for, time to, let me, let us, let's",
    ),
    open_ends=listed(
        "to, you, not, then, will, would, should, must, can, could, he, she, they, him, her, them, me, we, i, who, that, or, don't",
        "didn't, doesn't, won't, help, always, people, want, wants, like, likes, the, a, my, please don't",
    ),
    subjects=listed(
        "it's, its, it is, it feels, i'm, im, i am, we're, we are, they're, he's, she's, there's, there is, (?:too|so) (?:cold|dark|hot|bright|loud|warm|quiet|chilly|noisy), my \\w+ (?:\\w+ )?(?:is|are)",
        "the \\w+ (?:is|are|has been)",
    ),
    state_questions=listed(
        "is, are, was, were, isn't, aren't, has, have, did, does, what's, what is, what are, whats, which, what \\w+ (?:is|are|has)",
        "how (?:warm|hot|cold|cool|bright|dark|dim|loud|quiet|high|low|far|wide|fast|humid|many|open)",
        "(?:can you |could you |please )?(?:tell me|check|show me|find out|see) (?:if|whether|what|which|how|the|my|on)",
        "do you know (?:if|whether), i want to know (?:if|whether), i'd like to know (?:if|whether), let me know (?:if|whether)",
    ),
    limits=listed(
        "if, when, whenever, unless, until, till, after, once, while, instead, except, only, or else, otherwise, tomorrow, later, soon",
        "tonight, every (?:day|night|morning|evening), minutes?, hours?, seconds?, said, says, say, saying, told, tell, asked, ask",
        "called, sang, sing, sings, wrote, writes, means, mean, meaning, joke, song, story, poem, book, lyrics, chapter, novel",
        "supposed, imagine, suppose, pretend, remember, remind, would have, should have, could have, used to, going to (?!bed|sleep|school|work|be|the|town)\\w+, about to",
        "tried, try, refuse, refused, never, nobody, forgot, wish, wonder, learn, explain, why, how, order, buy, email",
        "neighbou?r'?s?, his house, her house, their, car, school, hotel",
    ),
    pronouns=listed("both of them, all of them, them all, them, it all, it, those, that, this, these, him, her"),
    in_place=listed("(?:over |out |up |down )?(?:in|on|at|for|inside)(?: (?:the|my|our|this))?"),
    near=listed(
        "(?:that (?:is|stands|hangs) |that's |which is )?(?:out |over |down |up )?"
        "(?:on|in|at|of|by|beside|near|from|over|above|next to|to|for|with)(?: (?:the|my|our|your))?",
    ),
)  # fmt: skip
