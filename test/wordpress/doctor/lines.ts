import type { CheckName, Finding } from '../../../src/wordpress/doctor/report.ts'
import { alter, type Fault, type ProxiedRequest } from '../../support/proxy/index.ts'
import { findMedia, findPosts } from '../../support/wordpress/index.ts'

export const line = (findings: Finding[], check: CheckName): Finding | undefined =>
  findings.find((finding) => finding.check === check)

export const containing =
  (text: string) =>
  ({ body }: ProxiedRequest): boolean =>
    body.includes(text)

/** WordPress's own answer, its JSON changed. */
export const jsonAltered = (name: string, change: (json: Record<string, unknown>) => unknown): Fault =>
  alter(name, (reply) => ({
    ...reply,
    body: Buffer.from(JSON.stringify(change(JSON.parse(reply.body.toString('utf8'))))),
  }))

/** Ids of everything on the site that a check could have made. */
export async function everything(): Promise<number[]> {
  const items = [
    ...(await findPosts('search=Galley connection check')),
    ...(await findMedia('search=galley-check')),
  ]
  return items.map(({ id }) => id).sort()
}
