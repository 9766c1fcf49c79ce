import { GalleyError } from '../../../errors.ts'

/** Something on the site that a probe has made, or may have made. */
export interface LeftBehind {
  /** In words: “a draft with the slug …”, “file 12 (“…”)”. */
  what: string
  /** Whether it is the probe's own, and could not be removed; else nothing shows whose it is, and nobody tried. */
  isOurs: boolean
}

/** What the site answered with in the place of what was asked for. */
export const unrecognised = (what: string): LeftBehind => ({ what, isOurs: false })

/** A firewall that blocked the probe may block the next request too; one more try is worth it. */
export async function removeOrTell(
  what: string,
  act: () => Promise<LeftBehind[]>,
  tries = 2,
): Promise<LeftBehind[]> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    if (tries > 1) return removeOrTell(what, act, tries - 1)
    return [{ what: `${what} (${error.code})`, isOurs: true }]
  }
}
