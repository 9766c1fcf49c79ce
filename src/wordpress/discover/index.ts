export { discover } from './discover.ts'
export { type RestIndex, readIndex } from './index-route.ts'
export type { DiscoveredSite } from './types.ts'
export { whoAmI } from './who-am-i.ts'
