import type { z } from 'zod'
import { failure } from './schemas.ts'

export const json = <Schema extends z.ZodType>(schema: Schema) => ({ 'application/json': { schema } })

/** A failure as every route answers it. */
export const failing = (description: string) => ({ description, content: json(failure) })
