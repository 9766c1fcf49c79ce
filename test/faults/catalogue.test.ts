import { afterAll, beforeAll, describe, type ExpectStatic, expect, test } from 'vitest'
import { resumeSite } from '../../src/delivery/ledger/outage.ts'
import { transportFailures } from '../../src/outbound/failures.ts'
import { wordPressFailures } from '../../src/wordpress/failures/catalogue.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import { answer, type Fault, pages, redirectTo, resetBefore, restError } from '../support/proxy/index.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'

const all = { ...wordPressFailures, ...transportFailures }
type Code = keyof typeof all

const rest = (status: number, code: string, message = 'No.') => answer(restError(status, code, message))

/** How a site fails at every request: a failure of each kind, which decides what becomes of delivery and site. */
const failures = {
  site_error: answer(pages.serverError),
  php_fatal_error: answer(pages.phpFatal),
  maintenance_mode: answer(pages.maintenance),
  redirected: answer(redirectTo('https://elsewhere.example/wp-json/')),
  password_wrong: rest(401, 'incorrect_password'),
  rights_missing: rest(403, 'rest_cannot_create'),
  post_gone: rest(404, 'rest_post_invalid_id'),
  request_refused: rest(400, 'a_plugin_says_no'),
  connection_lost: resetBefore,
} satisfies Partial<Record<Code, Fault>>

/** Of what kind a failure is. */
const kindOf = (code: Code): string => {
  const { fault, action } = all[code]
  return `${fault} ${action} ${'effect' in all[code] ? all[code].effect : 'of the transport'}`
}

/** What no request of a reserve can meet. */
const elsewhere = [
  // of what the reserve makes itself of an answer that is no failure
  'delivery owner none',
  // found when a site is connected: a stored password opens no other address
  'owner owner of the transport',
  // as that of the same kind which may be tried again
  'site permanent of the transport',
  // Galley's own, and costs nothing
  'galley retry of the transport',
]

test('every kind of failure is walked here', () => {
  const kinds = new Set((Object.keys(all) as Code[]).map(kindOf))
  const walked = new Set([...(Object.keys(failures) as Code[]).map(kindOf), ...elsewhere])
  expect([...walked].sort()).toEqual([...kinds].sort())
})

const codes = Object.keys(failures) as (keyof typeof failures)[]
/** Two ways back for each. */
const ways = codes.flatMap((code) => (['retry', 'reconnect'] as const).map((way) => ({ code, way })))

let stage: SimulatedStage

beforeAll(async () => {
  stage = await startSimulated({
    sites: ways.length,
    timing: { firstPauseMs: 3_600_000, firstBackoffMs: 3_600_000 },
  })
})
afterAll(() => stage.close())

const siteOf = async (id: string) => {
  const { rows } = await stage.pool.query(
    `SELECT trouble ->> 'code' AS code, trouble ->> 'message' AS message, paused_until IS NOT NULL AS paused,
       trouble_count AS failures
     FROM site WHERE id = $1`,
    [id],
  )
  return rows[0] as { code: string | null; message: string | null; paused: boolean; failures: number }
}

/** The delivery once this attempt is over. */
async function ended(
  expect: ExpectStatic,
  documentId: string,
  attempts: number,
): Promise<DeliveryData & { may_move: boolean }> {
  const found = async () => {
    const { rows } = await stage.pool.query(
      `SELECT d.id, d.status, d.post_id IS NULL AND d.reserve_intent_at IS NULL AS may_move,
         (SELECT count(*)::int FROM delivery_step s WHERE s.delivery_id = d.id AND s.outcome IN ('will_retry', 'held', 'failed', 'delivered')) AS ended
       FROM delivery d WHERE document_id = $1`,
      [documentId],
    )
    return rows[0]
  }
  await expect.poll(async () => (await found()).ended).toBeGreaterThanOrEqual(attempts)
  const { id, may_move } = await found()
  const { body } = await stage.galley.call<{ data: DeliveryData }>('GET', `/v1/deliveries/${id}`)
  return { ...body.data, may_move }
}

/** What each kind of failure leaves: of the delivery, and of its site. */
function expected(code: keyof typeof failures): { status: string; trouble: boolean; paused: boolean } {
  const { fault: whose, action } = all[code]
  if (whose === 'owner') return { status: 'held', trouble: true, paused: false }
  if (whose === 'site') return { status: 'waiting', trouble: true, paused: true }
  const unsure = 'effect' in all[code] && all[code].effect === 'unknown'
  return { status: action === 'permanent' && !unsure ? 'failed' : 'queued', trouble: false, paused: false }
}

describe.concurrent('a delivery that meets', () => {
  test.for(ways.map((way, index) => ({ ...way, index })))(
    '$code, and then a $way',
    { timeout: 180_000 },
    async ({ code, way, index }, { expect }) => {
      const { id: siteId, proxy } = stage.sites[index] as (typeof stage.sites)[number]
      const { status, trouble, paused } = expected(code)
      const stands = async (attempts: number) => {
        const delivery = await ended(expect, documentId, attempts)
        // A second attempt looks first, and a refused look has made nothing: that is certain.
        const now = attempts === 2 && code === 'request_refused' ? 'failed' : status
        expect(delivery).toMatchObject({ status: now, error: { code } })
        expect(delivery.error?.message.length).toBeGreaterThan(20)
        expect(await siteOf(siteId)).toMatchObject(trouble ? { code, paused } : { code: null, paused: false })
        return delivery
      }
      proxy.rule({}, failures[code])
      const documentId = await stage.send(siteId)
      const { id, may_move } = await stands(1)
      // Whatever is known not to have made anything leaves the delivery free to go elsewhere.
      const { fault: whose } = all[code]
      const unsure = 'effect' in all[code] ? all[code].effect === 'unknown' : code === 'connection_lost'
      expect([whose, may_move]).toEqual([whose, !unsure])

      if (way === 'retry') {
        // Not repaired yet: it is as it was, in the same words. A site in trouble is only asked whether it works.
        const { failures: before } = await siteOf(siteId)
        await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
        if (whose === 'site') {
          await expect.poll(async () => (await siteOf(siteId)).failures).toBeGreaterThan(before)
          expect(await siteOf(siteId)).toMatchObject({ code, paused })
          expect(await ended(expect, documentId, 1)).toMatchObject({ status, stands: { waits_for: 'site' } })
        } else await stands(2)
      }
      proxy.clear()
      if (way === 'retry') await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
      else {
        await resumeSite(stage.pool, { accountId: await accountOf(siteId), id: siteId })
        // A site that is connected again starts what it held, and nothing else.
        if (whose === 'delivery') {
          expect(await ended(expect, documentId, 1)).toMatchObject({ status, error: { code } })
          return
        }
        if (whose === 'site')
          await stage.pool.query('UPDATE delivery SET due_at = now() WHERE document_id = $1', [documentId])
      }
      await expect.poll(async () => (await settled(stage.galley, documentId)).status).toBe('delivered')
      await expect.poll(() => siteOf(siteId)).toMatchObject({ code: null, paused: false })
    },
  )
})

const accountOf = async (siteId: string): Promise<string> => {
  const { rows } = await stage.pool.query('SELECT account_id FROM site WHERE id = $1', [siteId])
  return rows[0].account_id
}
