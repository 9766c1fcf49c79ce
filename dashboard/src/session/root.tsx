import { __ } from '@wordpress/i18n'
import {
  Component,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { ApiError } from '../../../src/client/calls.ts'
import { onSignedOut } from '../api/client.ts'
import { openEarlyStream } from '../api/stream.ts'
import { Loading } from '../components/loading.tsx'
import { readSession, type Session } from './session.ts'
import { SignIn } from './sign-in.tsx'

const loadApp = () => import('../app/app.tsx')
const App = lazy(loadApp)

/** The id of the key that signed in last in this browser. With one, the app loads while the session is asked for. */
const SIGNED_IN_KEY = 'galley.signed-in'
if (localStorage.getItem(SIGNED_IN_KEY) !== null) {
  void loadApp().catch(() => undefined)
  // A tab in the background has no stream.
  if (document.visibilityState === 'visible') openEarlyStream()
}

/** The session, asked for before anything is drawn. The first caller takes the answer. */
let asked: Promise<Session> | undefined = readSession()
asked.catch(() => undefined)

function takeSession(): Promise<Session> {
  const session = asked ?? readSession()
  asked = undefined
  return session
}

type State =
  | { is: 'asking' }
  | { is: 'signed-in'; session: Session }
  /** The session has ended: the page stays, hidden behind the sign-in form. */
  | { is: 'ended'; session: Session; said: string | undefined }
  /** With Galley's reason, if any. */
  | { is: 'signed-out'; said?: string | undefined }
  | { is: 'away' }

/** The page, or the sign-in form. */
export function Root() {
  const [state, setState] = useState<State>({ is: 'asking' })

  /** Asks for the session. The page stays meanwhile, and when nobody answers. */
  const ask = useCallback(
    () =>
      takeSession().then(
        (session) => setState({ is: 'signed-in', session }),
        (error) =>
          setState((before) => {
            if (before.is !== 'asking' && before.is !== 'away') return before
            if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403))
              return { is: 'away' }
            return { is: 'signed-out', said: error.status === 403 ? error.message : undefined }
          }),
      ),
    [],
  )
  useEffect(() => void ask(), [ask])
  useEffect(
    () =>
      onSignedOut((said) =>
        setState((before) => (before.is === 'signed-in' ? { ...before, is: 'ended', said } : before)),
      ),
    [],
  )
  const keyId = state.is === 'signed-in' ? state.session.key.id : undefined
  useEffect(() => {
    if (keyId !== undefined) localStorage.setItem(SIGNED_IN_KEY, keyId)
    if (state.is === 'signed-out' || state.is === 'ended') localStorage.removeItem(SIGNED_IN_KEY)
  }, [keyId, state.is])
  useEffect(() => {
    // Another tab signed in or out; the cookie is shared.
    const changed = ({ key }: StorageEvent) => {
      if (key === SIGNED_IN_KEY) void ask()
    }
    addEventListener('storage', changed)
    return () => removeEventListener('storage', changed)
  }, [ask])

  if (state.is === 'asking') return <Loading />
  if (state.is === 'away') return <Away onRefresh={ask} />
  const ended = state.is === 'ended'
  return (
    <>
      {state.is !== 'signed-in' && (
        <SignIn
          ended={ended}
          said={state.said}
          onSignedIn={(session) => setState({ is: 'signed-in', session })}
        />
      )}
      {state.is !== 'signed-out' && (
        <SessionPage
          // Another key sees nothing of this one's page.
          key={state.session.key.id}
          hidden={ended}
        >
          <ErrorBoundary>
            <Suspense fallback={<Loading />}>
              <App
                session={state.session}
                ended={ended}
                onRefresh={ask}
                onSignedOut={() => setState({ is: 'signed-out' })}
              />
            </Suspense>
          </ErrorBoundary>
        </SessionPage>
      )}
    </>
  )
}

/** Hides the page while the session has ended, and restores its title when the same key is back. */
function SessionPage({ hidden, children }: { hidden: boolean; children: ReactNode }) {
  const title = useRef<string>()
  useLayoutEffect(() => {
    if (hidden) title.current = document.title
    else if (title.current !== undefined) document.title = title.current
  }, [hidden])
  return <div hidden={hidden}>{children}</div>
}

/** Milliseconds between two checks whether Galley answers. */
const POLL_MS = 5_000

function Away({ onRefresh }: { onRefresh(): void }) {
  useEffect(() => {
    const timer = setInterval(onRefresh, POLL_MS)
    addEventListener('online', onRefresh)
    return () => {
      clearInterval(timer)
      removeEventListener('online', onRefresh)
    }
  }, [onRefresh])
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>{__('Galley does not answer', 'galley')}</h1>
        <p>{__('Check whether it is running and whether you are online, and try again.', 'galley')}</p>
        <button type="button" className="sign-in-button" onClick={onRefresh}>
          {__('Try again', 'galley')}
        </button>
      </div>
    </main>
  )
}

/** Shows an error when the page cannot be loaded or has crashed. */
class ErrorBoundary extends Component<{ children: ReactNode }, { stopped: boolean }> {
  override state = { stopped: false }

  static getDerivedStateFromError = () => ({ stopped: true })

  override render() {
    if (!this.state.stopped) return this.props.children
    return (
      <main className="sign-in">
        <div className="sign-in-card" role="alert">
          <h1>{__('The page could not be loaded', 'galley')}</h1>
          <p>{__('There may be a newer version of it, or the network is down.', 'galley')}</p>
          <button type="button" className="sign-in-button" onClick={() => location.reload()}>
            {__('Load it again', 'galley')}
          </button>
        </div>
      </main>
    )
  }
}
