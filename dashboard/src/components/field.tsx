import { type InputHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react'
import { mistakeAt } from '../api/failure.ts'

interface Asked {
  label: string
  help?: string
  value: string
  onChange(value: string): void
  /** What a call has answered, and the path by which its mistakes name this field: `body.url`. */
  failure?: unknown
  path?: string
}

type FieldProps = Asked & Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'>
type AreaProps = Asked & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'>

/** A line of text with its name, and with what Galley says of it. */
export function Field({ label, help, value, onChange, failure, path, ...input }: FieldProps) {
  const id = useId()
  const mistake = mistakeAt(failure, path)
  return (
    <div className="g-field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-invalid={mistake !== undefined}
        aria-describedby={`${id}-help`}
      />
      <p id={`${id}-help`} className={mistake ? 'g-field-mistake' : 'g-weak'}>
        {mistake ?? help}
      </p>
    </div>
  )
}

/** Several lines of text, likewise. */
export function Area({ label, help, value, onChange, failure, path, ...area }: AreaProps) {
  const id = useId()
  const mistake = mistakeAt(failure, path)
  return (
    <div className="g-field">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...area}
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-invalid={mistake !== undefined}
        aria-describedby={`${id}-help`}
      />
      <p id={`${id}-help`} className={mistake ? 'g-field-mistake' : 'g-weak'}>
        {mistake ?? help}
      </p>
    </div>
  )
}
