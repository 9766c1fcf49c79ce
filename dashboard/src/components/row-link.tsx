import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

interface RowLinkProps {
  /** A path of the page. */
  to: string
  search?: Record<string, string>
  title?: string | undefined
  children: ReactNode
}

/**
 * A link in a row. The router's own `Link` renders with every change of the address, to know whether it is active; fifty of them made
 * filters noticeably slower.
 */
export function RowLink({ to, search, title, children }: RowLinkProps) {
  const { href, onClick, preload } = useLinkProps(to, search)
  return (
    <a href={href} title={title} onClick={onClick} onMouseEnter={preload}>
      {children}
    </a>
  )
}

/** The properties of a link to a path; `preload` loads the target before a likely click. */
export function useLinkProps(to: string, search?: Record<string, string>) {
  const router = useRouter()
  return {
    href: search ? `${to}?${new URLSearchParams(search)}` : to,
    onClick(event: MouseEvent) {
      const { button, metaKey, ctrlKey, shiftKey, altKey } = event
      if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
      event.preventDefault()
      void router.navigate({ to, search } as never)
    },
    preload: () => void router.preloadRoute({ to, search } as never).catch(() => undefined),
  }
}
