import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useEffect, useRef, useState } from 'react'
import { Account } from './account-menu.tsx'
import { useFocusKept } from './keep-focus.ts'
import { Navigation } from './navigation.tsx'
import { useIsUnreachable } from './unreachable.ts'

/** What stands around every view: the way to all others, who is signed in, and whether Galley answers. */
export function Frame() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const shown = useRef(pathname)
  useFocusKept(main)

  // Another view: the menu closes, and who does not see it hears where they are.
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
          Galley
        </Link>
        <Busy />
        <Account />
      </header>
      <Navigation open={open} pathname={pathname} />
      <main id="main" ref={main} tabIndex={-1} className="g-main">
        <AwayNotice />
        <Outlet />
      </main>
    </div>
  )
}

/** A thin line while something is being asked for which somebody waits. */
function Busy() {
  const fetching = useIsFetching({ predicate: ({ state }) => state.data === undefined })
  return fetching > 0 ? <div className="g-busy" aria-hidden="true" /> : null
}

/** Galley or the network is away: what is seen is from before. */
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
