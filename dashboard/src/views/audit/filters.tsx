import '../../components/panel.css'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { type FormEvent, useState } from 'react'
import { useAddressSearch } from '../../app/address-search.ts'
import { Field } from '../../components/field.tsx'
import { Checkbox, Select } from '../../components/form.tsx'
import { actionsInWords, kindsInWords } from './words.ts'

interface FiltersProps {
  looking: boolean
  /** Whether who signed in and out is shown, too. */
  sessions: boolean
}

/** By what the log can be searched. */
export function Filters({ looking, sessions }: FiltersProps) {
  const [{ action = '', subject_kind = '', since = '', until = '' }, look] = useAddressSearch()
  const asked = { action, subject_kind, since, until }
  const address = JSON.stringify(asked)
  const [typed, setTyped] = useState(asked)
  const [typedAt, setTypedAt] = useState(address)
  // Whoever goes elsewhere finds in the fields what is looked for there. They stay, and with them the focus.
  if (typedAt !== address) {
    setTypedAt(address)
    setTyped(asked)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    look(typed)
  }

  const line = (name: keyof typeof typed) => ({
    value: typed[name],
    onChange: (value: string) => setTyped((before) => ({ ...before, [name]: value })),
  })
  const any = { '': __('Everything', 'galley') }
  return (
    <form className="g-filters" aria-label={__('Audit log', 'galley')} onSubmit={submit}>
      <Select
        label={__('Action', 'galley')}
        options={{ ...any, ...known(action), ...actionsInWords() }}
        {...line('action')}
      />
      <Select
        label={__('Object', 'galley')}
        options={{ ...any, ...known(subject_kind), ...kindsInWords() }}
        {...line('subject_kind')}
      />
      <Field label={__('From', 'galley')} type="date" {...line('since')} />
      <Field label={__('To', 'galley')} type="date" {...line('until')} />
      <Checkbox
        label={__('Signing in and out, too', 'galley')}
        checked={sessions}
        onChange={(checked) => look({ sessions: String(checked) })}
      />
      <div className="g-actions">
        <button type="submit" className="g-button">
          {__('Filter', 'galley')}
        </button>
        {looking && <Link to="/audit">{__('Show all', 'galley')}</Link>}
      </div>
    </form>
  )
}

/** What an address looks for may be what only a newer Galley knows. */
const known = (name: string): Record<string, string> => (name === '' ? {} : { [name]: name })
