import type { WordPressClient } from '../client/index.ts'
import { worst } from './finding.ts'
import { examinePosting } from './posting-checks.ts'
import { examineGround } from './prerequisites.ts'
import type { DoctorReport } from './types.ts'

export interface Examination {
  /** REST base of the type that documents become; default `posts`. */
  postType?: string
  /** The time now, in milliseconds; for the clock check. */
  now?: () => number
}

/**
 * Examines a connected site: from the network upwards, and no further than there is ground to stand on. It
 * writes a draft and a few tiny files to see what gets through, and takes them away again.
 */
export async function examine(
  client: WordPressClient,
  { postType = 'posts', now = Date.now }: Examination = {},
): Promise<DoctorReport> {
  const { findings: below, ground, home } = await examineGround(client, now())
  const above = ground ? await examinePosting(client, ground, postType) : { findings: [], abilities: null }
  const findings = [...below, ...above.findings]
  return {
    checkedAt: new Date(now()).toISOString(),
    level: worst(findings),
    findings,
    home,
    abilities: above.abilities,
  }
}
