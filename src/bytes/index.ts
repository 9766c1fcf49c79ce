export {
  BUSY_RETRY_AFTER_MS,
  type ByteBudget,
  type ByteLease,
  createByteBudget,
  DOCUMENT_MEMORY_FACTOR,
  estimateJsonBytes,
  Semaphore,
} from './budget.ts'
export { registerByteMetrics } from './metrics.ts'
