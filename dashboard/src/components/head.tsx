import { type ReactNode, useEffect } from 'react'

interface HeadProps {
  title: string
  /** A line below the title. */
  children?: ReactNode
  /** Buttons and links. */
  actions?: ReactNode
}

/** The head of every view: its title, also as the title of the window. */
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
