import type { ReactNode } from 'react'

interface MessageProps {
  title: string
  /** Of the first rank where nothing else on the page says what it is. */
  heading?: 'h1' | 'h2'
  children?: ReactNode
  /** What to do about it: buttons or links. */
  actions?: ReactNode
  /** It came without being asked for, so that it is read out. */
  alert?: boolean
}

/** What stands where a view has nothing else to show. */
export const Message = ({
  title,
  heading: Heading = 'h2',
  children,
  actions,
  alert = false,
}: MessageProps) => (
  <div className="g-message" role={alert ? 'alert' : undefined}>
    <Heading>{title}</Heading>
    {children && <div className="g-message-text">{children}</div>}
    {actions && <div className="g-actions">{actions}</div>}
  </div>
)
