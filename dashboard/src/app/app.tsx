import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { type Session, signOut } from '../session/session.ts'
import { LiveProvider } from './live.tsx'
import { NoticesProvider } from './notices.tsx'
import { createQueryClient } from './query-client.ts'
import { makeRouter } from './router.tsx'
import { SessionContext, SessionRefreshContext } from './session-context.ts'
import { SignOutContext } from './sign-out-context.ts'
import { loadViewAt } from './views.ts'

// Meanwhile it is asked who is signed in, and the frame is drawn.
loadViewAt(location.pathname)

interface AppProps {
  session: Session
  /** It has ended: nobody sees the page, and nothing is asked, until the same key is back. */
  ended: boolean
  /** Who is signed in is to be asked anew. */
  onLook(): void
  onSignedOut(): void
}

/** The page of who is signed in. What it has read is forgotten with the session. */
export default function App({ session, ended, onLook, onSignedOut }: AppProps) {
  const [queryClient] = useState(createQueryClient)
  const [router] = useState(() => makeRouter({ queryClient, session }))

  async function leave(everywhere: boolean) {
    await signOut(everywhere).catch((error: unknown) => {
      // Who is signed out already need not be told.
      if (!(error instanceof ApiFailure && error.status === 401)) throw error
    })
    queryClient.clear()
    onSignedOut()
  }

  return (
    <SessionContext.Provider value={session}>
      <SignOutContext.Provider value={leave}>
        <SessionRefreshContext.Provider value={onLook}>
          <QueryClientProvider client={queryClient}>
            <LiveProvider ended={ended}>
              <NoticesProvider>
                <RouterProvider router={router} />
              </NoticesProvider>
            </LiveProvider>
          </QueryClientProvider>
        </SessionRefreshContext.Provider>
      </SignOutContext.Provider>
    </SessionContext.Provider>
  )
}
