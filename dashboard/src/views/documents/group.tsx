import { type ReactNode, useEffect, useState } from 'react'
import { mistakesOf } from '../../api/failure.ts'

interface GroupProps {
  title: string
  /** What is chosen in it, where it is not the usual. */
  chosen?: string
  /** How the paths of its fields begin, and what a call has answered: it opens where one of them is refused. */
  paths: string[]
  failure: unknown
  children: ReactNode
}

/** Choices that few make, folded until somebody wants them or one of them is refused. */
export function Group({ title, chosen, paths, failure, children }: GroupProps) {
  const [open, setOpen] = useState(false)
  const beginnings = paths.join(' ')
  // Each refusal opens it anew, though somebody had closed it after the one before.
  useEffect(() => {
    const isHere = (path: string) =>
      beginnings.split(' ').some((beginning) => path === beginning || path.startsWith(`${beginning}.`))
    if (mistakesOf(failure).some(({ path }) => isHere(path))) setOpen(true)
  }, [failure, beginnings])
  return (
    <details className="g-group" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title} {chosen && <span className="g-weak">{chosen}</span>}
      </summary>
      <div className="g-form">{children}</div>
    </details>
  )
}
