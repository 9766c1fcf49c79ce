import type { AudioFormat, Voice } from '../../../contract/generation/choices.ts'

/** A text that is to be heard. */
export interface Reading {
  text: string
  voice: Voice
  language: string
  style: string | null
  format: AudioFormat
}
