import { GalleyError } from '../../../errors.ts'
import { type Finding, ok, problem, warning } from '../report.ts'

/** Something on the site that a probe has made, or may have made. */
export interface Leftover {
  /** In words: “a draft with the slug …”, “file 12 (“…”)”. */
  what: string
  /** Whether it is the probe's own, and could not be removed; else nothing shows whose it is, and nobody tried. */
  isOurs: boolean
}

/** What the site answered with in the place of what was asked for. */
export const unrecognisedLeftover = (what: string): Leftover => ({ what, isOurs: false })

/** A firewall that blocked the probe may block the next request too; one more try is worth it. */
export async function removeOrReport(
  what: string,
  act: () => Promise<Leftover[]>,
  tries = 2,
): Promise<Leftover[]> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    if (tries > 1) return removeOrReport(what, act, tries - 1)
    return [{ what: `${what} (${error.code})`, isOurs: true }]
  }
}

/** What is still on the site of all that the check has made. */
export function checkCleanup(leftBehind: readonly Leftover[]): Finding[] {
  const named = (ours: boolean) => leftBehind.filter(({ isOurs }) => isOurs === ours).map(({ what }) => what)
  const [kept, unknown] = [named(true), named(false)]
  if (kept.length === 0 && unknown.length === 0)
    return [
      ok('cleanup', 'Everything this check created on the site was removed.', 'Nothing was left behind.'),
    ]
  return [
    ...(kept.length > 0 ? [notRemovedFinding(kept)] : []),
    ...(unknown.length > 0 ? [unknownLeftoverFinding(unknown)] : []),
  ]
}

const notRemovedFinding = (what: string[]): Finding =>
  problem(
    'cleanup',
    `This check could not remove ${what.join(', ')}.`,
    'Drafts are shown to nobody; a file may be.',
    'Delete them in WordPress.',
  )

const unknownLeftoverFinding = (what: string[]): Finding =>
  warning(
    'cleanup',
    `Where this check asked for something new, the site answered with ${what.join(', ')}. Nothing shows that this is what the check made, so it was left alone.`,
    'It may belong to somebody else, or be what this check created, under another name. Visitors would not see such a draft; they might see such a file.',
    'Look at it in WordPress, under Posts or Media with the newest first: delete it if it was made at the time of this check and nobody knows it. What renames it, or answers in its place, is said above.',
  )
