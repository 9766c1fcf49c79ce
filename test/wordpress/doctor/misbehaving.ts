import { onTestFinished } from 'vitest'
import type { WordPressClient } from '../../../src/wordpress/client/client.ts'
import type { CheckName, Finding } from '../../../src/wordpress/doctor/report.ts'
import { misbehavingSite } from '../../support/wordpress/index.ts'
import { clientAs, type Role } from '../site.ts'

/** A client of the WordPress under test, which behaves towards it as with these plugins (misbehaving.ts of support). */
export async function misbehaving(how: string, role: Role = 'editor'): Promise<WordPressClient> {
  const site = await misbehavingSite(how)
  onTestFinished(() => site.close())
  return clientAs(role, { restRoot: `${site.url}/wp-json/` })
}

/** Of these findings, the lines of one check. */
export const linesOf = (findings: Finding[], wanted: CheckName): Finding[] =>
  findings.filter(({ check }) => check === wanted)
