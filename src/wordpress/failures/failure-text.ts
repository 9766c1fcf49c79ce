import { z } from 'zod'
import type { GalleyError } from '../../errors.ts'
import { oneLine } from '../fields.ts'
import { plain } from './page.ts'

const failureTextSchema = z.object({ happened: z.string(), todo: z.string() })

/** The two halves of a failure's message: what happened, and what to do about it. */
export function failureTextOf({ message, details }: GalleyError): { happened: string; todo: string } {
  const read = failureTextSchema.safeParse(details)
  return read.success ? read.data : { happened: message, todo: '' }
}

const saidSchema = z.object({ wordpress: z.object({ message: z.string().min(1) }) })

/** What WordPress, or a plugin there, said of a refusal, as one line; undefined where it said nothing. */
export function saidIn({ details }: GalleyError): string | undefined {
  const message = saidSchema.safeParse(details).data?.wordpress.message
  return message === undefined ? undefined : oneLine(plain(message), 500)
}
