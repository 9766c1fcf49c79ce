export * from './faults.ts'
export { pages, redirectTo, restError, tooManyFor } from './pages.ts'
export { methodOf, pathOf, rewriteOrigin, startFaultProxy } from './proxy.ts'
export type { Exchange, Fault, FaultProxy, Match, ProxiedRequest, Reply } from './types.ts'
