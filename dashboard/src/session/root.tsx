import { __ } from '@wordpress/i18n'
import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { onSignedOut } from '../api/client.ts'
import { openEarly } from '../api/early-stream.ts'
import { ApiFailure } from '../api/failure.ts'
import { Loading } from '../components/states/loading.tsx'
import { readSession, type Session } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { Stopped } from './stopped.tsx'

const loadApp = () => import('../app/app.tsx')
const App = lazy(loadApp)

/**
 * The id of the key that was signed in with here last, in whichever tab: where there is one, all else is loaded while Galley
 * is asked whether it still is.
 */
const SIGNED_IN = 'galley.signed-in'
if (localStorage.getItem(SIGNED_IN) !== null) {
  void loadApp().catch(() => undefined)
  // A tab in the background has no stream.
  if (document.visibilityState === 'visible') openEarly()
}

/** Who is signed in, asked before anything is drawn; the first who wants to know takes the answer. */
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
  /** What was at work stays behind the way in, unseen, until it is known who comes. */
  | { is: 'ended'; session: Session; said: string | undefined }
  /** With what Galley has said of it, if anything. */
  | { is: 'signed-out'; said?: string | undefined }
  | { is: 'away' }

/** Either the page, or the way in. */
export function Root() {
  const [state, setState] = useState<State>({ is: 'asking' })

  /** Asks who is signed in. What is shown stays meanwhile, and where nobody answers. */
  const ask = useCallback(
    () =>
      takeSession().then(
        (session) => setState({ is: 'signed-in', session }),
        (error) =>
          setState((before) => {
            if (before.is !== 'asking' && before.is !== 'away') return before
            if (!(error instanceof ApiFailure) || (error.status !== 401 && error.status !== 403))
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
    if (keyId !== undefined) localStorage.setItem(SIGNED_IN, keyId)
    if (state.is === 'signed-out' || state.is === 'ended') localStorage.removeItem(SIGNED_IN)
  }, [keyId, state.is])
  useEffect(() => {
    // Another tab has signed in or out: this one has the same cookie.
    const changed = ({ key }: StorageEvent) => {
      if (key === SIGNED_IN) void ask()
    }
    addEventListener('storage', changed)
    return () => removeEventListener('storage', changed)
  }, [ask])

  if (state.is === 'asking') return <Loading />
  if (state.is === 'away') return <Away onLook={ask} />
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
        <Kept
          // Nothing of one key is shown to another.
          key={state.session.key.id}
          hidden={ended}
        >
          <Stopped>
            <Suspense fallback={<Loading />}>
              <App
                session={state.session}
                ended={ended}
                onLook={ask}
                onSignedOut={() => setState({ is: 'signed-out' })}
              />
            </Suspense>
          </Stopped>
        </Kept>
      )}
    </>
  )
}

/** Hides the page while the session has ended, and restores its title when the same key is back. */
function Kept({ hidden, children }: { hidden: boolean; children: ReactNode }) {
  const title = useRef<string>()
  useLayoutEffect(() => {
    if (hidden) title.current = document.title
    else if (title.current !== undefined) document.title = title.current
  }, [hidden])
  return <div hidden={hidden}>{children}</div>
}

/** Milliseconds between two looks whether Galley is there. */
const LOOK_MS = 5_000

function Away({ onLook }: { onLook(): void }) {
  useEffect(() => {
    const timer = setInterval(onLook, LOOK_MS)
    addEventListener('online', onLook)
    return () => {
      clearInterval(timer)
      removeEventListener('online', onLook)
    }
  }, [onLook])
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>{__('Galley does not answer', 'galley')}</h1>
        <p>{__('Check whether it is running and whether you are online, and try again.', 'galley')}</p>
        <button type="button" className="sign-in-button" onClick={onLook}>
          {__('Try again', 'galley')}
        </button>
      </div>
    </main>
  )
}
