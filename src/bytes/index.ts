export { type ByteBudget, createByteBudget } from './budget.ts'
export { COME_AGAIN_MS, type Lane, type Share } from './lane.ts'
export { measureBytes } from './metrics.ts'
export { jsonBytes, WEIGHT_OF_DOCUMENT } from './weight.ts'
