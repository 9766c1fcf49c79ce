import './panel.css'
import { __ } from '@wordpress/i18n'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'

interface PanelProps {
  title: string
  children: ReactNode
}

/** A card that opens above a list, with a form or a result. The focus moves to it. */
export function Panel({ title, children }: PanelProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="g-card g-section g-panel" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  )
}

interface SecretPanelProps extends PanelProps {
  onStored(): void
}

/** Secrets that are shown once, until they are confirmed as saved. */
export const SecretPanel = ({ title, children, onStored }: SecretPanelProps) => (
  <Panel title={title}>
    <div className="g-form">
      <p>{__('It is shown only now and cannot be read again: keep it where secrets are kept.', 'galley')}</p>
      {children}
      <div>
        <Button onClick={onStored}>{__('I have saved it', 'galley')}</Button>
      </div>
    </div>
  </Panel>
)
