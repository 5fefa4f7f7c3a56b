/** The page: builds what talks to the daemon, and draws everything from it. */

import { render } from "preact";

import { Attachments } from "./attachments.js";
import { Board } from "./board.js";
import { Chat } from "./chat.js";
import { ConnectionBanner, ConnectionLight, KeyDialog } from "./connection.js";
import { Conversation } from "./conversation.js";
import { Daemon } from "./daemon.js";
import { Graph } from "./graph.js";
import { html } from "./html.js";
import { Log } from "./log.js";
import { Microphone } from "./microphone.js";
import { Models } from "./models.js";
import { ThemeButton } from "./theme-choice.js";
import { Timers } from "./timers.js";

const daemon = new Daemon();
const conversation = new Conversation(daemon);
const attachments = new Attachments();
const microphone = new Microphone(daemon, conversation);

const SECTIONS = { chat: "Chat", tasks: "Tasks", board: "Board", models: "Models", log: "Log" };

function Page() {
  return html`
    <header class="top">
      <img src="/static/icon.svg" alt="" width="24" height="24" />
      <h1>unitd</h1>
      <span class="host mono">${location.host}</span>
      <span class="spring"></span>
      <${ConnectionLight} daemon=${daemon} />
      <${ThemeButton} />
    </header>
    <nav class="jumps" aria-label="Sections">
      ${Object.entries(SECTIONS).map(([id, title]) => html`<a key=${id} href=${`#${id}`}>${title}</a>`)}
    </nav>
    <${ConnectionBanner} daemon=${daemon} />
    <${Timers} daemon=${daemon} />
    <main>
      <${Chat} ...${{ daemon, conversation, microphone, attachments }} />
      <${Graph} daemon=${daemon} microphone=${microphone} />
      <${Board} daemon=${daemon} />
      <${Models} daemon=${daemon} />
      <${Log} daemon=${daemon} />
    </main>
    <${KeyDialog} daemon=${daemon} />
  `;
}

render(html`<${Page} />`, document.body);
