import { __ } from '@wordpress/i18n'
import type { SiteSettings, SiteSettingsPatch } from '../api/client.ts'
import { Select } from './form.tsx'
import { inWords } from './texts.ts'

/** The settings with fixed choices. */
type Chosen = Pick<
  SiteSettings,
  'on_changed_post' | 'on_loss' | 'term_policy' | 'picture_policy' | 'on_publish_refused' | 'format'
>

type Options = {
  [Name in keyof Chosen]: { label: () => string; options: Record<Chosen[Name], () => string> }
}

/** The texts of each setting and choice. */
export const settingChoices: Options = {
  on_changed_post: {
    label: () => __('A newer document for a post that somebody changed', 'galley'),
    options: {
      hold: () => __('Waiting for you', 'galley'),
      overwrite: () => __('It overwrites the change', 'galley'),
      status_only: () => __('The text stays, only the status is set', 'galley'),
    },
  },
  term_policy: {
    label: () => __('Categories and tags that the site does not have', 'galley'),
    options: {
      create: () => __('They are created', 'galley'),
      existing_only: () => __('They are left out', 'galley'),
      reject: () => __('The delivery is refused', 'galley'),
    },
  },
  picture_policy: {
    label: () => __('A picture that cannot be added to the media library', 'galley'),
    options: {
      keep_remote: () => __('It is shown from its own address', 'galley'),
      drop: () => __('It is left out', 'galley'),
      hold: () => __('Waiting for you', 'galley'),
    },
  },
  on_loss: {
    label: () => __('A document of which something would be missing', 'galley'),
    options: {
      publish: () => __('It is published as asked for', 'galley'),
      draft: () => __('It becomes a draft', 'galley'),
      hold: () => __('Waiting for you', 'galley'),
    },
  },
  on_publish_refused: {
    label: () => __('Where the user may not publish', 'galley'),
    options: {
      pending: () => __('The post is left pending review', 'galley'),
      hold: () => __('Waiting for you', 'galley'),
    },
  },
  format: {
    label: () => __('Markup of posts', 'galley'),
    options: {
      auto: () => __('As fits the site', 'galley'),
      block: () => __('For the block editor', 'galley'),
      classic: () => __('For the classic editor', 'galley'),
    },
  },
}

const names = Object.keys(settingChoices) as (keyof Chosen)[]

interface SettingSelectsProps {
  settings: SiteSettingsPatch
  onChange(settings: SiteSettingsPatch): void
  /** For many sites: each setting may be left as it is. */
  many?: boolean
}

/** A field for each setting. A setting that is left as it is is not in `settings`. */
export const SettingSelects = ({ settings, onChange, many = false }: SettingSelectsProps) => (
  <>
    {names.map((name) => {
      const { label, options } = settingChoices[name]
      return (
        <Select
          key={name}
          label={label()}
          value={settings[name] ?? ''}
          onChange={(value) => {
            const { [name]: _before, ...others } = settings
            onChange(value === '' ? others : { ...others, [name]: value })
          }}
          options={{ ...(many && { '': __('Leave as it is', 'galley') }), ...inWords(options) }}
        />
      )
    })}
  </>
)
