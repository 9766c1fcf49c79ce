import { z } from 'zod'
import type { GalleyError } from '../../errors.ts'

const toldSchema = z.object({ happened: z.string(), todo: z.string() })

/** The two halves of a failure's message: what happened, and what to do about it. */
export function toldBy({ message, details }: GalleyError): { happened: string; todo: string } {
  const failureText = toldSchema.safeParse(details)
  return failureText.success ? failureText.data : { happened: message, todo: '' }
}
