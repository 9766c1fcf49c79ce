import { asFailure } from '../../../errors.ts'
import { pluralize } from '../../../lib/text.ts'
import { type Finding, line } from '../report.ts'

export interface Leftover {
  /** In words: “a draft with the slug …”, “file 12 (“…”)”. */
  what: string
  /** Whether it is the probe's own, and could not be removed; else nothing shows whose it is, and nobody tried. */
  isOurs: boolean
}

/** What the site answered with in the place of what was asked for. */
export const unrecognisedLeftover = (what: string): Leftover => ({ what, isOurs: false })

/** A firewall that blocked the probe may block the next request too; one more try is worth it. @param act returns what it has left */
export async function removeOrReport(
  what: string,
  act: () => Promise<Leftover[] | undefined>,
  tries = 2,
): Promise<Leftover[]> {
  try {
    return (await act()) ?? []
  } catch (error) {
    const { code } = asFailure(error)
    return tries > 1 ? removeOrReport(what, act, tries - 1) : [{ what: `${what} (${code})`, isOurs: true }]
  }
}

/** What the check has left on the site. @param removed what earlier checks had left, and this one removed */
export function checkCleanup(
  leftBehind: readonly Leftover[],
  removed: { drafts: number; files: number },
): Finding[] {
  const named = (ours: boolean) => leftBehind.filter(({ isOurs }) => isOurs === ours).map(({ what }) => what)
  const [kept, unknown] = [named(true), named(false)]
  const findings = [
    kept.length === 0
      ? null
      : line.cleanup.warning(
          `This check could not remove ${kept.join(', ')}.`,
          'Drafts are shown to nobody; a file may be.',
          'Delete them in WordPress.',
        ),
    unknown.length === 0
      ? null
      : line.cleanup.warning(
          `Where this check asked for something new, the site answered with ${unknown.join(', ')}. Nothing shows that this is what the check made, so it was left alone.`,
          'It may belong to somebody else, or be what this check created, under another name. Visitors would not see such a draft; they might see such a file.',
          'Look at it in WordPress, under Posts or Media with the newest first: delete it if it was made at the time of this check and nobody knows it. What renames it, or answers in its place, is said above.',
        ),
  ].filter((found) => found !== null)
  const cleaned = line.cleanup.ok(
    'Everything this check created on the site was removed.',
    'Nothing was left behind.',
  )
  const [first = cleaned, ...others] = findings
  return [{ ...first, seen: first.seen + earlierSentence(removed) }, ...others]
}

function earlierSentence({ drafts, files }: { drafts: number; files: number }): string {
  const removed = [drafts > 0 && pluralize(drafts, 'draft'), files > 0 && pluralize(files, 'file')]
    .filter(Boolean)
    .join(' and ')
  return removed && ` It also removed ${removed} of earlier checks that were interrupted.`
}
