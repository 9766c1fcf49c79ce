import { describe, expect, it } from 'vitest'
import { checkBatch } from '../../../src/wordpress/doctor/checks/connection.ts'
import { answer, pages, restError } from '../../support/proxy/index.ts'
import { through } from '../proxied.ts'
import { clientAs } from '../site.ts'

describe('several requests at once', () => {
  for (const role of ['author', 'contributor'] as const) {
    it(`are taken from ${role}, in one request that changes nothing`, async () => {
      expect(await checkBatch(clientAs(role), 'posts')).toMatchObject({
        check: 'batch',
        level: 'ok',
        seen: expect.stringContaining('accepts several requests in one'),
      })
    })
  }

  const refusals = [
    ['a firewall', answer(pages.wordfence), 'Wordfence'],
    ['a plugin', answer(restError(403, 'rest_forbidden', 'No batches here.')), 'No batches here'],
    ['an old WordPress', answer(restError(404, 'rest_no_route', 'No route was found.')), '/batch/v1'],
  ] as const
  for (const [who, fault, seen] of refusals) {
    it(`refused by ${who} are no trouble of the site`, async () => {
      const { client } = await through(fault, { match: { path: '/batch/v1' } })
      const finding = await checkBatch(client, 'posts')
      expect(finding).toMatchObject({ level: 'ok', seen: expect.stringContaining(seen), todo: null })
      expect(finding.seen).toContain('does not accept several requests in one')
    })
  }

  it('are not taken for a type whose routes take none', async () => {
    expect(await checkBatch(clientAs('author'), 'media')).toMatchObject({
      level: 'ok',
      seen: expect.stringContaining('rest_batch_not_allowed'),
    })
  })
})
