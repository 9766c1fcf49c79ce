import './panel.css'
import { __ } from '@wordpress/i18n'
import {
  createContext,
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
  useContext,
  useId,
} from 'react'
import { fieldError } from '../api/failure.ts'
import { Button } from './button.tsx'
import { Guide } from './guide.tsx'
import { describeError } from './states.tsx'

/** The error of a form's request, of which each of its fields shows its own part. */
const FailureContext = createContext<unknown>(undefined)

/** The error of the request of the form around. */
export const useFormFailure = () => useContext(FailureContext)

interface FormProps {
  children: ReactNode
  /** The text of the submit button. */
  submit: string
  /** What sends it. */
  mutation: { error: unknown; isPending: boolean; mutate(): void }
  /** The error that the fields show, where it is another than that of the mutation. */
  fieldsFailure?: unknown
  /** A required value is missing. */
  incomplete?: boolean
  onCancel?(): void
}

/** A form with the error of its request, and mostly a way to cancel. */
export function Form({ children, submit, mutation, fieldsFailure, incomplete, onCancel }: FormProps) {
  const { error: failure, isPending, mutate } = mutation
  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isFinished(event.currentTarget)) mutate()
  }
  return (
    <form className="g-form" onSubmit={send} noValidate>
      <FailureContext.Provider value={fieldsFailure ?? failure}>{children}</FailureContext.Provider>
      {failure != null && (
        <p className="g-field-error" role="alert">
          {describeError(failure).text}
        </p>
      )}
      <div className="g-actions">
        <button type="submit" className="g-button primary" disabled={isPending || incomplete}>
          {submit}
        </button>
        {onCancel && <Button onClick={onCancel}>{__('Cancel', 'galley')}</Button>}
      </div>
    </form>
  )
}

/**
 * Whether no date or number is half typed or out of range, which would be taken for one left empty, and no field has a mistake. The
 * browser says which, in a folded group too.
 */
export const isFinished = (form: HTMLFormElement): boolean =>
  [...form.querySelectorAll('input')].every((input) => {
    const { badInput, rangeOverflow, customError } = input.validity
    if (!badInput && !rangeOverflow && !customError) return true
    input.closest('details')?.setAttribute('open', '')
    return input.reportValidity()
  })

/** The last values of fields of these types: a year has four digits. */
const LAST: Readonly<Record<string, string>> = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59' }

interface CheckboxProps {
  label: ReactNode
  help?: string
  checked: boolean
  onChange(checked: boolean): void
}

/** A checkbox with its label and help. */
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

/** A group of fields. */
export const Choice = ({ legend, children }: { legend: string; children: ReactNode }) => (
  <fieldset className="g-choice">
    <legend>{legend}</legend>
    {children}
  </fieldset>
)

interface LabelledProps {
  label: string
  help?: string
  /** A heading of the documentation that says more. */
  guide?: string
  /** Its path in the request: `body.url`. */
  path?: string | undefined
}

/** A label, the attributes of its control, and the control's error or help. */
function useLabelled({ label, help, guide, path }: LabelledProps) {
  const id = useId()
  const error = fieldError(useFormFailure(), path)
  const text = error ?? help
  return {
    attributes: {
      id,
      'aria-invalid': error !== undefined,
      'aria-describedby': (text ?? guide) ? `${id}-help` : undefined,
    },
    labelled: (control: ReactNode) => (
      <div className="g-field">
        <label htmlFor={id}>{label}</label>
        {control}
        {(text ?? guide) && (
          <p id={`${id}-help`} className={error ? 'g-field-error' : 'g-weak'}>
            {text} {guide && <Guide to={guide} />}
          </p>
        )}
      </div>
    ),
  }
}

interface ValueProps extends LabelledProps {
  value: string
  onChange(value: string): void
}

type FieldProps = ValueProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> & {
    /** Why its value cannot be sent, which the form says beside it. */
    mistake?: string | undefined
  }
type AreaProps = ValueProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'>

/** A text field. */
export function Field({ label, help, guide, path, mistake, onChange, ...input }: FieldProps) {
  const { attributes, labelled } = useLabelled({ label, help, guide, path })
  return labelled(
    <input
      ref={(field) => field?.setCustomValidity(mistake ?? '')}
      max={LAST[input.type ?? '']}
      {...input}
      {...attributes}
      aria-invalid={attributes['aria-invalid'] || mistake !== undefined}
      onChange={({ target }) => onChange(target.value)}
    />,
  )
}

/** A text area. */
export function Area({ label, help, path, onChange, ...area }: AreaProps) {
  const { attributes, labelled } = useLabelled({ label, help, path })
  return labelled(<textarea {...area} {...attributes} onChange={({ target }) => onChange(target.value)} />)
}

interface SelectProps extends ValueProps {
  /** The texts, by value. */
  options: Readonly<Record<string, string>>
}

/** A choice of one among few. */
export function Select({ value, onChange, options, ...props }: SelectProps) {
  const { attributes, labelled } = useLabelled(props)
  return labelled(
    <select {...attributes} value={value} onChange={({ target }) => onChange(target.value)}>
      {Object.entries(options).map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>,
  )
}

interface RadiosProps<Value extends string> {
  legend: string
  value: Value
  onChange(value: Value): void
  /** The options with their explanations. */
  options: readonly { value: Value; label: string; help?: string }[]
}

/** A choice of one among few, with explanations. */
export function Radios<Value extends string>({ legend, value, onChange, options }: RadiosProps<Value>) {
  const id = useId()
  return (
    <Choice legend={legend}>
      {options.map((option) => (
        <label key={option.value} className="g-tick">
          <input
            type="radio"
            name={id}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            aria-labelledby={`${id}-${option.value}`}
            aria-describedby={option.help ? `${id}-${option.value}-help` : undefined}
          />
          <span>
            <span id={`${id}-${option.value}`}>{option.label}</span>
            {option.help && <small id={`${id}-${option.value}-help`}>{option.help}</small>}
          </span>
        </label>
      ))}
    </Choice>
  )
}

/**
 * The changed members. Only these are sent, so that changes by others meanwhile stay.
 *
 * @param before the values when the form was opened
 */
export const changed = <After extends object>(
  before: { [Name in keyof After]?: unknown },
  after: After,
): Partial<After> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof After]),
    ),
  ) as Partial<After>
