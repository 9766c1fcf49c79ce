import { createContext, useContext } from 'react'

type SignOut = (everywhere: boolean) => Promise<void>

export const SignOutContext = createContext<SignOut>(() => Promise.resolve())

/** Signs out, here or in every browser that was signed in with the same key. */
export const useSignOut = (): SignOut => useContext(SignOutContext)
