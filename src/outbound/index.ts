export type { TransportCode } from './catalogue.ts'
export { isSafe } from './failure.ts'
export { createOutbound } from './outbound.ts'
export type { Outbound, OutboundOptions, OutboundRequest, OutboundResponse } from './types.ts'
