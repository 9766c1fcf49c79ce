import { afterAll, beforeAll, describe, type ExpectStatic, expect, test } from 'vitest'
import { resumeSite } from '../../src/delivery/ledger/pause-and-resume.ts'
import { transportFailures } from '../../src/outbound/failures.ts'
import { wordPressFailures } from '../../src/wordpress/failures/index.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import {
  alter,
  answer,
  type Fault,
  pages,
  redirectTo,
  resetBefore,
  restError,
} from '../support/proxy/index.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'

const all = { ...wordPressFailures, ...transportFailures }
type Code = keyof typeof all

const rest = (status: number, code: string, message = 'No.') => answer(restError(status, code, message))
/** The site's address, as the registry has it, is another. */
const moved = (address: string) => ({ address })

const visitor = answer(
  restError(400, 'rest_invalid_param', 'Invalid parameter(s): status', {
    params: { status: 'Status is forbidden.' },
    details: {
      status: { code: 'rest_forbidden_status', message: 'Status is forbidden.', data: { status: 401 } },
    },
  }),
)

/** How a site fails in each way, at every request. */
const failures = {
  site_error: answer(pages.serverError),
  php_fatal_error: answer(pages.phpFatal),
  database_down: answer(pages.databaseDown),
  maintenance_mode: answer(pages.maintenance),
  maintenance_page: answer(pages.maintenancePage),
  rate_limited: answer(pages.tooMany),
  locked_out: rest(403, 'too_many_retries'),
  gateway_error: answer(pages.badGateway),
  redirected: answer(redirectTo('https://elsewhere.example/wp-json/')),
  parking_page: answer(pages.parking),
  login_wall: answer(pages.loginWall),
  rest_api_disabled: rest(401, 'rest_login_required'),
  rest_route_missing: rest(404, 'rest_no_route'),
  not_found: answer(pages.notFound),
  answer_unreadable: answer(pages.homePage),
  answer_unexpected: alter('an empty object', (reply) => ({
    ...reply,
    status: 200,
    body: Buffer.from('{}'),
  })),
  firewall_cloudflare: answer(pages.cloudflareBlock),
  cloudflare_challenge: answer(pages.cloudflareChallenge),
  firewall_wordfence: answer(pages.wordfenceFirewall),
  firewall_modsecurity: answer(pages.modsecurity),
  firewall_sucuri: answer(pages.sucuri),
  firewall_imunify: answer(pages.imunify),
  firewall_captcha: answer(pages.captcha),
  firewall_blocked: answer(pages.unknownFirewall),
  password_wrong: rest(401, 'incorrect_password'),
  username_unknown: rest(401, 'invalid_username'),
  application_passwords_off: rest(401, 'application_passwords_disabled'),
  not_logged_in: visitor,
  visitors_refused: rest(500, 'wp_die', 'You are not authorized to perform this action.'),
  rights_missing: rest(403, 'rest_cannot_create'),
  cannot_publish: rest(403, 'rest_cannot_publish'),
  setting_refused: rest(400, 'rest_invalid_author'),
  post_gone: rest(404, 'rest_post_invalid_id'),
  term_exists: rest(400, 'term_exists'),
  term_slug_taken: rest(400, 'duplicate_term_slug'),
  field_refused: rest(400, 'rest_invalid_param'),
  upload_too_big: rest(413, 'rest_upload_file_too_big'),
  upload_quota_full: rest(400, 'rest_upload_limited_space'),
  upload_refused: rest(500, 'rest_upload_sideload_error'),
  request_refused: rest(400, 'a_plugin_says_no'),
  connection_lost: resetBefore,
  answer_undecodable: alter('not gzip', (reply) => ({
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'gzip' },
  })),
  address_invalid: moved('ftp://127.0.0.1/'),
  dns_failed: moved('http://nowhere.invalid/wp-json/'),
  site_unreachable: moved('http://127.0.0.1:1/wp-json/'),
} satisfies Partial<Record<Code, Fault | { address: string }>>

/** What no request of a reserve can meet: why, and where it is looked at instead. */
const elsewhere: Partial<Record<Code, string>> = {
  authorization_stripped: 'of an approval by WordPress alone; test/delivery/lockout has it',
  not_wordpress: 'found by discovery alone',
  https_expected: 'a web server’s page, as login_wall; test/wordpress/failures has it',
  answer_of_another: 'made by the reserve itself, of an answer that is no failure; test/delivery has it',
  cannot_upload: 'of uploads, which the picture policy deals with',
  media_gone: 'of uploads, which the picture policy deals with',
  cannot_create_terms: 'of terms, which become warnings',
  term_gone: 'of terms, which become warnings',
  tls_failed: 'as site_unreachable; test/outbound has all of its kinds',
  address_not_allowed: 'tests are allowed every address; test/outbound has its kinds',
  site_timeout: 'as connection_lost; test/faults/silence',
  answer_too_big: 'as answer_undecodable; test/outbound',
  too_many_redirects: 'a delivery follows none',
  memory_busy: 'Galley’s own, and costs nothing; test/outbound/budget',
  request_aborted: 'Galley’s own, and of a process that stops',
}

test('every row of the catalogue is walked here, or it is said why not', () => {
  const rows = Object.keys(all)
  const walked = [...Object.keys(failures), ...Object.keys(elsewhere)]
  expect(walked.sort()).toEqual(rows.sort())
})

const codes = Object.keys(failures) as (keyof typeof failures)[]
/** Two ways back for each. */
const ways = codes.flatMap((code) => (['retry', 'reconnect'] as const).map((way) => ({ code, way })))

let stage: SimulatedStage
let healthy: string[]

beforeAll(async () => {
  stage = await startSimulated({
    sites: ways.length,
    timing: { firstPauseMs: 3_600_000, firstBackoffMs: 3_600_000 },
  })
  const { rows } = await stage.pool.query('SELECT id, rest_root FROM site')
  const roots = new Map(rows.map(({ id, rest_root }) => [id, rest_root]))
  healthy = stage.sites.map(({ id }) => roots.get(id))
})
afterAll(() => stage.close())

const siteOf = async (id: string) => {
  const { rows } = await stage.pool.query(
    `SELECT trouble ->> 'code' AS code, trouble ->> 'message' AS message, paused_until IS NOT NULL AS paused FROM site WHERE id = $1`,
    [id],
  )
  return rows[0] as { code: string | null; message: string | null; paused: boolean }
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
  if (whose === 'site') return { status: 'queued', trouble: true, paused: true }
  const unsure = 'effect' in all[code] && all[code].effect === 'unknown'
  return { status: action === 'permanent' && !unsure ? 'failed' : 'queued', trouble: false, paused: false }
}

describe.concurrent('a delivery that meets', () => {
  test.for(ways.map((way, index) => ({ ...way, index })))(
    '$code, and then a $way',
    { timeout: 180_000 },
    async ({ code, way, index }, { expect }) => {
      const { id: siteId, proxy } = stage.sites[index] as (typeof stage.sites)[number]
      const fault: Fault | { address: string } = failures[code]
      const breaks = async () => {
        if ('address' in fault)
          await stage.pool.query('UPDATE site SET rest_root = $2 WHERE id = $1', [siteId, fault.address])
        else proxy.rule({}, fault)
      }
      const repair = async () => {
        proxy.clear()
        await stage.pool.query('UPDATE site SET rest_root = $2 WHERE id = $1', [siteId, healthy[index]])
      }
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
      await breaks()
      const documentId = await stage.send(siteId)
      const { id, may_move } = await stands(1)
      // Whatever is known not to have made anything leaves the delivery free to go elsewhere.
      const { fault: whose } = all[code]
      const unsure =
        'effect' in all[code]
          ? all[code].effect === 'unknown'
          : ['connection_lost', 'answer_undecodable'].includes(code)
      expect([whose, may_move]).toEqual([whose, !unsure])

      if (way === 'retry') {
        // Not repaired yet: it is as it was, in the same words.
        await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
        await stands(2)
      }
      await repair()
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
