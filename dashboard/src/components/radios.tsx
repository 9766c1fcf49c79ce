import './panel.css'
import { useId } from 'react'
import { Choice } from './form.tsx'

interface RadiosProps<Value extends string> {
  legend: string
  value: Value
  onChange(value: Value): void
  /** What is said of each, and what it does. */
  options: readonly { value: Value; label: string; help?: string }[]
}

/** One of a few, each with what it means. */
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
