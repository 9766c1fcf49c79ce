import { randomUUID } from 'node:crypto'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Logger, pino } from 'pino'
import { startGalley } from '../../src/app/galley.ts'
import { type Config, loadConfig } from '../../src/config/config.ts'
import type { Timing } from '../../src/jobs/heartbeat.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from './database/fresh-database.ts'
import { testSettings } from './settings.ts'

interface Answer<Body = Record<string, unknown>> {
  status: number
  body: Body
}

/** A whole Galley of a test's own, over HTTP, on a database of its own. */
export interface TestGalley {
  url: string
  /** Where health and metrics are beside it; undefined for nowhere. */
  metricsUrl: string | undefined
  connectionString: string
  call<Body = Record<string, never>>(method: string, path: string, body?: unknown): Promise<Answer<Body>>
  stop(): Promise<void>
}

/**
 * @param database one that outlives this Galley, for tests that start another on it
 * @param timing of leases and time-outs, where a test cannot wait for the standard one
 * @param log for tests of what is written to it
 */
export async function startTestGalley(
  overrides: Partial<Config> = {},
  database?: FreshDatabase,
  timing?: Timing,
  log: Logger = pino({ level: process.env.TEST_LOG_LEVEL ?? 'fatal' }),
): Promise<TestGalley> {
  const own = database === undefined ? await freshDatabase() : undefined
  const { connectionString } = database ?? (own as FreshDatabase)
  const key = overrides.adminKey ?? createApiKey()
  const config: Config = {
    ...loadConfig({
      DATABASE_URL: connectionString,
      GALLEY_SECRET_KEYS: generateSecretKey(),
      GALLEY_ADMIN_KEY: key,
      ...testSettings,
      LOG_LEVEL: 'fatal',
    }),
    ...overrides,
  }
  const galley = await startGalley(config, log, undefined, timing)
  const url = galley.url as string
  return {
    url,
    metricsUrl: galley.metricsUrl,
    connectionString,
    async call(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = { status: response.status, body: await response.json() }
      await assertAsDescribed({ method, path, ...answer })
      return answer
    },
    async stop() {
      await galley.stop()
      await own?.drop()
    },
  }
}

/** A source's webhook address on this Galley, whatever its PUBLIC_URL says. */
export async function webhookPath(galley: TestGalley): Promise<string> {
  const { body } = await galley.call<{ data: { url: string } }>('POST', '/v1/sources', { name: randomUUID() })
  return new URL(body.data.url).pathname
}

export interface DeliveryData {
  id: string
  status: string
  post: { id: number; url: string; edit_url: string; status: string } | null
  warnings: { code: string; message: string; severity: string }[]
  attempts: number
  error: { code: string; message: string; step: string } | null
  timeline: { at: string; step: string; outcome: string; detail?: string }[]
}

/** The delivery of a document, once it has come to rest; a busy machine is no fault, and whoever waits in vain waits long. */
export async function settled(galley: TestGalley, documentId: string, seconds = 150): Promise<DeliveryData> {
  const began = performance.now()
  for (;;) {
    const list = await galley.call<{ data?: { id: string; status: string }[] }>(
      'GET',
      `/v1/deliveries?document_id=${documentId}`,
    )
    // A look may itself meet the fault of a database that a test makes.
    const found = list.body.data?.[0]
    if (found !== undefined && ['delivered', 'withdrawn', 'held', 'failed'].includes(found.status)) {
      const { body } = await galley.call<{ data: DeliveryData }>('GET', `/v1/deliveries/${found.id}`)
      return body.data
    }
    const waitedMs = performance.now() - began
    if (waitedMs > seconds * 1000) {
      const seen = found && (await galley.call('GET', `/v1/deliveries/${found.id}`)).body
      throw new Error(`document ${documentId} did not come to rest: ${JSON.stringify(seen ?? list)}`)
    }
    // A look costs Galley and its database more than what is waited for.
    await new Promise((resolve) => setTimeout(resolve, Math.min(100 + waitedMs / 5, 1_000)))
  }
}

/** Removes the sites of a user: each is connected once for a user, and the next test connects it with other settings. */
export async function removeSitesOf({ call }: Pick<TestGalley, 'call'>, username: string): Promise<void> {
  const { body } = await call<{ data: { id: string; username: string }[] }>('GET', '/v1/sites?limit=100')
  for (const site of body.data) if (site.username === username) await call('DELETE', `/v1/sites/${site.id}`)
}

interface Description {
  paths: Record<string, Record<string, { responses: Record<string, DescribedResponse> }>>
}

interface DescribedResponse {
  content?: Record<string, { schema: { $ref?: string } }>
  headers?: Record<string, object>
}

/** An answer as a client saw it. */
export interface ObservedAnswer {
  method: string
  /** With its query, if it had one. */
  path: string
  status: number
  body: unknown
  headers?: Headers
}

let loaded: Promise<(seen: ObservedAnswer) => void> | undefined

/**
 * Holds an answer of a Galley against the description of its API: that the status is described, and that the body is as
 * described, with nothing in it that is not. All tests that speak to a Galley ask through this.
 *
 * @throws where the answer is not as described
 */
export async function assertAsDescribed(seen: ObservedAnswer): Promise<void> {
  if (!seen.path.startsWith('/v1/')) return
  loaded ??= loadCheck()
  ;(await loaded)(seen)
}

/** Those that a client reads; what protects a browser is not described. */
const DESCRIBED_HEADERS = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
].concat(['Content-Disposition', 'Set-Cookie', 'ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Range'])

/** Made once for all files of a worker: it takes longer than many a test. */
async function loadCheck(): Promise<(seen: ObservedAnswer) => void> {
  const { description: published } = await import('../../scripts/openapi/routes.ts')
  const description = closed(JSON.parse(JSON.stringify(published))) as Description
  // The description is checked as a whole elsewhere, and each part of it is used too rarely to be made fast.
  const quick = { validateSchema: false, inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...quick })
  addFormats.default(ajv)
  ajv.addSchema(description, 'galley')
  const compiled = new Map<string, ValidateFunction>()
  const validator = (ref: string) => {
    const known = compiled.get(ref) ?? ajv.compile({ $ref: `galley${ref}` })
    compiled.set(ref, known)
    return known
  }
  const templates = Object.keys(description.paths)
    // A path that is written out comes before one with a parameter in its place.
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }))

  return ({ method, path, status, body, headers }) => {
    // As `fetch` sends it: `%2e%2e` leads to the folder above.
    const { pathname: plain } = new URL(path, 'http://galley.test')
    const template = templates.find(({ pattern }) => pattern.test(plain))?.template
    const operation = template ? description.paths[template]?.[method.toLowerCase()] : undefined
    const name = operation ? nameOf(operation.responses, status) : 'default'
    if (name === undefined || (name === 'default' && status < 400))
      throw new Error(`${method} ${path} answered ${status}, which /openapi.json does not describe`)
    const { content, headers: described = {} } = operation?.responses[name] ?? {}
    for (const header of DESCRIBED_HEADERS)
      if (operation && headers?.has(header) && !(header in described))
        throw new Error(`${method} ${path} answered with ${header}, which /openapi.json does not describe`)
    if (content !== undefined && !('application/json' in content)) {
      if (typeof body === 'string') return
      throw new Error(`${method} ${path} answered JSON, where /openapi.json describes a file`)
    }
    // An address or a method that is not there: what is answered is a failure like any other.
    const schema = content?.['application/json']?.schema ?? { $ref: '#/components/schemas/Failure' }
    // Nine of ten answers name a schema that others have too.
    const at = `${escaped(String(template))}/${method.toLowerCase()}/responses/${name}`
    const validate = validator(schema.$ref ?? `#/paths/${at}/content/application~1json/schema`)
    if (validate(body)) return
    throw new Error(
      `${method} ${path} answered ${status}, and not as /openapi.json describes: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body, null, 1).slice(0, 2_000)}`,
    )
  }
}

const nameOf = (responses: Record<string, DescribedResponse>, status: number): string | undefined =>
  [String(status), 'default'].find((name) => name in responses)

const escaped = (template: string): string =>
  encodeURIComponent(template.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Lets no object have members that are not described, unless it says that it may. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const members = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, closed(member)]))
  const { type, properties, additionalProperties } = members
  return type === 'object' && properties !== undefined && additionalProperties === undefined
    ? { ...members, additionalProperties: false }
    : members
}
