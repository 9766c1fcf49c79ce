import { createContext, useContext } from 'react'
import type { Right, Session } from '../session/session.ts'

export const SessionContext = createContext<Session | null>(null)

/** The current session. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('outside of the page')
  return session
}

/** Whether the session has a right; what one may not do is not shown. */
export const useMay = (right: Right): boolean => useSession().rights.includes(right)

/** Whether new sites can be connected: a key that is limited to some sites would not see them, and Galley refuses them. */
export function useMayConnect(): boolean {
  const { rights, limited } = useSession()
  return rights.includes('sites.change') && !limited
}

/** Asks for the session again, after a change to it. */
export const SessionRefreshContext = createContext<() => void>(() => undefined)

export const useSessionRefresh = () => useContext(SessionRefreshContext)

type SignOut = (everywhere: boolean) => Promise<void>

export const SignOutContext = createContext<SignOut>(() => Promise.resolve())

/** Signs out, here or in every browser with the same key. */
export const useSignOut = (): SignOut => useContext(SignOutContext)
