/** The API's limit, in characters. */
const MOST = 200

/** Lone surrogates and direction marks: invisible in the field, and refused by the API. */
const UNSEEN = /[\p{Cs}\u202a-\u202e\u2066-\u2069]/gu

/** The search text as the API accepts it: one line, without refused characters, and not too long. Empty means no search. */
export const searchText = (typed: string): string =>
  typed
    .replace(/\p{Cc}/gu, ' ')
    .replace(UNSEEN, '')
    .trim()
    .slice(0, MOST)
    .replace(UNSEEN, '')
    .trim()
