import { COME_AGAIN_MS } from '../bytes/index.ts'
import { GalleyError } from '../errors.ts'

/** What a client hears when this process holds as many bodies as it may. */
export const noRoom = (): GalleyError =>
  new GalleyError({
    code: 'MEMORY_BUSY',
    message:
      'Galley is handling as much data as its memory limit allows, and did not accept this request. Send it again in a moment; if this keeps happening, its operator can raise GALLEY_BYTES_IN_FLIGHT.',
    httpStatus: 503,
    action: 'retry',
    retryAfterMs: COME_AGAIN_MS,
  })

/** The same in the description of an operation that holds whole files. */
export const NO_ROOM =
  'This process is handling as much data as its memory limit allows. Try again in a moment.'
