import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { Unreachable } from '../api/failure.ts'
import { Failure } from '../components/states/failure.tsx'
import { readSession } from '../session/session.ts'

/** Milliseconds between two looks whether Galley answers again. */
const LOOK_MS = 5_000

/**
 * A view that cannot be shown. Where its files did not come since nobody answered, the page is loaded anew as soon as somebody
 * does: what a browser once failed to load of a view (its style sheets) is not asked for again otherwise.
 */
export function RouteFailure({ error }: ErrorComponentProps) {
  const router = useRouter()
  const away = error instanceof Unreachable
  const look = useCallback(
    () =>
      void readSession().then(
        () => location.reload(),
        () => undefined,
      ),
    [],
  )
  useEffect(() => {
    if (!away) return
    const timer = setInterval(look, LOOK_MS)
    addEventListener('online', look)
    return () => {
      clearInterval(timer)
      removeEventListener('online', look)
    }
  }, [away, look])
  return <Failure error={error} onAgain={away ? look : () => void router.invalidate()} />
}

/**
 * Loads a view's file. Where that fails it is asked whether Galley is there at all: a file that is gone is one of an older build,
 * for which the router loads the page anew, and that would leave nothing to look at where nobody answers.
 */
export const fileOf =
  <File,>(load: () => Promise<File>) =>
  (): Promise<File> =>
    load().catch(async (error: unknown) => {
      await readSession().catch((why: unknown) => {
        if (why instanceof Unreachable) throw why
      })
      throw error
    })
