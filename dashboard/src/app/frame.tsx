import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { search } from '@wordpress/icons'
import {
  lazy,
  memo,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { UnreachableError } from '../../../src/client/calls.ts'
import { isUnavailable } from '../api/failure.ts'
import { Loading } from '../components/loading.tsx'
import { Popover } from '../components/popover.tsx'
import { useLinkProps } from '../components/row-link.tsx'
import icon from '../icon.svg'
import { Account } from './account-menu.tsx'
import { ClientSwitch, searchOf, useClientLabel } from './client-switch.tsx'
import { useKeepFocus } from './keep-focus.ts'
import { useSession } from './session-context.ts'
import { views } from './views.ts'

/** The frame around every view: navigation, account, and whether Galley answers. */
export function Frame() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const shown = useRef(pathname)
  const label = useClientLabel()
  useKeepFocus(main)

  // Another view: close the menu, and move the focus there for screen readers.
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    setOpen(false)
    main.current?.focus()
  }, [pathname])

  return (
    <div className="g-frame">
      <a className="g-skip" href="#main">
        {__('Skip to the content', 'galley')}
      </a>
      <header className="g-bar">
        <button
          type="button"
          className="g-menu-button"
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpen(!open)}
        >
          <span aria-hidden="true">☰</span>
          <span className="hidden-text">{__('Menu', 'galley')}</span>
        </button>
        <Link to="/" className="g-brand">
          <img src={icon} alt="" width="26" height="26" />
          Galley
        </Link>
        <Busy />
        <SearchButton />
        <Account />
      </header>
      <Navigation open={open} pathname={pathname} label={label} />
      <main id="main" ref={main} tabIndex={-1} className="g-main">
        <AwayNotice />
        <Outlet />
      </main>
    </div>
  )
}

const Search = lazy(() => import('./search.tsx'))

/** Opens the search over everything, as Ctrl+K or ⌘K does. */
function SearchButton() {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      const button = place.current?.querySelector('button')
      // It keeps the focus when the panel closes.
      button?.focus()
      button?.click()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <div ref={place} className="g-search-place">
      <Popover
        className="g-icon-button"
        panelClassName="g-search-panel"
        label={__('Search everything (Ctrl+K)', 'galley')}
        button={search}
      >
        <Suspense fallback={<Loading />}>
          <Search />
        </Suspense>
      </Popover>
    </div>
  )
}

/** A thin line while a first answer is awaited. */
function Busy() {
  const fetching = useIsFetching({ predicate: ({ state }) => state.data === undefined })
  return fetching > 0 ? <div className="g-busy" aria-hidden="true" /> : null
}

/** Galley or the network is down: what is shown may be old. */
function AwayNotice() {
  const queryClient = useQueryClient()
  const away = useIsUnreachable()
  if (!away) return null
  return (
    <div className="g-away" role="status">
      <span>{__('Galley does not answer. What you see is from before.', 'galley')}</span>
      <button type="button" className="g-link" onClick={() => void queryClient.invalidateQueries()}>
        {__('Try again', 'galley')}
      </button>
    </div>
  )
}

interface NavigationProps {
  /** Whether it is shown in a narrow window. */
  open: boolean
  /** The current path. */
  pathname: string
  /** Of the sites that are shown. */
  label: string
}

/** The navigation. It renders when the path or the label changes, and not with every search parameter as the router's own links do. */
const Navigation = memo(function Navigation({ open, pathname, label: shownLabel }: NavigationProps) {
  const { rights } = useSession()
  const lines = views
    .filter(({ right, navigation }) => navigation !== undefined && rights.includes(right))
    .flatMap(({ navigation }) => navigation ?? [])
    .sort((a, b) => a.order - b.order)
  const line =
    views.find(({ routes }) => Object.keys(routes).some((route) => isWithin(pathname, route)))?.within ??
    pathname
  return (
    <nav id="navigation" className={`g-navigation ${open ? 'open' : ''}`} aria-label={__('Main', 'galley')}>
      <ClientSwitch label={shownLabel} pathname={pathname} />
      <ul>
        {lines.map(({ to, label, icon }) => (
          <li key={to}>
            <Line to={to} search={searchOf(to, shownLabel)} current={isWithin(line, to)}>
              <span className="g-icon" aria-hidden="true">
                {icon}
              </span>
              {label()}
            </Line>
          </li>
        ))}
      </ul>
    </nav>
  )
})

interface LineProps {
  to: string
  search: Record<string, string> | undefined
  current: boolean
  children: ReactNode
}

function Line({ to, search, current, children }: LineProps) {
  const { href, onClick, preload } = useLinkProps(to, search)
  return (
    <a
      href={href}
      aria-current={current ? 'page' : undefined}
      onClick={onClick}
      onMouseEnter={preload}
      onFocus={preload}
      onTouchStart={preload}
    >
      {children}
    </a>
  )
}

const isWithin = (pathname: string, to: string): boolean =>
  pathname === to || (to !== '/' && pathname.startsWith(`${to}/`))

/** Whether the newest request was not answered, or live data cannot be updated. */
function useIsUnreachable(): boolean {
  const cache = useQueryClient().getQueryCache()
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      const active = cache.getAll().filter((query) => query.isActive())
      if (
        active.some(({ meta, state }) => meta?.live && state.data !== undefined && isUnavailable(state.error))
      )
        return true
      const settled = active
        .filter(({ state }) => state.fetchStatus === 'idle')
        .map(({ state }) => ({ at: Math.max(state.dataUpdatedAt, state.errorUpdatedAt), state }))
      const newest = settled.reduce<(typeof settled)[number] | undefined>(
        (best, one) => (best === undefined || one.at > best.at ? one : best),
        undefined,
      )
      return newest?.state.status === 'error' && newest.state.error instanceof UnreachableError
    },
  )
}
