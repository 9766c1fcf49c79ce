import { z } from 'zod'
import { characters, isStorable } from '../text.ts'
import { tiers } from './choices.ts'

/** A prompt, or a text: of so many characters, and not of blanks alone. */
export const words = (least: number, most: number) =>
  characters(least, most).refine((text) => /\S/.test(text), 'must have more than blanks')

/** Which tier of models works on it. */
export const model = z.enum(tiers)

/** Longest address that is told about the end of a job, in characters. */
const LONGEST_ADDRESS = 2_000

const hasNoPassword = (address: string): boolean => {
  const { username, password } = new URL(address)
  return username === '' && password === ''
}

export const webhookUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address, such as https://example.com/hook' })
  .max(LONGEST_ADDRESS)
  .refine(isStorable, 'has half of a surrogate pair, which is no character')
  .refine(
    (address) => !URL.canParse(address) || hasNoPassword(address),
    'must not have a user name or a password in it',
  )
  .optional()
  .describe('Is sent a POST when the job ends. Use https.')

/** When members are held against each other: whatever else is wrong with them, so that all of it is named at once. */
export const always = ({ value }: { value: unknown }): boolean => typeof value === 'object' && value !== null
