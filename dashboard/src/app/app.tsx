import './app.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../../src/client/calls.ts'
import { forgetUnanswered } from '../api/client.ts'
import { type Session, signOut } from '../session/session.ts'
import { LiveProvider } from './live.tsx'
import { NoticesProvider } from './notices.tsx'
import { makeRouter } from './router.tsx'
import { SessionContext, SessionRefreshContext, SignOutContext } from './session-context.ts'
import { loadViewAt } from './views.ts'

// Loads while the session is asked for and the frame is drawn.
loadViewAt(location.pathname)

interface AppProps {
  session: Session
  /** The session has ended: the page is hidden and asks for nothing until the same key is back. */
  ended: boolean
  /** Asks for the session again. */
  onRefresh(): void
  onSignedOut(): void
}

/** The page of a session. Its data is forgotten with the session. */
export default function App({ session, ended, onRefresh, onSignedOut }: AppProps) {
  const [queryClient] = useState(createQueryClient)
  const [router] = useState(() => makeRouter({ queryClient, session }))

  async function leave(everywhere: boolean) {
    await signOut(everywhere).catch((error: unknown) => {
      // Already signed out.
      if (!(error instanceof ApiError && error.status === 401)) throw error
    })
    queryClient.clear()
    forgetUnanswered()
    sessionStorage.clear()
    onSignedOut()
  }

  return (
    <SessionContext.Provider value={session}>
      <SignOutContext.Provider value={leave}>
        <SessionRefreshContext.Provider value={onRefresh}>
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

/** Cached data is shown at once and refetched. */
const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        gcTime: 10 * 60_000,
        // A refusal stays a refusal; no answer may be one in a moment.
        retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < 2,
        // The browser's idea of the network says nothing about Galley.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
