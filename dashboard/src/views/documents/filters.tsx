import '../../components/panel.css'
import { __ } from '@wordpress/i18n'
import { useAddressSearch } from '../../app/address-search.ts'
import { Select } from '../../components/form.tsx'
import type { STATES } from './list-query.ts'
import { kinds } from './words.tsx'

const states = {
  open: () => __('Under way', 'galley'),
  completed: () => __('Finished', 'galley'),
  failed: () => __('Failed', 'galley'),
} satisfies Record<keyof typeof STATES, () => string>

/** By what the list of what was requested can be narrowed down. */
export function Filters() {
  const [{ kind = '', state = '' }, look] = useAddressSearch()
  const any = { '': __('Any', 'galley') }
  return (
    <div className="g-filters">
      <Select
        label={__('Kind', 'galley')}
        value={kind}
        onChange={(value) => look({ kind: value === '' ? undefined : value })}
        options={{ ...any, ...said(kinds) }}
      />
      <Select
        label={__('State', 'galley')}
        value={state}
        onChange={(value) => look({ state: value === '' ? undefined : value })}
        options={{ ...any, ...said(states) }}
      />
    </div>
  )
}

const said = (words: Readonly<Record<string, () => string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(words).map(([name, word]) => [name, word()]))
