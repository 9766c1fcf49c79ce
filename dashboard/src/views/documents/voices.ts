import { __ } from '@wordpress/i18n'
import type { JobRequests } from '../../data/jobs.ts'

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

/** Each voice by its character. */
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

/** Who speaks: `Kore, smooth` */
export const voices = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(characterOf).map(([name, character]) => [name, `${name}, ${characters[character]()}`]),
  )
