export { createClient } from './client.ts'
export { readJson } from './json.ts'
export { LARGEST_BATCH, LARGEST_INDEX } from './limits.ts'
export { type Multipart, multipart } from './multipart.ts'
export { isOutdated } from './outdated.ts'
export { read } from './read.ts'
export { withoutEcho } from './redact.ts'
export { routeUrl } from './route.ts'
export type {
  Answer,
  ClientOptions,
  Outgoing,
  Query,
  Traffic,
  Unjudged,
  WordPressClient,
  WordPressRequest,
} from './types.ts'
export { UNCACHED_HEADERS, uncached, withoutUncached } from './uncached.ts'
