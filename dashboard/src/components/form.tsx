import './panel.css'
import { __ } from '@wordpress/i18n'
import { type FormEvent, type ReactNode, useId } from 'react'
import { mistakeAt } from '../api/failure.ts'
import { wordsFor } from './states/failure.tsx'

interface FormProps {
  children: ReactNode
  /** What its button says. */
  submit: string
  failure: unknown
  pending: boolean
  /** Something is missing without which nothing can be sent. */
  incomplete?: boolean
  onSubmit(): void
  onCancel(): void
}

/** A form with what Galley said of it, and the way back. */
export function Form({ children, submit, failure, pending, incomplete, onSubmit, onCancel }: FormProps) {
  function send(event: FormEvent) {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className="g-form" onSubmit={send} noValidate>
      {children}
      {failure != null && (
        <p className="g-field-mistake" role="alert">
          {wordsFor(failure).text}
        </p>
      )}
      <div className="g-actions">
        <button type="submit" className="g-button primary" disabled={pending || incomplete}>
          {submit}
        </button>
        <button type="button" className="g-button" onClick={onCancel}>
          {__('Cancel', 'galley')}
        </button>
      </div>
    </form>
  )
}

interface CheckboxProps {
  label: ReactNode
  help?: string
  checked: boolean
  onChange(checked: boolean): void
}

/** Something that is so, or is not. */
export function Checkbox({ label, help, checked, onChange }: CheckboxProps) {
  const id = useId()
  return (
    <label className="g-tick">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        aria-labelledby={id}
        aria-describedby={help ? `${id}-help` : undefined}
      />
      <span>
        <span id={id}>{label}</span>
        {help && <small id={`${id}-help`}>{help}</small>}
      </span>
    </label>
  )
}

/** Several that belong together. */
export const Choice = ({ legend, children }: { legend: string; children: ReactNode }) => (
  <fieldset className="g-choice">
    <legend>{legend}</legend>
    {children}
  </fieldset>
)

interface SelectProps {
  label: string
  help?: string
  value: string
  onChange(value: string): void
  /** What is said of each, by its value. */
  options: Readonly<Record<string, string>>
  /** What a call has answered, and the path by which its mistakes name this choice. */
  failure?: unknown
  path?: string
}

/** One of a few. */
export function Select({ label, help, value, onChange, options, failure, path }: SelectProps) {
  const id = useId()
  const mistake = mistakeAt(failure, path)
  const said = mistake ?? help
  return (
    <div className="g-field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-invalid={mistake !== undefined}
        aria-describedby={said ? `${id}-help` : undefined}
      >
        {Object.entries(options).map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
      {said && (
        <p id={`${id}-help`} className={mistake ? 'g-field-mistake' : 'g-weak'}>
          {said}
        </p>
      )}
    </div>
  )
}
