import { __ } from '@wordpress/i18n'
import type { SiteSettingsPatch } from '../../api/client.ts'
import { Field } from '../field.tsx'
import { Select } from '../form.tsx'
import { labelsHelp, labelsIn } from '../label-text.ts'

/** Settings of a site that name something which the site has. */
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

/** What was typed for each; null takes the setting away, and what is left out stays as it is. */
export type Named = { [One in Name]?: string | null | undefined }

interface NamedFieldsProps {
  named: Named
  onChange(named: Named): void
}

/** One choice for each: as it is, none, or the name that is typed. */
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

/** As the API takes them; undefined while a name is missing. */
export function namedPatch({
  author,
  default_categories,
  fallback_category,
}: Named): SiteSettingsPatch | undefined {
  if ([author, default_categories, fallback_category].some((text) => text?.trim() === '')) return undefined
  return {
    ...(author !== undefined && { author: author?.trim() ?? null }),
    ...(default_categories !== undefined && { default_categories: labelsIn(default_categories ?? '') }),
    ...(fallback_category !== undefined && { fallback_category: fallback_category?.trim() ?? null }),
  }
}
