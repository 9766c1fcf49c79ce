import { useRef } from 'react'
import { uuid } from '../../app/uuid.ts'

/**
 * An `Idempotency-Key` for each request: the same one, sent again because its answer was lost, has the same key, and makes
 * nothing more.
 */
export function useIdempotencyKey(): (request: unknown) => string {
  const last = useRef({ of: '', key: '' })
  return (request) => {
    const of = JSON.stringify(request)
    if (last.current.of !== of) last.current = { of, key: uuid() }
    return last.current.key
  }
}
