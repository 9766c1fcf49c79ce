export { discover } from './discover.ts'
export type { DiscoveredSite } from './types.ts'
export { whoAmI } from './who-am-i.ts'
