// Loaded before anything is drawn, so that a chosen theme does not flash in the other one first.
"use strict";
{
  const chosen = localStorage.getItem("unitd.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
