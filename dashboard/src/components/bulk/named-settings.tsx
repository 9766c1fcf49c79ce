import { __ } from '@wordpress/i18n'
import { parseLabels } from '../../../../src/lib/label-list.ts'
import type { SiteSettingsPatch } from '../../api/client.ts'
import { Field, Select } from '../form.tsx'
import { labelsHelp } from '../label-text.ts'

/** Settings whose values are names on the site. */
export const namedSettings = {
  author: {
    label: () => __('Author', 'galley'),
    none: () => __('The user that Galley writes as', 'galley'),
    help: () => __('The display name, as each of the sites has it.', 'galley'),
  },
  default_categories: {
    label: () => __('Categories of a document that names none', 'galley'),
    none: () => __('None', 'galley'),
    help: labelsHelp,
  },
  fallback_category: {
    label: () => __('Category in place of a missing one', 'galley'),
    none: () => __('None', 'galley'),
    help: () => __('The name, as each of the sites has it.', 'galley'),
  },
} satisfies Partial<
  Record<keyof SiteSettingsPatch, { label: () => string; none: () => string; help: () => string }>
>

type Name = keyof typeof namedSettings

const names = Object.keys(namedSettings) as Name[]

/** The typed names; null removes a setting, and undefined leaves it as it is. */
export type Named = { [One in Name]?: string | null | undefined }

interface NamedFieldsProps {
  named: Named
  onChange(named: Named): void
}

/** For each: leave as it is, none, or a typed name. */
export const NamedFields = ({ named, onChange }: NamedFieldsProps) => (
  <>
    {names.map((name) => {
      const { label, none, help } = namedSettings[name]
      const typed = named[name]
      const way = typed === undefined ? '' : typed === null ? 'none' : 'named'
      return (
        <div key={name} className="g-named">
          <Select
            label={label()}
            value={way}
            onChange={(next) =>
              onChange({ ...named, [name]: next === '' ? undefined : next === 'none' ? null : '' })
            }
            options={{
              '': __('Leave as it is', 'galley'),
              named: __('By its name…', 'galley'),
              none: none(),
            }}
          />
          {typeof typed === 'string' && (
            <Field
              // translators: an input for a name, beside the choice that it belongs to
              label={`${label()}: ${__('name', 'galley')}`}
              help={help()}
              value={typed}
              onChange={(text) => onChange({ ...named, [name]: text })}
              autoComplete="off"
            />
          )}
        </div>
      )
    })}
  </>
)

/** The API's patch; undefined while a name is missing. */
export function namedPatch({
  author,
  default_categories,
  fallback_category,
}: Named): SiteSettingsPatch | undefined {
  if ([author, default_categories, fallback_category].some((text) => text?.trim() === '')) return undefined
  return {
    ...(author !== undefined && { author: author?.trim() ?? null }),
    ...(default_categories !== undefined && { default_categories: parseLabels(default_categories ?? '') }),
    ...(fallback_category !== undefined && { fallback_category: fallback_category?.trim() ?? null }),
  }
}
