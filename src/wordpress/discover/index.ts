export { addressCandidates, isSameHost, mayReceiveCredentials, resolveSiteHome } from './address.ts'
export { fetchCurrentUser } from './current-user.ts'
export { discover } from './discover.ts'
export {
  fetchRestIndex,
  isClosedToVisitors,
  parseRestIndex,
  type RestIndex,
  requestIndex,
  requestPage,
} from './rest-root.ts'
