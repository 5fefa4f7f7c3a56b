/** Light or dark: as the system says, until somebody chooses. theme.js applies the choice before the page is drawn. */

import { html, Icon } from "./html.js";
import { Store, useStore } from "./store.js";

const KEPT_AS = "unitd.theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const system = matchMedia("(prefers-color-scheme: dark)");

const choice = new Store(document.documentElement.dataset.theme ?? "auto");

/** "light" or "dark", as it is seen. */
export const look = new Store(seen());

choice.subscribe((chosen) => {
  if (chosen === "auto") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEPT_AS);
  } else {
    document.documentElement.dataset.theme = chosen;
    localStorage.setItem(KEPT_AS, chosen);
  }
  look.set(seen());
});
system.addEventListener("change", () => look.set(seen()));

function seen() {
  if (choice.value !== "auto") return choice.value;
  return system.matches ? "dark" : "light";
}

export function ThemeButton() {
  const chosen = useStore(choice);
  const words = `Theme: ${chosen === "auto" ? "as the system" : chosen}`;
  return html`
    <button class="quiet square" aria-label=${words} title=${words} onClick=${() => choice.set(NEXT[chosen])}>
      <${Icon} name=${chosen} />
    </button>
  `;
}
