import { __ } from '@wordpress/i18n'
import { Area, Field, Select } from '../../components/form.tsx'
import type { JobRequests } from '../../data/jobs.ts'
import { audioFormats } from './choices.ts'
import type { Speech } from './drafts.ts'

interface SpeechFieldsProps {
  speech: Speech
  onChange(speech: Speech): void
  /** The prefix of its fields: `body.audio`, or `body`. */
  path: string
}

/** The fields of a voice. */
export function SpeechFields({ speech, onChange, path }: SpeechFieldsProps) {
  const change = (name: keyof Speech) => (value: string) => onChange({ ...speech, [name]: value })
  return (
    <>
      <Select
        label={__('Voice', 'galley')}
        value={speech.voice}
        onChange={change('voice')}
        options={voices()}
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
        path={`${path}.language`}
      />
      <Area
        label={__('How it should be spoken', 'galley')}
        help={__('In your own words: calm, a little faster, as to a child. May be left out.', 'galley')}
        rows={2}
        value={speech.style}
        onChange={change('style')}
        path={`${path}.style`}
      />
      <Select
        label={__('File', 'galley')}
        value={speech.format}
        onChange={change('format')}
        options={audioFormats()}
        path={`${path}.format`}
      />
    </>
  )
}

type Voice = NonNullable<JobRequests['audio']['voice']>

const characters = {
  bright: () => __('bright', 'galley'),
  breezy: () => __('breezy', 'galley'),
  breathy: () => __('breathy', 'galley'),
  casual: () => __('casual', 'galley'),
  easyGoing: () => __('easy-going', 'galley'),
  energetic: () => __('energetic', 'galley'),
  even: () => __('even', 'galley'),
  firm: () => __('firm', 'galley'),
  forward: () => __('forward', 'galley'),
  friendly: () => __('friendly', 'galley'),
  gentle: () => __('gentle', 'galley'),
  gravelly: () => __('gravelly', 'galley'),
  informative: () => __('informative', 'galley'),
  mature: () => __('mature', 'galley'),
  smooth: () => __('smooth', 'galley'),
  soft: () => __('soft', 'galley'),
  warm: () => __('warm', 'galley'),
}

/** The voices with their characters. */
const characterOf: Record<Voice, keyof typeof characters> = {
  Kore: 'smooth',
  Puck: 'bright',
  Charon: 'informative',
  Fenrir: 'energetic',
  Zephyr: 'bright',
  Aoede: 'breezy',
  Leda: 'easyGoing',
  Orus: 'smooth',
  Achernar: 'soft',
  Achird: 'friendly',
  Algenib: 'gravelly',
  Algieba: 'smooth',
  Alnilam: 'firm',
  Autonoe: 'bright',
  Callirrhoe: 'easyGoing',
  Despina: 'smooth',
  Enceladus: 'breathy',
  Erinome: 'informative',
  Gacrux: 'mature',
  Iapetus: 'informative',
  Laomedeia: 'bright',
  Pulcherrima: 'forward',
  Rasalgethi: 'informative',
  Sadachbia: 'energetic',
  Sadaltager: 'informative',
  Schedar: 'even',
  Sulafat: 'warm',
  Umbriel: 'easyGoing',
  Vindemiatrix: 'gentle',
  Zubenelgenubi: 'casual',
}

/** The names of the voices: `Kore, smooth` */
const voices = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(characterOf).map(([name, character]) => [name, `${name}, ${characters[character]()}`]),
  )
