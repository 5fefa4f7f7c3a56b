/** What the role of this page's token allows. The daemon decides; the page only switches off what it would refuse. */

import { useStore } from "./store.js";

/** Returns {role, mayUse, mayAdminister, words}; `words` say why something is switched off, "" for an administrator. */
export function useRights(daemon) {
  const { role } = useStore(daemon.grant);
  return { role, mayUse: role !== "observe", mayAdminister: role === "admin", words: WORDS[role] ?? "" };
}

const WORDS = {
  observe: "The role of your token is observe: it sees what runs and changes nothing.",
  use: "The role of your token is use: it has tasks of its own and leaves models and log to administrators.",
};
