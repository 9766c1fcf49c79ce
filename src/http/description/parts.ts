import { z } from 'zod'
import { failure } from '../schemas.ts'

export const json = <Schema extends z.ZodType>(schema: Schema) => ({ 'application/json': { schema } })

/** Among the codes of a failure: those of what a site answered, which no list can name. */
export const OF_THE_SITE = '…'

/**
 * A failure as every route answers it.
 *
 * @param codes all that it has, unless `OF_THE_SITE` is one of them; left out where they are not known
 */
export function failing(description: string, codes: readonly string[] = [OF_THE_SITE]) {
  const named = codes.filter((code) => code !== OF_THE_SITE)
  const said = named.filter((code) => !description.includes(code)).join(', ')
  return {
    description: said === '' ? description : `${description} Codes: ${said}.`,
    content: json(named.length < codes.length ? failure : withCode(named)),
  }
}

const { error } = failure.shape

const known = new Map<string, z.ZodType>()

/** One schema for the same codes, by a name of theirs: `FailureNotFound`. */
function withCode(codes: readonly string[]): z.ZodType {
  const id = `Failure${codes.map(camel).join('Or')}`
  const schema =
    known.get(id) ??
    z
      .object({
        success: failure.shape.success,
        error: error.extend({ code: z.enum(codes).describe('Stable; what a program decides by.') }),
      })
      .meta({ id })
  known.set(id, schema)
  return schema
}

/** `NOT_FOUND` → `NotFound` */
const camel = (code: string): string =>
  code.toLowerCase().replace(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase())
