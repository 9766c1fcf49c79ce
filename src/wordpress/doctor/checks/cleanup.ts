import { ok, problem, warning } from '../finding.ts'
import type { LeftBehind } from '../probes/left-behind.ts'
import type { Finding } from '../types.ts'

/** What is still on the site of all that the check has made. */
export function checkCleanup(leftBehind: readonly LeftBehind[]): Finding[] {
  const named = (ours: boolean) => leftBehind.filter(({ isOurs }) => isOurs === ours).map(({ what }) => what)
  const [kept, unknown] = [named(true), named(false)]
  if (kept.length === 0 && unknown.length === 0)
    return [
      ok('cleanup', 'Everything this check created on the site was removed.', 'Nothing was left behind.'),
    ]
  return [...(kept.length > 0 ? [notRemoved(kept)] : []), ...(unknown.length > 0 ? [notKnown(unknown)] : [])]
}

const notRemoved = (what: string[]): Finding =>
  problem(
    'cleanup',
    `This check could not remove ${what.join(', ')}.`,
    'Drafts are shown to nobody; a file may be.',
    'Delete them in WordPress.',
  )

const notKnown = (what: string[]): Finding =>
  warning(
    'cleanup',
    `Where this check asked for something new, the site answered with ${what.join(', ')}. Nothing shows that this is what the check made, so it was left alone.`,
    'It may belong to somebody else, or be what this check created, under another name. Visitors would not see such a draft; they might see such a file.',
    'Look at it in WordPress, under Posts or Media with the newest first: delete it if it was made at the time of this check and nobody knows it. What renames it, or answers in its place, is said above.',
  )
