import { type ReactNode, useEffect, useRef } from 'react'

interface AccessibleTableProps {
  /** What it is a table of. */
  label: string
  /** What its style goes by. */
  className: string
  children: ReactNode
}

/**
 * A table of DataViews with what a screen reader goes by: a name, the cell by which a row is called, and, where it is a list, the
 * roles of one. DataViews calls its list a grid whose rows have one cell, a button, and everything else beside it, where nobody
 * gets who goes from cell to cell (https://github.com/WordPress/gutenberg/issues/67598).
 */
export function AccessibleTable({ label, className, children }: AccessibleTableProps) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const section = place.current as HTMLElement
    const say = () => {
      for (const { of, within = of, name, value } of roles(label))
        for (const found of section.querySelectorAll(of)) {
          const one = found.closest(within)
          if (one?.getAttribute(name) !== value) one?.setAttribute(name, value)
        }
      // It opens the item, and does not stay pressed.
      for (const one of section.querySelectorAll('.dataviews-view-list__item'))
        one.removeAttribute('aria-pressed')
    }
    say()
    const changes = new MutationObserver(say)
    changes.observe(section, { childList: true, subtree: true })
    return () => changes.disconnect()
  }, [label])
  return (
    <section ref={place} className={className} aria-label={label}>
      {children}
    </section>
  )
}

interface Role {
  of: string
  /** What it is said of, where that lies around it. */
  within?: string
  name: string
  value: string
}

const roles = (label: string): Role[] => [
  { of: 'table, .dataviews-view-list', name: 'aria-label', value: label },
  {
    of: '.dataviews-view-table__primary-column-content',
    within: 'td',
    name: 'role',
    value: 'rowheader',
  },
  { of: '.dataviews-view-list', name: 'role', value: 'list' },
  { of: '.dataviews-view-list > [role="row"]', name: 'role', value: 'listitem' },
  { of: '.dataviews-view-list [role="gridcell"]', name: 'role', value: 'none' },
]
