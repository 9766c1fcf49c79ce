import type { JobKind, Requests } from '../../contract/generation/requests.ts'
import { GalleyError } from '../../errors.ts'
import { PACKAGE } from '../providers/espeak/index.ts'
import type { Providers } from '../providers/types.ts'

/** What a job needs and nobody here does: in words, and what to set. */
interface Lack {
  what: string
  settings: string[]
  /** What would do without them. */
  or?: string
}

/** A language model: three settings suffice. */
const ofText = (what: string): Lack => ({
  what,
  settings: ['GALLEY_AI_URL', 'GALLEY_AI_KEY', 'GALLEY_AI_MODEL', 'GALLEY_PROVIDERS'],
})

/** What not every endpoint of text does as well. */
const ofOthers = (what: string): Lack => ({ what, settings: ['GALLEY_PROVIDERS'] })

const ofSpeech = (tier: string): Lack => ({
  ...ofOthers(`speech of the tier ${tier}`),
  or: `installs the package ${PACKAGE}, which speaks without any service`,
})

const lacking: { [Kind in JobKind]: (request: Requests[Kind], providers: Providers) => (Lack | false)[] } = {
  document: ({ text, research, image, audio }, providers) => [
    providers.text(text.model).length === 0 && ofText(`text of the tier ${text.model}`),
    providers.research(research.model).length === 0 && ofText(`research of the tier ${research.model}`),
    image.enabled &&
      providers.pictures(image.model).length === 0 &&
      ofOthers(`pictures of the tier ${image.model} (or send image.enabled: false)`),
    audio.enabled && providers.speech(audio.model).length === 0 && ofSpeech(audio.model),
  ],
  audio: ({ model }, providers) => [providers.speech(model).length === 0 && ofSpeech(model)],
  image: (request, providers) => {
    const able = providers.pictures(request.model)
    if (able.length === 0) return [ofOthers(`pictures of the tier ${request.model}`)]
    const reasons = able.map((provider) => provider.cannot({ ...request, subject: request.prompt }))
    if (reasons.includes(undefined)) return []
    return [ofOthers(`such a picture: ${[...new Set(reasons)].join('; ')}`)]
  },
}

/**
 * Sees that for each step of a job there is a provider in the settings: whether it is well just now is not asked.
 *
 * @throws GalleyError 503 `PROVIDER_NOT_CONFIGURED`, naming the settings
 */
export function checkProviders<Kind extends JobKind>(
  kind: Kind,
  request: Requests[Kind],
  providers: Providers,
): void {
  const lacks = lacking[kind](request, providers).filter((lack) => lack !== false)
  if (lacks.length === 0) return
  const others = [...new Set(lacks.flatMap(({ or }) => or ?? []))].map((other) => `, or ${other}`).join('')
  const settings = [...new Set(lacks.flatMap((lack) => lack.settings))]
  throw new GalleyError({
    code: 'PROVIDER_NOT_CONFIGURED',
    httpStatus: 503,
    fault: 'owner',
    action: 'owner',
    message: `No provider is set up for ${lacks.map(({ what }) => what).join(', nor for ')}. Whoever runs this Galley sets ${settings.join(', ')}${others}; docs/generation.md says how.`,
    details: { settings },
  })
}
