import { operations } from '../../../src/client/api.ts'

/** A stream that is opened before there is anybody to hear it. */
export interface EarlyStream {
  response: Promise<Response | undefined>
  /** Whether it is open: what is asked from now on is not older than what it tells. */
  isOpen(): boolean
  stop(): void
}

let early: EarlyStream | undefined

/** Opens it beside all else that is loaded, so that nothing has to be asked once more when it begins. */
export function openEarly(): void {
  const stop = new AbortController()
  let open = false
  const response = fetch(operations.openStream.path, {
    headers: { Accept: 'text/event-stream' },
    signal: stop.signal,
  }).then(
    (answer) => {
      open = answer.ok
      // Whoever signs in after that is answered something else.
      return answer.status === 401 ? undefined : answer
    },
    () => undefined,
  )
  early = { response, isOpen: () => open, stop: () => stop.abort() }
}

/** Whether one is open that nobody has taken yet. */
export const isOpenEarly = (): boolean => early?.isOpen() ?? false

/** Hands it to whoever hears it, once. */
export function takeEarly(): EarlyStream | undefined {
  const taken = early
  early = undefined
  return taken
}
