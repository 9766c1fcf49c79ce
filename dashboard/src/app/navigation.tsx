import { __ } from '@wordpress/i18n'
import { memo, type ReactNode } from 'react'
import { useLeading } from '../components/row-link.tsx'
import { useSession } from './session-context.ts'
import { views } from './views.ts'

interface NavigationProps {
  /** Whether it is seen in a narrow window. */
  open: boolean
  /** Where one is. */
  pathname: string
}

/** The way to all views, drawn anew where one goes to another: not with every filter of a list, as the router's own links are. */
export const Navigation = memo(function Navigation({ open, pathname }: NavigationProps) {
  const { rights } = useSession()
  const lines = views
    .filter(({ right, navigation }) => navigation !== undefined && rights.includes(right))
    .flatMap(({ navigation }) => navigation ?? [])
    .sort((a, b) => a.order - b.order)
  return (
    <nav id="navigation" className={`g-navigation ${open ? 'open' : ''}`} aria-label={__('Main', 'galley')}>
      <ul>
        {lines.map(({ to, label, icon }) => (
          <li key={to}>
            <Line to={to} current={isWithin(pathname, to)}>
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
  current: boolean
  children: ReactNode
}

function Line({ to, current, children }: LineProps) {
  const { href, onClick, look } = useLeading(to)
  return (
    <a
      href={href}
      aria-current={current ? 'page' : undefined}
      onClick={onClick}
      onMouseEnter={look}
      onFocus={look}
      onTouchStart={look}
    >
      {children}
    </a>
  )
}

const isWithin = (pathname: string, to: string): boolean =>
  pathname === to || (to !== '/' && pathname.startsWith(`${to}/`))
