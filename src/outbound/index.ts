export { type TransportCode, transportFailures } from './catalogue.ts'
export { createOutbound } from './outbound.ts'
export { parseEntry } from './permission.ts'
export type { Outbound, OutboundOptions, OutboundRequest, OutboundResponse } from './types.ts'
