export * from './faults.ts'
export { pages, redirectTo, restError, tooManyFor } from './pages.ts'
export { startFaultProxy } from './proxy.ts'
export type { Exchange, Fault, FaultProxy, LoggedRequest, Match, ProxiedRequest, Reply } from './types.ts'
