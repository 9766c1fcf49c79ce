/** What the settings say of a search provider. */
export interface SearchSettings {
  name: string
  /** Without a slash at its end. */
  url: string
  /** Gives its key; undefined where it has none. */
  key?: (() => string) | undefined
  /** Milliseconds for one search. */
  timeoutMs?: number | undefined
}
