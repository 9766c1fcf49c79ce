import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { hashToken } from '../../secrets/index.ts'
import { Hits } from '../hits.ts'
import { tooMany } from '../rate-limits.ts'

const MINUTE_MS = 60_000
/** Pages one client may open in a minute; each asks the site. */
const PAGES_PER_MINUTE = 60
/** Credentials one link may try in a minute: enough for a person's mistakes, too few to guess a password. */
const TRIES_PER_MINUTE = 10

const quiet = { windowMs: MINUTE_MS, standardHeaders: false, legacyHeaders: false } as const

export const pageLimit = () =>
  rateLimit({
    ...quiet,
    store: new Hits(MINUTE_MS),
    limit: PAGES_PER_MINUTE,
    keyGenerator: ({ ip, socket }) => ipKeyGenerator(ip ?? socket.remoteAddress ?? 'unknown'),
    handler: tooMany('Too many pages were opened from here. Wait a minute, then open the link again.'),
  })

export const tryLimit = () =>
  rateLimit({
    ...quiet,
    store: new Hits(MINUTE_MS),
    limit: TRIES_PER_MINUTE,
    keyGenerator: ({ params }) => hashToken(String(params.token)),
    handler: tooMany('Too many attempts with this link. Wait a minute, then open it again.'),
  })
