import './group.css'
import { type ReactNode, useEffect, useState } from 'react'
import { fieldErrors } from '../api/failure.ts'
import { useFormFailure } from './form.tsx'
import { Guide } from './guide.tsx'

interface GroupProps {
  title: string
  /** The current choice, when it is not the default. */
  chosen?: ReactNode
  /** The paths of its fields: it opens when one of these is refused. */
  paths: string[]
  /** A heading of the documentation that says more. */
  guide?: string
  /** Whether it is open at first. */
  opened?: boolean
  children: ReactNode
}

/** A folded group of rare fields. It opens on demand, or when one of them is refused. */
export function Group({ title, chosen, paths, guide, opened = false, children }: GroupProps) {
  const [open, setOpen] = useState(opened)
  const failure = useFormFailure()
  const beginnings = paths.join(' ')
  // Each refusal opens it again.
  useEffect(() => {
    const isHere = (path: string) =>
      beginnings.split(' ').some((beginning) => path === beginning || path.startsWith(`${beginning}.`))
    if (fieldErrors(failure).some(({ path }) => isHere(path))) setOpen(true)
  }, [failure, beginnings])
  return (
    <details className="g-group" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title} {chosen && <span className="g-weak">{chosen}</span>}
      </summary>
      <div className="g-form">
        {children}
        {guide && (
          <p>
            <Guide to={guide} />
          </p>
        )}
      </div>
    </details>
  )
}
