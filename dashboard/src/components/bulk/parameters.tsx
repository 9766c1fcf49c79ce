import { __ } from '@wordpress/i18n'
import type { SiteSettingsPatch } from '../../api/client.ts'
import type { BulkAction } from '../../data/bulk.ts'
import { Field } from '../field.tsx'
import { labelsHelp, labelsIn } from '../label-text.ts'
import { SiteChoice } from '../site-choice.tsx'
import { SettingSelects } from '../site-settings.tsx'
import { type Named, NamedFields, namedPatch } from './named-settings.tsx'

/** What was filled in, for whichever action. */
export interface Given {
  siteId: string | undefined
  add: string
  remove: string
  reason: string
  settings: SiteSettingsPatch
  named: Named
}

export const nothingGiven: Given = {
  siteId: undefined,
  add: '',
  remove: '',
  reason: '',
  settings: {},
  named: {},
}

interface ParametersProps {
  action: BulkAction
  given: Given
  onChange(given: Given): void
}

/** What an action has to be told beside what it acts on; most need nothing. */
export function Parameters({ action, given, onChange }: ParametersProps) {
  const field = (name: 'add' | 'remove' | 'reason', label: string, help?: string) => (
    <Field
      label={label}
      {...(help !== undefined && { help })}
      value={given[name]}
      onChange={(text) => onChange({ ...given, [name]: text })}
      autoComplete="off"
    />
  )
  if (action === 'move')
    return (
      <SiteChoice
        legend={__('Target site', 'galley')}
        chosen={given.siteId === undefined ? [] : [given.siteId]}
        // There is one at a time: the newest choice.
        onChange={(ids) => onChange({ ...given, siteId: ids.at(-1) })}
      />
    )
  if (action === 'label')
    return (
      <>
        {field('add', __('Labels to add', 'galley'), labelsHelp())}
        {field('remove', __('Labels to remove', 'galley'))}
      </>
    )
  if (action === 'pause') return field('reason', __('Why, for others to read', 'galley'))
  if (action === 'settings')
    return (
      <>
        <NamedFields named={given.named} onChange={(named) => onChange({ ...given, named })} />
        <SettingSelects
          settings={given.settings}
          onChange={(settings) => onChange({ ...given, settings })}
          many
        />
      </>
    )
  return null
}

/** As the API takes them; undefined while something is missing. */
export function parametersOf(action: BulkAction, given: Given): Record<string, unknown> | undefined {
  const { siteId } = given
  const [add, remove, reason] = [labelsIn(given.add), labelsIn(given.remove), given.reason.trim()]
  if (action === 'move') return siteId === undefined ? undefined : { site_id: siteId }
  if (action === 'label') return add.length + remove.length === 0 ? undefined : { add, remove }
  if (action === 'settings') {
    const named = namedPatch(given.named)
    const settings = { ...named, ...given.settings }
    return named === undefined || Object.keys(settings).length === 0 ? undefined : settings
  }
  if (action === 'pause') return reason === '' ? {} : { reason }
  return {}
}
