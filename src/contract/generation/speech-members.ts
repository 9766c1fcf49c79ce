import { z } from 'zod'
import { characters } from '../text.ts'
import { audioFormats, type Voice, voices } from './choices.ts'

const voiceNames = Object.keys(voices) as [Voice, ...Voice[]]

/** A language code as BCP 47 spells it: a language of two or three letters, and what narrows it. */
const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i

function canonical(code: string): string | undefined {
  try {
    return LANGUAGE.test(code) ? Intl.getCanonicalLocales(code)[0] : undefined
  } catch {
    // Only the shape was right: `en-US-US`.
    return undefined
  }
}

const language = z
  .string()
  .max(35)
  .transform((code, context) => {
    const known = canonical(code)
    if (known !== undefined) return known
    context.addIssue({ code: 'custom', message: 'must be a language code, such as en-US' })
    return z.NEVER
  })

/** How something is spoken, which an audio job and the narration of a document say alike, with the same defaults. */
export const speechMembers = {
  voice: z.enum(voiceNames).default('Kore').describe('Who speaks.'),
  language: language.default('en-US').describe('A language code, such as en-US.'),
  format: z
    .enum(audioFormats)
    .default('mp3')
    .describe('mp3 is recommended; opus is Ogg Opus; wav is not compressed, and large.'),
  style: characters(0, 4_000).optional().describe('How it should be spoken, in your own words.'),
}
