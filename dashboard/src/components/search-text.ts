/** As many characters as Galley takes. */
const MOST = 200

/** Halves of a character, and marks that turn over the order in which what follows is shown: nobody sees them in the field. */
const UNSEEN = /[\p{Cs}\u202a-\u202e\u2066-\u2069]/gu

/** What is searched for, as Galley takes it: in one line, without what it refuses, and no longer. Empty is no search. */
export const searchText = (typed: string): string =>
  typed
    .replace(/\p{Cc}/gu, ' ')
    .replace(UNSEEN, '')
    .trim()
    .slice(0, MOST)
    .replace(UNSEEN, '')
    .trim()
