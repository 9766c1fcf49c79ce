import { expect, it } from 'vitest'
import { assertKeyScope } from '../../src/accounts/keys.ts'
import type { StoredChange } from '../../src/changes/change-log.ts'
import { visibleChanges } from '../../src/changes/streams.ts'
import { intersection } from '../../src/delivery/api/index-walk.ts'
import { refuseInvisibleSites } from '../../src/http/site-access.ts'
import { sameSites } from '../../src/lib/visible-sites.ts'
import { assertReceiverScope } from '../../src/notifications/receivers/receivers.ts'
import { requireVisibleLimits } from '../../src/sources/sources.ts'
import { growth, NOT_LINEAR } from '../support/growth.ts'

const ids = (count: number) =>
  Array.from({ length: count }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
const key = { accountId: '1', keyId: '2', role: 'manager', labels: ['all'] } as const

// A key that is limited to a label sees as many sites as have it, and a request names as many ids as its body holds.

it('a body that names many sites is held against as many in time that grows with both', () => {
  const check = (siteIds: string[]) =>
    refuseInvisibleSites({ ...key, siteIds, labels: [...key.labels] }, { site_ids: siteIds.toReversed() })
  expect(growth(check, ids, 1_000)).toBeLessThan(NOT_LINEAR)
  expect(() => check(ids(10))).not.toThrow()
  expect(() => refuseInvisibleSites({ ...key, siteIds: ids(10), labels: [] }, { site_ids: ids(11) })).toThrow(
    'is not a site that this API key sees',
  )
})

it('so are the sites of a label, of which a key sees as many', () => {
  expect(growth((all) => intersection(all, [all.toReversed()]), ids, 1_000)).toBeLessThan(NOT_LINEAR)
  expect(intersection(['a', 'b', 'b', 'c'], [['c', 'b'], ['b']])).toEqual(['b'])
  expect(intersection(['a', 'a'], [])).toEqual(['a'])
})

it('and the sites that a source, a receiver or a key is to be for', () => {
  const wide = {
    source: (sites: string[]) =>
      requireVisibleLimits(sites, { sites: sites.toReversed(), labels: [], highest_status: null }),
    receiver: (sites: string[]) => assertReceiverScope(sites, { site_ids: sites.toReversed(), labels: [] }),
    key: (sites: string[]) => assertKeyScope({ siteIds: sites }, { siteIds: sites.toReversed(), labels: [] }),
  }
  for (const [name, check] of Object.entries(wide))
    expect(growth(check, ids, 1_000), name).toBeLessThan(NOT_LINEAR)
  expect(() => assertKeyScope({ siteIds: ids(10) }, { siteIds: ids(11), labels: [] })).toThrow('limited')
  expect(() => requireVisibleLimits(ids(10), { sites: ids(11), labels: [], highest_status: null })).toThrow(
    'sees some',
  )
  expect(() => assertReceiverScope(ids(10), { site_ids: ids(11), labels: [] })).toThrow()
})

it('what many streams of one key see is compared once, whether it is the same or not', () => {
  const copies = (count: number): [string[], string[]] => [ids(count), ids(count).toReversed()]
  expect(growth(([one, other]) => sameSites(one, other), copies, 1_000)).toBeLessThan(NOT_LINEAR)
  expect(sameSites(ids(3), ids(3).toReversed())).toBe(true)
  expect(sameSites(ids(3), ids(4))).toBe(false)
  expect(sameSites(ids(3), [...ids(2), 'another'])).toBe(false)
  expect(sameSites(null, null)).toBe(true)
  expect(sameSites(null, [])).toBe(false)
  expect(sameSites([], null)).toBe(false)
})

it('and the changes of as many', () => {
  const change = (siteId: string): StoredChange => ({
    kind: 'site',
    id: siteId,
    accountId: '1',
    siteIds: [siteId],
    keyId: null,
  })
  const make = (count: number) => ids(count).map(change).toReversed()
  const look = (changes: ReturnType<typeof make>) =>
    visibleChanges({ keyId: '2', siteIds: changes.map(({ id }) => id).toReversed() }, changes)
  expect(growth(look, make, 1_000)).toBeLessThan(NOT_LINEAR)
  expect(visibleChanges({ keyId: '2', siteIds: ids(1) }, make(2)).map(({ id }) => id)).toEqual(ids(1))
})
