"""Phrasings with a percentage, a colour or a temperature."""

from __future__ import annotations

from train.corpus.banks import bank
from train.corpus.base import Phrasings

LEVEL_FORMS = Phrasings(
    [
        "set {it} to {n} percent",
        "set {it} to {n}%",
        "dim {it} to {n} percent",
        "turn {it} to {n} percent",
        "{it} to {n} percent",
        "change {it} to {n} percent",
        "put {it} at {n} percent",
        "[could|can] you set {it} to {n} percent",
        "please set {it} to {n} percent",
        "I want {it} at {n} percent",
        "bring {it} to {n} percent",
        "make {it} {n} percent",
        "adjust {it} to {n} percent",
        "[could|can] you put {it} at {n} percent",
        "{it} at {n} percent",
        "dim {it} to {n}%",
        "{it} {n} percent",
        "{it} {n}%",
        "{it} to {n}%",
        "{it} at {n}%",
        "put {it} on {n} percent",
        "put {it} to {n} percent",
        "turn {it} to {n}%",
        "move {it} to {n} percent",
        "take {it} to {n} percent",
        "get {it} to {n} percent",
        "let {it} be at {n} percent",
        "I'd like {it} at {n} percent",
        "I need {it} at {n} percent",
        "I want {it} to be at {n} percent",
        "{it} should be at {n} percent",
        "{n} percent for {it}",
        "{n} percent on {it}",
        "dim {it} down to {n} percent",
        "please dim {it} to {n} percent",
        "please turn {it} to {n} percent",
        "please put {it} at {n} percent",
        "[could|can] you dim {it} to {n} percent",
        "[could|can] you turn {it} to {n} percent",
        "would you set {it} to {n} percent",
        "set the level of {it} to {n} percent",
        "change the level of {it} to {n} percent",
        "set {it} at {n} percent",
        "run {it} at {n} percent",
        "keep {it} at {n} percent",
    ]
)
COLOUR_FORMS = bank("home_values")["color"]
HEATING_FORMS = bank("home_values")["heating"]
