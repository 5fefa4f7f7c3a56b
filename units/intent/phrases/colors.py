"""The names of colors in all languages."""

COLORS = {
    "red": "red|rot(?:e[rns]?)?|rouges?|roj[oa]s?|红",
    "green": "green|grün(?:e[rns]?)?|verte?s?|verdes?|绿",
    "blue": "blue|blau(?:e[rns]?)?|bleue?s?|azul(?:es)?|蓝",
    "yellow": "yellow|gelb(?:e[rns]?)?|jaunes?|amarill[oa]s?|黄",
    "orange": "orange|anaranjad[oa]|naranja|橙|橘",
    "purple": "purple|lila|violett(?:e[rns]?)?|violette?s?|mauve|morad[oa]s?|púrpura|lilas?|紫",
    "violet": "violet|violett(?:e[rns]?)?|violette?s?|violeta|紫",
    "pink": "pink|rosa(?:rot|d[oa])?|roses?|粉",
    "white": "white|weiss(?:e[rns]?)?|blanc(?:he)?s?|blanc[oa]s?|白",
    "black": "black|schwarz|negr[oa]|黑色",
    "brown": "brown|braun(?:e[rns]?)?|marron|marrón|棕|褐",
    "turquoise": "turquoise|teal|türkis|turquesa|青绿",
    "cyan": "cyan|cian|青",
    "magenta": "magenta|fuchsia|品红|洋红",
    "gold": "gold(?:en)?|doré|dorad[oa]|金",
    "lime": "lime|limette|citron vert|lima|柠檬绿",
}
"""By the English name of a color, a pattern of its names."""
