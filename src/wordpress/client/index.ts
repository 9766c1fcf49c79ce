export type {
  Answer,
  ClientOptions,
  PreparedRequest,
  Query,
  Traffic,
  UnclassifiedAnswer,
  WordPressClient,
  WordPressRequest,
} from './client.ts'
export {
  addCacheBuster,
  assertAnswerMatchesRequest,
  createClient,
  directTraffic,
  isStaleObservation,
  NO_CACHE_HEADERS,
  removeCacheBuster,
  requestParsed,
  routeUrl,
} from './client.ts'
export { extractJson, MAX_BATCH_BYTES, MAX_INDEX_BYTES } from './json.ts'
export { type Multipart, multipart } from './multipart.ts'
export { redactCredentials } from './redact.ts'
