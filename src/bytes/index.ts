export { type ByteBudget, createByteBudget, DEFAULT_BYTES_IN_FLIGHT } from './budget.ts'
export { COME_AGAIN_MS, type Lane, type Share } from './lane.ts'
export { measureBytes } from './metrics.ts'
export { type Use, uses } from './uses.ts'
