import './panel.css'
import { __ } from '@wordpress/i18n'
import { useEffect, useRef, useState } from 'react'

interface ConfirmButtonProps {
  /** The button's text: `Remove`. */
  label: string
  /** The object, for screen readers. */
  of: string
  /** The consequence. */
  question: string
  disabled?: boolean
  onConfirm(): void
}

/** A button for what cannot be undone: it asks first, in place. */
export function ConfirmButton({ label, of, question, disabled, onConfirm }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false)
  const asked = useRef(false)
  const back = useRef<HTMLButtonElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (asking) back.current?.focus()
    else if (asked.current) button.current?.focus()
    asked.current = asking
  }, [asking])

  if (!asking)
    return (
      <button
        ref={button}
        type="button"
        className="g-button"
        aria-label={`${label}: ${of}`}
        disabled={disabled}
        onClick={() => setAsking(true)}
      >
        {label}
      </button>
    )
  return (
    <fieldset
      className="g-choice g-sure"
      aria-label={question}
      onKeyDown={({ key }) => key === 'Escape' && setAsking(false)}
    >
      <span>{question}</span>
      <button
        type="button"
        className="g-button"
        disabled={disabled}
        onClick={() => {
          setAsking(false)
          onConfirm()
        }}
      >
        {label}
      </button>
      <button ref={back} type="button" className="g-button" onClick={() => setAsking(false)}>
        {__('Leave it', 'galley')}
      </button>
    </fieldset>
  )
}
