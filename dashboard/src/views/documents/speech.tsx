import { __ } from '@wordpress/i18n'
import { Area, Field } from '../../components/field.tsx'
import { Select } from '../../components/form.tsx'
import { audioFormats } from './choices.ts'
import type { Speech } from './drafts.ts'
import { voices } from './voices.ts'

interface SpeechFieldsProps {
  speech: Speech
  onChange(speech: Speech): void
  failure: unknown
  /** How the paths of its fields begin: `body.audio`, or `body`. */
  path: string
}

/** How something is spoken. */
export function SpeechFields({ speech, onChange, failure, path }: SpeechFieldsProps) {
  const change = (name: keyof Speech) => (value: string) => onChange({ ...speech, [name]: value })
  return (
    <>
      <Select
        label={__('Voice', 'galley')}
        value={speech.voice}
        onChange={change('voice')}
        options={voices()}
        failure={failure}
        path={`${path}.voice`}
      />
      <Field
        label={__('Language', 'galley')}
        help={__('Its code, such as en-US or de-DE.', 'galley')}
        value={speech.language}
        onChange={change('language')}
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        failure={failure}
        path={`${path}.language`}
      />
      <Area
        label={__('How it should be spoken', 'galley')}
        help={__('In your own words: calm, a little faster, as to a child. May be left out.', 'galley')}
        rows={2}
        value={speech.style}
        onChange={change('style')}
        failure={failure}
        path={`${path}.style`}
      />
      <Select
        label={__('File', 'galley')}
        value={speech.format}
        onChange={change('format')}
        options={audioFormats()}
        failure={failure}
        path={`${path}.format`}
      />
    </>
  )
}
