import { describe, expect, it } from 'vitest'
import { probeDraft } from '../../../src/wordpress/doctor/probes/draft.ts'
import type { Finding } from '../../../src/wordpress/doctor/report.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import {
  answer,
  answerAfter,
  type Fault,
  type Match,
  type ProxiedRequest,
  pages,
} from '../../support/proxy/index.ts'
import { findPosts, removePost } from '../../support/wordpress/index.ts'
import { through } from '../proxied.ts'
import { unique } from '../site.ts'
import { containing, jsonAltered } from './lines.ts'

const nothing = async () => undefined

const markupOf = ({ findings }: Awaited<ReturnType<typeof probeDraft>>): Finding =>
  findings.find(({ check }) => check === 'block_markup') as Finding

/** Probes through a fault, and counts the drafts that remain. */
async function probe(fault: Fault, match: Match) {
  const { client } = await through(fault, { match })
  const marker = unique('galley-check')
  const result = await probeDraft(client, { postType: 'posts', marker }, nothing)
  const left = await findPosts(`slug=${marker},${marker}-second,${marker}__trashed`)
  for (const { id } of left) await removePost(id)
  return { ...result, finding: markupOf(result), left: left.length }
}

describe('a draft with every kind of block', () => {
  // That it is stored and removed: run-checks.wordpress.test.ts.
  const filling = { method: 'POST', path: /\/posts\/\d+$/ }
  const long = (request: ProxiedRequest) => request.body.length > 5_000 && containing('wp:')(request)
  const cases: [string, (request: ProxiedRequest) => boolean, string][] = [
    ['that dislikes block comments', containing('<!-- wp:'), 'the comment <!-- wp: itself is blocked'],
    [
      'that dislikes tables and pictures',
      (r) => containing('<table')(r) || containing('<img')(r),
      'these blocks: table, image',
    ],
    ['that dislikes all writing', containing('"content"'), 'every text is refused'],
    ['that dislikes length', long, 'each kind of block is accepted by itself'],
  ]
  for (const [what, where, means] of cases) {
    it(`meets a firewall ${what}: “${means}”, and nothing is left`, async () => {
      const { finding, left } = await probe(answer(pages.modsecurity), { ...filling, where })
      expect(finding).toMatchObject({
        level: 'problem',
        seen: expect.stringContaining('ModSecurity'),
        means: expect.stringContaining(means),
      })
      expect(left).toBe(0)
    })
  }

  it('has no block comments, which a firewall dislikes, where the settings choose classic markup', async () => {
    const match = { ...filling, where: containing('<!-- wp:') }
    const { client } = await through(answer(pages.modsecurity), { match })
    const { findings } = await runChecks(client, { format: 'classic' })
    expect(findings.find(({ check }) => check === 'block_markup')).toMatchObject({ level: 'ok' })
  })

  it('meets a site that strips the comments', async () => {
    const stripped = jsonAltered('stripped of comments', (post) => {
      const content = post.content as { raw: string }
      return { ...post, content: { ...content, raw: content.raw.replace(/<!--.*?-->\n?/g, '') } }
    })
    // As it answers the write, and as it shows the draft afterwards.
    const where = ({ method }: ProxiedRequest) => method === 'POST' || method === 'GET'
    const { finding } = await probe(stripped, { path: filling.path, where })
    expect(finding).toMatchObject({ level: 'warning', seen: expect.stringContaining('removes the comments') })
  })

  it('is found and removed where its making was answered with an error', async () => {
    const { finding, left } = await probe(answerAfter(pages.serverError), {
      method: 'POST',
      path: '/wp/v2/posts',
    })
    expect([finding.level, left]).toEqual(['problem', 0])
  })

  it('is named where it cannot be removed', async () => {
    const { leftBehind, left } = await probe(answer(pages.cloudflareBlock), { method: 'DELETE' })
    const named = { what: expect.stringContaining('a draft with the slug galley-check-'), isOurs: true }
    expect([leftBehind, left]).toEqual([[named, named], 2])
  })
})
