import type { ReactNode } from 'react'
import { Message } from './message.tsx'

/** There is nothing yet, or nothing that matches; and what to do to have something. */
export const Empty = ({
  title,
  children,
  actions,
}: {
  title: string
  children?: ReactNode
  actions?: ReactNode
}) => (
  <Message title={title} actions={actions}>
    {children}
  </Message>
)
