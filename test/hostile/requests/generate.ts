import { hostile as hostileAddresses } from '../../outbound/hostile.ts'
import type { Kind, Party } from '../stage/party.ts'
import type { Draw } from '../stage/random.ts'
import { shortTexts, toJson } from '../stage/texts.ts'
import type { WireRequest } from '../stage/wire.ts'
import type { World } from '../stage/world.ts'
import { csv } from './csv.ts'
import { callsOf, type DescribedCall, type Description } from './description.ts'
import { encodings } from './encode.ts'
import { authorization, oddHeaders } from './headers.ts'
import { malformed } from './malformed.ts'
import { hostile, mutate, sample } from './sample.ts'
import { query, spellings } from './target.ts'

/** A request, and what is known of it before it is sent. */
export interface Generated {
  request: WireRequest
  /** In words, without its bytes. */
  label: string
  /** Whether every well-behaved server has to say something to it. */
  wellFormed: boolean
}

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'LINK',
  'M-SEARCH',
]

/** Routes that are no part of the API, and that everybody can reach. */
const openRoutes = (token: string): DescribedCall[] =>
  [
    ...['/', '/healthz', '/readyz', '/metrics', '/openapi.json', '/favicon.ico', '/nowhere'],
    ...['', '/approved', '/rejected', '/connected', '/refused'].map((page) => `/connect/${token}${page}`),
  ].map((path) => ({ method: 'GET', path, operation: { responses: {} } }))

/** Makes requests out of the service's own description of itself, the same ones for the same seed. */
export function requestMaker(draw: Draw, world: World, description: Description): () => Generated {
  const calls = callsOf(description)
  const addresses = Object.values(hostileAddresses).flat()
  const { attackers, neighbour, honest } = world
  const strangers = [neighbour, honest]

  const ofKind = (kind: Kind, own: Party): string => {
    const owner = draw.chance(0.6) ? own : draw.pick([...attackers, ...strangers])
    return draw.pick([...owner.ids[kind], draw.uuid()])
  }

  const plausible =
    (own: Party) =>
    (name: string): unknown => {
      const { url, wordpress } = own.site
      if (name === 'url')
        return draw.pick([url, `${url}/wp-admin/`, draw.pick(addresses), 'http://127.0.0.1:1/'])
      if (name === 'upstream_base_url') return draw.pick(['https://api.example.com/v1', draw.pick(addresses)])
      if (name === 'username') return wordpress.username
      if (name === 'application_password') return wordpress.password
      if (name === 'site_id') return ofKind('site', own)
      if (name === 'id' && draw.chance(0.5)) return ofKind('site', own)
      if (name === 'cursor') return ofKind('delivery', own)
      return undefined
    }

  const pathOf = (path: string, own: Party): string => {
    const kind = kindOf(path)
    const named: Record<string, string> = {
      token: draw.pick([own.token, own.token, own.signedToken, own.linkToken, draw.uuid()]),
    }
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (draw.chance(0.08))
        return (
          encodeURIComponent(draw.pick(shortTexts.filter((text) => !/[\ud800-\udfff]/.test(text)))) || 'x'
        )
      return named[name] ?? ofKind(kind, own)
    })
  }

  const bodyText = ({ operation }: DescribedCall, own: Party): string | null => {
    const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
    if (content === undefined) return draw.chance(0.1) ? toJson(hostile(draw)) : null
    if (type === 'text/csv') return csv(draw, own)
    let body = sample(draw, description, content.schema, plausible(own))
    const mutations = draw.pick([0, 0, 1, 1, 1, 2, 3])
    for (let n = 0; n < mutations; n += 1) body = mutate(draw, body)
    return toJson(body)
  }

  const made = (): Generated => {
    const own = draw.pick(attackers)
    const call = draw.chance(0.9) ? draw.pick(calls) : draw.pick(openRoutes(own.linkToken))
    const method = draw.chance(0.06) ? draw.pick(METHODS) : call.method
    const parameters = (call.operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && draw.chance(0.5))
      .map(({ name, schema }): [string, string] => [
        name,
        String(sample(draw, description, schema, plausible(own))),
      ])
    const plain = pathOf(call.path, own)
    const path = draw.chance(0.07) ? draw.pick(spellings)(plain) : plain
    const target = withoutWhite(`${path}${query(draw, parameters)}`)
    if (draw.chance(0.02)) {
      const raw = draw.pick(malformed(target, own.key))
      return {
        request: { method, target, headers: [], body: null, raw },
        label: `malformed ${raw.toString('latin1')}`,
        wellFormed: false,
      }
    }
    const text = bodyText(call, own)
    const encode = draw.chance(0.75) ? (encodings[0] as (typeof encodings)[0]) : draw.pick(encodings)
    const encoded = text === null ? { body: null, headers: [] } : encode(text, draw)
    if (call.operation.requestBody?.content['text/csv'] && draw.chance(0.8))
      encoded.headers = [['Content-Type', 'text/csv']]
    const odd = draw.chance(0.12) ? draw.pick(oddHeaders) : []
    const headers = [
      ...authorization(
        draw,
        own.key,
        attackers.map(({ key }) => key),
      ),
      ...encoded.headers,
      ...odd,
    ]
    const framed = odd.some(([name]) =>
      /^(content-length|transfer-encoding|host|upgrade|x-longer|x-more-0)$/i.test(name),
    )
    const lengths = headers.some(([name]) => /^(content-length|expect)$/i.test(name))
    return {
      request: { ...encoded, method, target, headers },
      label: labelOf(method, target, [...encoded.headers, ...odd], text),
      wellFormed:
        !framed &&
        !lengths &&
        !('abortAt' in encoded) &&
        !('stayMs' in encoded) &&
        target.length < 10_000 &&
        /^[/*]/.test(target),
    }
  }
  return made
}

/** What a request was, without its key. */
const labelOf = (method: string, target: string, headers: [string, string][], text: string | null): string =>
  [
    `${method} ${target.slice(0, 160)}`,
    ...headers.map(([name, value]) => `${name}: ${value.slice(0, 40)}`),
    text?.slice(0, 300) ?? '',
  ].join(' | ')

/** Of what kind the ids in a path are. */
function kindOf(path: string): Kind {
  const kinds: [RegExp, Kind][] = [
    [/bulk/, 'bulk'],
    [/sites/, 'site'],
    [/sources/, 'source'],
    [/keys/, 'key'],
    [/connect-links/, 'link'],
    [/events/, 'event'],
  ]
  return kinds.find(([pattern]) => pattern.test(path))?.[1] ?? 'delivery'
}

/** A request line has no spaces but its own two. */
const withoutWhite = (target: string): string => target.replace(/[\s\0]/g, '%20')
