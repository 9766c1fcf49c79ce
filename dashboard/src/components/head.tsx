import { type ReactNode, useEffect } from 'react'

interface HeadProps {
  title: string
  /** A line below it. */
  children?: ReactNode
  /** What can be done here. */
  actions?: ReactNode
}

/** The beginning of every view: its name, also as the title of the window. */
export function Head({ title, children, actions }: HeadProps) {
  useEffect(() => {
    document.title = `${title} · Galley`
  }, [title])
  return (
    <header className="g-head">
      <div>
        <h1>{title}</h1>
        {children && <p>{children}</p>}
      </div>
      {actions && <div className="g-actions">{actions}</div>}
    </header>
  )
}
