import { createContext, useContext } from 'react'
import type { Right, Session } from '../session/session.ts'

export const SessionContext = createContext<Session | null>(null)

/** Who is signed in. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('outside of the page')
  return session
}

/** Whether who is signed in may do this; what one may not do is not shown. */
export const useMay = (right: Right): boolean => useSession().rights.includes(right)

/** Asks anew who is signed in, after something about it was changed here. */
export const SessionRefreshContext = createContext<() => void>(() => undefined)

export const useSessionRefresh = () => useContext(SessionRefreshContext)
