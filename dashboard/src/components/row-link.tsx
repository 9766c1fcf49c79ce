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
 * A link in a row of a table. The router's own looks at where one is whenever that changes, to say whether it leads there: fifty
 * of them in a table were a noticeable part of every other filter, and none of them leads to the table.
 */
export function RowLink({ to, search, title, children }: RowLinkProps) {
  const { href, onClick, look } = useLeading(to, search)
  return (
    <a href={href} title={title} onClick={onClick} onMouseEnter={look}>
      {children}
    </a>
  )
}

/** What makes a link lead to a path of the page; `look` loads what is there, for whom may be about to follow it. */
export function useLeading(to: string, search?: Record<string, string>) {
  const router = useRouter()
  return {
    href: search ? `${to}?${new URLSearchParams(search)}` : to,
    onClick(event: MouseEvent) {
      const { button, metaKey, ctrlKey, shiftKey, altKey } = event
      if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
      event.preventDefault()
      void router.navigate({ to, search } as never)
    },
    look: () => void router.preloadRoute({ to, search } as never).catch(() => undefined),
  }
}
