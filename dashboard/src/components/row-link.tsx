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
  const router = useRouter()
  const follow = (event: MouseEvent) => {
    const { button, metaKey, ctrlKey, shiftKey, altKey } = event
    if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
    event.preventDefault()
    void router.navigate({ to, search } as never)
  }
  return (
    <a
      href={search ? `${to}?${new URLSearchParams(search)}` : to}
      title={title}
      onClick={follow}
      onMouseEnter={() => void router.preloadRoute({ to, search } as never).catch(() => undefined)}
    >
      {children}
    </a>
  )
}
