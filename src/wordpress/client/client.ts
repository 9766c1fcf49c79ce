import * as module from '@wordpress/api-fetch'
import { type SiteRequestKind, timeSiteRequest } from '../../observe/figures.ts'
import { withSpan } from '../../observe/trace.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { SiteConnection } from '../types.ts'
import type { ContextualOptions } from './context.ts'
import { outboundHandler } from './handler.ts'
import { judge } from './judge.ts'
import { LARGEST_ANSWER } from './limits.ts'
import { siteMiddleware } from './middleware.ts'
import { Outdated } from './outdated.ts'
import { withoutEcho } from './redact.ts'
import { routeUrl } from './route.ts'
import { direct } from './traffic.ts'
import type { ClientOptions, Outgoing, Unjudged, WordPressClient, WordPressRequest } from './types.ts'

/** The function. Its types describe the CommonJS build, where the default export is one level deeper. */
const apiFetch = module.default as unknown as module.ApiFetch

const TIMEOUTS_MS = { read: 30_000, write: 60_000, upload: 180_000 }

apiFetch.setFetchHandler(outboundHandler)
apiFetch.use(siteMiddleware)

/** A client for one site and one user. It holds no connection of its own: those are the outbound guard's. */
export function createClient(
  site: SiteConnection,
  outbound: Outbound,
  options: ClientOptions = {},
): WordPressClient {
  const guarded = withoutEcho(outbound, site)
  const { timeoutsMs, traffic = direct, beforeSend = () => undefined, holds } = options
  const timeouts = { ...TIMEOUTS_MS, ...timeoutsMs }
  const mayLeave = () => {
    beforeSend()
    if (holds?.() === false) throw new Outdated()
  }
  const unjudged: Outgoing['unjudged'] = (request, beforeSend) => {
    const { method = 'GET', path, query, data, form, subject } = request
    const options: ContextualOptions = {
      method,
      path: routeUrl('/', path, query),
      ...(data === undefined ? {} : { data }),
      galley: {
        site,
        outbound: guarded,
        timeoutMs: request.timeoutMs ?? timeouts[kindOf(request)],
        maxBytes: request.maxBytes ?? LARGEST_ANSWER[subject],
        form,
        beforeSend,
      },
    }
    const kind = path === '/batch/v1' && method === 'POST' ? 'batch' : kindOf(request)
    return timeSiteRequest(kind, () => apiFetch<Unjudged>(options))
  }
  const judged: Outgoing['judge'] = (answered, { method = 'GET', doing, subject }) =>
    judge(answered, { site: site.name, method, doing, subject })
  const exchange: Outgoing['exchange'] = async (request, beforeSend) =>
    judged(await unjudged(request, beforeSend), request)
  return {
    site,
    outbound: guarded,
    traffic,
    request: (request) =>
      withSpan(spanOf(request), { kind: 'client', facts: { 'server.address': hostOf(site) } }, () =>
        traffic.send({ site, request, beforeSend: mayLeave, holds, exchange, unjudged, judge: judged }),
      ),
    with: (others) => createClient(site, outbound, { ...options, ...others }),
  }
}

function kindOf({ method, form }: WordPressRequest): Exclude<SiteRequestKind, 'batch'> {
  if (form) return 'upload'
  return method === 'POST' || method === 'DELETE' ? 'write' : 'read'
}

/** Its route, without what a query or an id may say. */
const spanOf = ({ method = 'GET', path }: WordPressRequest): string =>
  `${method} ${path.replace(/[?#].*/, '').replace(/\/\d+/g, '/{id}')}`

const hostOf = ({ restRoot }: SiteConnection): string => new URL(restRoot).hostname
