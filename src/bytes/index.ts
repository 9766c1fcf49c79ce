export {
  BUSY_RETRY_AFTER_MS,
  type ByteBudget,
  type ByteLease,
  type ByteSemaphore,
  createByteBudget,
  DOCUMENT_MEMORY_FACTOR,
  estimateJsonBytes,
} from './budget.ts'
export { registerByteMetrics } from './metrics.ts'
